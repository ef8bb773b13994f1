"""Figures → people: terminal, HTML, JUnit. What a model said is data here: escaped and bounded wherever it is shown."""
