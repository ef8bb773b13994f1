"""What all tests of the suite share."""

pytest_plugins = ["pytester"]
