"""Loads the plugin; nothing else lives here."""

pytest_plugins = ["pytest_redefine.plugin"]
