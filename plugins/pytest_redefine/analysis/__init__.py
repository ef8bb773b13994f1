"""Records → figures."""
