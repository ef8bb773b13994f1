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
