from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import pytest

from pytest_redefine.cases.model import Case

CASE = Case("constants", "h", "planck", "ra2", "q3", "ff", "zs", 0, contested=False)


def test_ids() -> None:
    assert CASE.id_stem == "planck-ra2-q3-ff-zs-s0"
    assert CASE.case_id == "constants-planck-ra2-q3-ff-zs-s0"


def test_a_case_is_plain_frozen_data() -> None:
    assert not CASE.is_control
    assert pickle.loads(pickle.dumps(CASE)) == CASE
    assert len({CASE, CASE}) == 1
    with pytest.raises(FrozenInstanceError):
        CASE.sample = 1  # type: ignore[misc]  # that it is refused is the point


def test_a_neutral_control_has_the_value_of_its_twin() -> None:
    neutral = Case("constants", "h", "planck", "neutral2", "q3", "ff", "zs", 0, contested=False)
    assert neutral.is_neutral
    assert not neutral.is_control
    assert neutral.level == "ra2"
    assert neutral.id_stem == "planck-neutral2-q3-ff-zs-s0"
    assert not CASE.is_neutral
    assert CASE.level == "ra2"


def test_a_turned_case_says_so_in_its_id() -> None:
    turned = Case("constants", "h", "planck", "ra2", "q3", "mc", "zs", 0, contested=False, rotation=3)
    assert turned.id_stem == "planck-ra2-q3-mc-zs-s0-rot3"
