"""The embedded model: a GGUF file, run by llama.cpp in a child process that serves HTTP on the loopback.

==============  ==================================================================================
``gguf``        reads the head of a GGUF file, which may be hostile
``model_file``  a ``local/...`` name → the file, its fingerprint
``engine``      starts, watches and ends the child
``child``       the child's whole program; imports nothing of the project
==============  ==================================================================================
"""
