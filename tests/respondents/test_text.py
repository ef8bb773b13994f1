from __future__ import annotations

import pytest
from hypothesis import given

from pytest_redefine.respondents.errors import MESSAGE_LIMIT, CallError
from pytest_redefine.respondents.text import clean_text, scrubbed
from tests.respondents.strategies import ANY_TEXT

KEY = "f00dfacef00dface"


@given(ANY_TEXT)
def test_cleaned_text_can_be_encoded_and_is_otherwise_the_same(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    assert len(cleaned) == len(text)
    pairs = zip(text, cleaned, strict=True)
    assert all(after == ("\ufffd" if "\ud800" <= before <= "\udfff" else before) for before, after in pairs)


def test_cleaned_text_is_bounded() -> None:
    assert clean_text("abc", 2) == "ab"
    assert len(clean_text("x" * 500_000)) == 400_000


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK", "some_secret"])
def test_a_key_in_the_environment_is_never_shown(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, KEY)
    assert scrubbed(f"Incorrect API key provided: {KEY}.") == "Incorrect API key provided: ***."


@pytest.mark.parametrize("name", ["MONKEY", "TOKENIZERS_PARALLELISM", "SSH_KEY_PATH", "HF_TOKEN_FILE", "HOME"])
def test_other_settings_may_be_shown(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/some/where")
    assert scrubbed("no such file: /some/where") == "no such file: /some/where"


def test_short_settings_do_not_blot_out_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USE_TOKEN", "false")
    assert scrubbed("stream: false") == "stream: false"


@pytest.mark.parametrize(
    "text",
    ["Authorization: Bearer abcd.efgh-1234", "bearer abcdefgh12", "key sk-proj-12345678 is wrong", "sk-ab****wxyz"],
)
def test_what_looks_like_a_key_is_hidden_whoever_set_it(text: str) -> None:
    shown = scrubbed(text)
    assert "***" in shown
    assert not any(part in shown for part in ("abcd", "12345678", "wxyz"))


def test_a_secret_within_another_leaves_no_rest() -> None:
    assert scrubbed("secret-one-and-more", ["secret-one", "secret-one-and-more"]) == "***"


def test_an_error_keeps_no_secret_even_where_its_message_is_cut() -> None:
    padding = "x" * (MESSAGE_LIMIT - 8)
    error = CallError("authentication", f"{padding} {KEY}", [KEY])
    assert KEY[:4] not in error.fault.message
    assert KEY[:4] not in str(error)


def test_an_error_is_one_bounded_line_that_can_be_written() -> None:
    fault = CallError("server", "down\r\n\tfor \ud800 " + "y" * 9000).fault
    assert fault.message.startswith("down for \ufffd y")
    assert fault.message.endswith("…")
    assert len(fault.message) == MESSAGE_LIMIT
    fault.message.encode("utf-8")
