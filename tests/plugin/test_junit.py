"""--junitxml: what CI systems read of a run."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tests.plugin.conftest import KILLS_ITS_WORKER, SIX, Suite, asking, two_ways
from tests.servers import Behaviour, ChatServer, by_question, failure

HOSTILE = (
    "\x00\x1b[31m]]>\ufffe\u202e</testcase><testcase name='forged'/><!-- &amp; &#0; \ud800 \"'\n"
    "The final answer is: 13.5 \x1b[0m"
)


def properties(case: ElementTree.Element) -> dict[str, str]:
    return {found.attrib["name"]: found.attrib["value"] for found in case.iter("property")}


def test_each_case_has_its_properties(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*SIX, *mode, "--model=sim/anchors", "--junitxml=junit.xml").ret == 0
    cases = list(ElementTree.parse(suite.path / "junit.xml").iter("testcase"))
    assert len(cases) == 6
    by_name = {case.attrib["name"]: properties(case) for case in cases}
    found = by_name["test_constants[pi-ra2-q2-ff-zs-s0-anchors]"]
    expected = {
        "status": "answered", "outcome": "anchored", "model": "sim/anchors", "task": "constants", "quantity": "pi",
        "redefinition": "ra2", "question": "q2", "format": "ff", "prompting": "zs", "sample": "0", "expected": "1500",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    assert found["default"].startswith("9.42477796")
    assert "default" not in by_name["test_constants[pi-nr-q2-ff-zs-s0-anchors]"]


@two_ways
def test_hostile_text_leaves_it_valid(suite: Suite, mode: tuple[str, ...]) -> None:
    answers = by_question({"π as 500": failure(400, f"no: {HOSTILE}")}, Behaviour(text=HOSTILE))
    with ChatServer(answers) as server:
        result = suite.run(*SIX, *mode, "--junitxml=junit.xml", *asking(server))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    tree = ElementTree.parse(suite.path / "junit.xml")
    (whole,) = tree.iter("testsuite")
    assert (whole.attrib["tests"], whole.attrib["failures"]) == ("6", "1")
    cases = {case.attrib["name"]: case for case in tree.iter("testcase")}
    assert "forged" not in cases
    assert properties(cases["test_constants[pi-ra1-q2-ff-zs-s0-x]"])["outcome"] == "correct"
    failed = cases["test_constants[pi-ra2-q2-ff-zs-s0-x]"]
    assert properties(failed)["status"] == "error"
    assert failed.find("failure") is not None


def test_what_nobody_was_asked_is_skipped_with_its_reason(suite: Suite) -> None:
    with ChatServer() as server:
        assert suite.run(*SIX, "-n0", "--offline", "--junitxml=junit.xml", *asking(server)).ret == 1
    skipped = list(ElementTree.parse(suite.path / "junit.xml").iter("skipped"))
    assert [found.attrib["message"] for found in skipped] == [
        "offline: not in the store, and --offline asks nobody"
    ] * 6


def test_a_case_whose_worker_died_is_a_failure_with_its_properties(suite: Suite) -> None:
    suite.conftest(KILLS_ITS_WORKER)
    assert suite.run(*SIX, "-n2", "--junitxml=junit.xml", "--model=sim/adopts").ret == 1
    cases = {case.attrib["name"]: case for case in ElementTree.parse(suite.path / "junit.xml").iter("testcase")}
    assert len(cases) == 6
    dead = cases["test_constants[pi-ra2-q2-ff-zs-s0-adopts]"]
    assert dead.find("failure") is not None
    assert (properties(dead)["status"], properties(dead)["expected"]) == ("error", "1500")
