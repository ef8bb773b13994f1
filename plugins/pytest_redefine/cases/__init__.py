"""What is asked: fixtures → cases. Pure: no pytest, no network."""
