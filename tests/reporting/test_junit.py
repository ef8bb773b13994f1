from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html import escape

from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.reporting.junit import properties
from tests.records.samples import answered, unanswered


def test_what_an_answered_case_says() -> None:
    found = dict(properties(answered("anchored", detail="unit")))
    assert found == {
        "status": "answered",
        "outcome": "anchored",
        "detail": "unit",
        "model": "openai/gpt-4o",
        "task": "constants",
        "quantity": "pi",
        "redefinition": "ra1",
        "question": "q1",
        "format": "ff",
        "prompting": "zs",
        "sample": "0",
        "expected": "500",
        "default": "3.14159265359",
        "extracted": "500",
        "rule": "marker",
    }


def test_what_is_not_known_is_left_out() -> None:
    names = [name for name, _ in properties(unanswered("server"))]
    assert "outcome" not in names
    assert "extracted" not in names
    assert names[0] == "status"


@given(st.text(st.characters(codec=None), max_size=60))
def test_whatever_a_model_said_makes_well_formed_xml(text: str) -> None:
    (value,) = (value for name, value in properties(answered(extracted=text)) if name == "extracted")
    assert len(value) <= 200
    parsed = ElementTree.fromstring(f'<property value="{escape(value)}"/>')
    assert parsed.get("value") == value
