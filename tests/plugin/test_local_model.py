"""The embedded model, for real: no key, no network, no server of the test's own."""

from __future__ import annotations

import pytest

from pytest_redefine.respondents.errors import RespondentUnavailable
from tests.parts import missing
from tests.plugin.conftest import MODES, SIX, Suite

NOTES_STARTS = """
from pytest_redefine.respondents.local.engine import LocalEngine

start = LocalEngine.start


async def noted(self, *args, **kwargs):
    with open("engine-starts", "a") as file:
        file.write("x")
    await start(self, *args, **kwargs)


LocalEngine.start = noted
"""


@pytest.fixture
def embedded(suite: Suite) -> Suite:
    """A checkout that notes each start of an engine; skipped where the model is not installed, failed in CI."""
    from pytest_redefine.respondents.local.model_file import find_model

    try:
        find_model("local/smollm2-135m")
    except RespondentUnavailable as error:
        missing(str(error))
    suite.conftest(NOTES_STARTS)
    return suite


@pytest.mark.parametrize("way", ["n0", "n2"])
def test_it_answers_once_and_for_all(embedded: Suite, way: str) -> None:
    starts = embedded.path / "engine-starts"
    # Without --model: it is whom a fresh checkout asks.
    result = embedded.run(*SIX, *MODES[way], "--run=first", timeout=300)
    assert result.ret == 0
    assert starts.read_text() == "x"
    first = embedded.records("first")
    assert len(first) == 6
    for record in first:
        assert (record["status"], record["error"], record["model"]) == ("answered", None, "local/smollm2-135m")
        assert record["reply"]
        assert record["outcome"]
        assert record["usage"]["completion_tokens"] > 0
        assert not record["simulated"]
        assert not record["from_store"]

    assert embedded.run(*SIX, *MODES[way], "--run=second", timeout=300).ret == 0
    assert starts.read_text() == "x"
    second = embedded.records("second")
    assert all(record["from_store"] for record in second)
    assert {record["key"]: record["reply"] for record in second} == {record["key"]: record["reply"] for record in first}
