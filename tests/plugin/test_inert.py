"""The plugin in a session without eval cases: as if it were not there."""

from __future__ import annotations

import re
import textwrap

import pytest

from tests.plugin.conftest import MODES, REPOSITORY, Start
from tests.plugin.tty import WIDTH, Tty
from tests.screen import Screen

PLAIN = """
    import os
    import threading


    def test_one():
        assert [thread.name for thread in threading.enumerate() if "redefine" in thread.name] == []
        assert threading.active_count() <= EXPECTED_THREADS


    def test_two():
        links = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
                 if os.path.exists(f"/proc/self/fd/{fd}") or os.path.islink(f"/proc/self/fd/{fd}")]
        assert [link for link in links if link.startswith("socket:")] == []


    def test_three():
        import sys

        heavy = ("litellm", "openai", "pint", "sympy", "aiohttp", "playwright")
        assert [name for name in heavy if name in sys.modules] == []
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Somebody's tests under a conftest.py that loads the plugin."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("TMPDIR", str(pytester.mkdir("tmp")))
    (pytester.path / "conftest.py").write_text((REPOSITORY / "conftest.py").read_text())
    (pytester.path / "pytest.ini").write_text("[pytest]\naddopts = -p no:hypothesispytest -p no:anyio -p no:sugar\n")
    return pytester


def plain(project: pytest.Pytester, threads: int) -> None:
    code = textwrap.dedent(PLAIN).replace("EXPECTED_THREADS", str(threads))
    (project.path / "test_plain.py").write_text(code)


@pytest.mark.parametrize("way", ["n0", "no-xdist"])
def test_in_one_process_there_is_no_trace_of_it(project: pytest.Pytester, way: str) -> None:
    plain(project, 1)
    result = project.runpytest_subprocess(*MODES[way])
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["test_plain.py ... *"])
    assert not any("outcomes" in line or "records:" in line for line in result.outlines)
    assert not (project.path / "reports").exists()
    assert list((project.path / "tmp").iterdir()) == []


def test_on_a_terminal_neither(project: pytest.Pytester, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    plain(project, 1)
    tty = Tty(start, "-n0")
    assert tty.read_all() == 0
    assert "redefine-live" not in tty.text
    assert any(re.fullmatch(r"test_plain\.py \.\.\. +\[100%\]", line) for line in Screen(tty.text, WIDTH).lines)


def test_workers_have_no_part_in_it(project: pytest.Pytester) -> None:
    plain(project, 3)  # execnet's own two read and write
    result = project.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=3)
    result.stdout.re_match_lines([r"\.\.\. +\[100%\]"])
    assert not (project.path / "reports").exists()
    assert list((project.path / "tmp").iterdir()) == []


def test_failures_are_told_as_ever(project: pytest.Pytester) -> None:
    project.makepyfile(test_plain="def test_one(): pass\ndef test_two(): assert 1 == 2\n")
    result = project.runpytest_subprocess("-x", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["test_plain.py .F", "*assert 1 == 2*"])
    assert "redefine" not in (project.path / "junit.xml").read_text()


def test_ordinary_tests_beside_eval_cases_keep_their_dots(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_both="""
        import pytest

        def test_plain():
            pass

        @pytest.mark.redefine(task="constants")
        def test_cases(asked, ask, grade, record):
            transcript = ask(asked)
            record(transcript, grade(asked, transcript))
        """
    )
    result = project.runpytest_subprocess("-n0", "-k", "plain or (pi and q2 and ra1)", "--model=sim/adopts")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["test_both.py .C *"])


def test_a_task_that_does_not_exist_is_told(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_cases="""
        import pytest

        @pytest.mark.redefine(task="colours")
        def test_cases(asked):
            pass
        """
    )
    result = project.runpytest_subprocess("-n0", "--model=sim/adopts")
    assert result.ret != 0
    assert any("redefine(task='colours'): no such task; there are constants" in line for line in result.outlines)
