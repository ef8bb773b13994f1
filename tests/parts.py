"""The real parts that tests need: found, or told to be missing."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def need(program: str, package: str) -> str:
    """The path of a program; without it the test is skipped with the reason, and fails in CI."""
    path = shutil.which(program)
    if path is None:
        missing(f"{program} is not installed (apt install {package})")
    return path


def missing(reason: str) -> NoReturn:
    """Skip the test whose part cannot be had; in CI fail it."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(f"{reason}; in CI this is a failure", pytrace=False)
    pytest.skip(reason)
