"""report.html: one file, nothing loaded from outside, readable without JavaScript.

Pictures are SVG written here: with their script they are 40 KB, where Vega's bundle is 0.9 MB, wants ``unsafe-eval`` or
an interpreter of its own, and shows nothing without JavaScript (a static fallback needs an 84 MB package).
"""
