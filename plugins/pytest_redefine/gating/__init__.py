"""The gate: figures and a baseline in, a verdict out. Knows nothing of pytest."""
