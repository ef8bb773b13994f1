"""SVG elements as safe markup: every attribute and text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from pytest_redefine.reporting.text import visible

Attribute = str | float | None


def element(name: str, *children: str | Markup, **attributes: Attribute) -> Markup:
    """One element. ``class_`` is class, ``data_level`` data-level; an attribute of None is left out.

    Children that are no Markup are text, and are escaped.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(
        str(escape(child)) if isinstance(child, Markup) else str(escape(visible(child))) for child in children
    )
    return Markup(f"<{name}{written}>{inner}</{name}>") if inner else Markup(f"<{name}{written}/>")  # noqa: S704 - escaped above


def joined(parts: Iterable[Markup]) -> Markup:
    """Elements one after the other."""
    return Markup("").join(parts)


def text(x: float, y: float, content: str, class_: str | None = None, anchor: str | None = None) -> Markup:
    """A line of text; ``anchor``: start (default), middle, end."""
    return element("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def picture(width: float, height: float, label: str, *children: Markup, **attributes: Attribute) -> Markup:
    """A picture that scales with its column; screen readers get the label, which must say what there is to see."""
    return element(
        "svg",
        element("title", label),
        *children,
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        role="img",
        width=width,
        height=height,
        aria_label=label,
        **attributes,
    )


def _value(value: str | float) -> str:
    return _number(value) if isinstance(value, int | float) else str(escape(visible(value, 4_000)))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
