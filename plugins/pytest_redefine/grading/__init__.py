"""Transcript + truth → outcome. Pure functions over hostile text: nothing a model says is ever evaluated."""
