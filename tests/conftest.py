"""What all tests of the suite share."""

from hypothesis import settings

pytest_plugins = ["pytester", "tests.redis_server"]

# A deadline is a timed assertion: it fails on a machine that is busy with something else.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
