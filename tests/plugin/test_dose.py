from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, outcomes, selected

DOSE = ("-k", "dose and pi", "--dose=4", "--fresh-seed=7")


def test_points_are_asked_and_each_question_s_control_once(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*DOSE, "--model=sim/anchors", *mode).ret == 0
    records = suite.records()
    doses = [record for record in records if record["redefinition"] == "dose"]
    assert outcomes(doses) == {"anchored": len(doses)}
    assert len(doses) == 16  # 4 distances, larger and smaller, of either sign
    assert all(0.01 < record["draw"]["dose"] < 12.01 for record in doses)
    controls = [record["question"] for record in records if record["redefinition"] == "nr"]
    assert sorted(controls) == ["q2", "q3"]


def test_the_curve_and_its_d50_are_told(suite: Suite) -> None:
    result = suite.run("-k", "dose", "--dose=9", "--fresh-seed=7", "--model=sim/logistic", "-n0", timeout=180)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "sim/logistic",
            "  dose-response, ordinary sign: n=4??*",
            "    d50 * decades [[]*, *[]]",
            "*decades off * anchored*",
        ]
    )
    assert len(suite.run_json()["draws"]) > 900


def test_ids(suite: Suite) -> None:
    look = ("--collect-only", "-q", "--model=sim/adopts")
    names = selected(suite.run(*look, *DOSE))
    assert "evals/test_dose.py::test_dose[pi-dose0-q" in names[0] or "[pi-nr-dose0-q" in names[0]
    assert selected(suite.run(*look, *DOSE)) == names


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("-k", "dose"), "-k dose: nothing is drawn without --dose; type e.g. pytest evals -k dose --dose=9"),
        (("--dose=1",), "--dose=1: at least 2 distances make a curve"),
        (("--dose=-4",), "--dose=-4: at least 2 distances make a curve"),
    ],
)
def test_what_to_type_is_said(suite: Suite, typed: tuple[str, ...], told: str) -> None:
    result = suite.refused(*typed, "--model=sim/adopts")
    assert told in result.stderr.str()
