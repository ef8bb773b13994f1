"""A reply as plain text: Unicode, Markdown, HTML and LaTeX dressing off, with a map back into the original.

What is kept is what carries a value: digits, operators, words, line ends. Nothing is interpreted here, so the pass
is one walk over the text and stays linear whatever it holds.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from pytest_redefine.grading.dress import (
    ANSWER_TAGS,
    BOX_CLOSE,
    BOX_OPEN,
    BOXES,
    COMMANDS,
    DRESS,
    ESCAPED,
    THIN,
    WRAPPERS,
    plain_char,
)

HEAD: Final = 1_500
TAIL: Final = 5_000
MIDDLE: Final = 600
"""A longer reply is read from its first HEAD and last TAIL characters, and MIDDLE around the last announcement of an
answer between them: answers stand there, and 1,024 tokens are 5,000 characters."""
_GROWTH: Final = 1.25
"""Some characters stand for several; a text of nothing else is not read to its end."""

_SPECIAL: Final = re.compile(r"[^\x20-\x5b\x5d\x5e\x61-\x7a\x7c\x7e\n]|[*$<&{]")
_COMMAND: Final = re.compile(r"\\(?:([a-zA-Z]+)\*?|(.))", re.DOTALL)
_SUBSCRIPT: Final = re.compile(
    r"_(?:\\(?:text|mathrm|rm|mathit|mathbf)\s?)?\{{1,2}\s?(?:\\(?:text|mathrm|rm|mathit)\s?\{?)?"
    r"\s?([A-Za-z0-9]{1,8})\s?\}{1,2}"
)
_CIRC: Final = re.compile(r"\^\s{0,2}\{?\s{0,2}\\(?:circ|degree)\b\s{0,2}\}?")
_ENTITY: Final = re.compile(r"&(?:[a-zA-Z]{2,8}|#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,5});")
_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,24}[ -/]{0,4}[@-~]?|.)?", re.DOTALL)
_SCRIPT: Final = re.compile(r"<su(p|b)>([^<>\n]{1,16})</su[pb]>", re.IGNORECASE)
_CONTROL: Final = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>")
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9_]{0,15})(?:\s[^<>\n]{0,80})?/?>")
_SUPERSCRIPTS: Final = re.compile("[⁰¹²³⁴-⁹⁺⁻⁽⁾ⁿ]{0,12}[⁰¹²³⁴-⁹ⁿ]|[⁺⁻]")
_ENVIRONMENT: Final = re.compile(r"\{[a-zA-Z]{1,16}\*?\}")
_OVERLINE: Final = re.compile(r"\s*\{\s*(\d{1,12})\s*\}")


@dataclass(frozen=True, slots=True)
class Plain:
    """Plain text and where each of its characters came from."""

    text: str
    starts: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The [start, end) of the original that became ``text[start:end]``."""
        if not self.text or start >= end:
            return (0, 0)
        return self.starts[start], self.ends[end - 1]


@dataclass(slots=True)
class _Writer:
    raw: str
    offset: int
    out: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    closers: list[str | None] = field(default_factory=list)
    bold: bool = False
    italic: bool = False

    def copy(self, start: int, end: int) -> None:
        if start < end:
            self.out.append(self.raw[start:end])
            self.starts.extend(range(self.offset + start, self.offset + end))
            self.ends.extend(range(self.offset + start + 1, self.offset + end + 1))

    def put(self, text: str, start: int, end: int) -> None:
        if text:
            self.out.append(text)
            self.starts.extend([self.offset + start] * len(text))
            self.ends.extend([self.offset + end] * len(text))


def normalise(reply: str) -> Plain:
    """Plain text of a reply; linear in its length, which is bounded by ``HEAD + TAIL``."""
    pieces = _pieces(reply)
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for number, (start, end) in enumerate(pieces):
        if number:
            text.append("\n")
            starts.append(start)
            ends.append(start)
        writer = _Writer(reply[start:end], start)
        _walk(writer)
        text.extend(writer.out)
        starts.extend(writer.starts)
        ends.extend(writer.ends)
    return _collapse("".join(text), starts, ends)


_ANNOUNCED: Final = re.compile(r"final answer|\\boxed", re.IGNORECASE)


def _pieces(reply: str) -> list[tuple[int, int]]:
    size = len(reply)
    if size <= HEAD + TAIL:
        return [(0, size)]
    last = None
    for match in islice(_ANNOUNCED.finditer(reply, HEAD, size - TAIL), 10_000):
        last = match.start()
    if last is None:
        return [(0, HEAD), (size - TAIL, size)]
    return [(0, HEAD), (max(HEAD, last - 100), min(last + MIDDLE - 100, size - TAIL)), (size - TAIL, size)]


_BLANKS: Final = re.compile(rf"[ {THIN}\n]{{3,}}")


def _collapse(text: str, starts: list[int], ends: list[int]) -> Plain:
    """White space in runs of at most two, so that no pattern that skips it can be made to work hard."""
    if _BLANKS.search(text) is None:
        return Plain(text, starts, ends)
    out: list[str] = []
    new_starts: list[int] = []
    new_ends: list[int] = []
    position = 0
    for match in _BLANKS.finditer(text):
        at, end = match.span()
        keep = "\n\n" if "\n" in match[0] else "  "
        out.append(text[position:at] + keep)
        new_starts.extend(starts[position : at + 2])
        new_ends.extend(ends[position : at + 1])
        new_ends.append(ends[end - 1])
        position = end
    out.append(text[position:])
    return Plain("".join(out), new_starts + starts[position:], new_ends + ends[position:])


def _walk(w: _Writer) -> None:
    raw = w.raw
    limit = _GROWTH * len(raw) + 200
    position = 0
    for match in _SPECIAL.finditer(raw):
        at = match.start()
        if at < position:
            continue
        if len(w.starts) > limit:
            return
        w.copy(position, at)
        position = _special(w, raw[at], at)
    w.copy(position, len(raw))


def _special(w: _Writer, char: str, at: int) -> int:
    """Write what stands for the special character at ``at``; returns where reading goes on."""
    handler = _HANDLERS.get(char)
    if handler is not None:
        return handler(w, at)
    return _unicode(w, char, at)


def _backslash(w: _Writer, at: int) -> int:
    match = _COMMAND.match(w.raw, at)
    if match is None:
        return at + 1
    end = match.end()
    name, single = match[1], match[2]
    if name is None:
        w.put(ESCAPED.get(single, single if single.isascii() else " "), at, end)
        return end
    if name in COMMANDS:
        w.put(COMMANDS[name], at, end)
        if name in ("begin", "end"):
            environment = _ENVIRONMENT.match(w.raw, end)
            return environment.end() if environment else end
        return end
    if name in DRESS:
        return end
    if name == "overline":
        return _repeating(w, at, end)
    brace = end
    while brace < len(w.raw) and brace < end + 3 and w.raw[brace] == " ":
        brace += 1
    braced = w.raw.startswith("{", brace)
    if name in BOXES:
        w.put(BOX_OPEN, at, brace + braced)
        if braced:
            w.closers.append(BOX_CLOSE)
        return brace + braced
    if name in WRAPPERS:
        if braced:
            w.closers.append(" " if name in ("SI", "qty", "num") else "")
            return brace + 1
        return end
    w.put(" " + name + " ", at, end)
    return end


def _repeating(w: _Writer, at: int, end: int) -> int:
    r"""``0.\overline{3}``: the period, written out as far as anybody compares."""
    match = _OVERLINE.match(w.raw, end)
    if match is None:
        return end
    w.put((match[1] * 24)[:24], at, match.end())
    return match.end()


def _open_brace(w: _Writer, at: int) -> int:
    if w.raw.startswith("{,}", at):
        w.put(",", at, at + 3)
        return at + 3
    w.closers.append(None)
    w.put("{", at, at + 1)
    return at + 1


def _close_brace(w: _Writer, at: int) -> int:
    closer = w.closers.pop() if w.closers else None
    if closer is None:
        w.put("}", at, at + 1)
    else:
        w.put(closer, at, at + 1)
        if closer == " " and w.raw.startswith("{", at + 1):  # \SI{4.1e-34}{J.s}
            w.closers.append("")
            return at + 2
    return at + 1


def _star(w: _Writer, at: int) -> int:
    raw = w.raw
    end = at
    while end < len(raw) and raw[end] == "*":
        end += 1
    before = raw[at - 1] if at else "\n"
    after = raw[end] if end < len(raw) else "\n"
    if end - at == 1:
        return _one_star(w, at, before, after)
    if end - at == 2:
        operand = before.isalnum() or before in ")]}"
        follows = after in "-+(−" or after.isdigit() or after.isalpha()
        spaced = before == " " and after == " " and at > 1 and (raw[at - 2].isalnum() or raw[at - 2] in ")]}")
        if (operand and follows) or spaced:
            line_end = raw.find("\n", end, end + 200)
            more = raw.find("**", end, line_end if line_end >= 0 else end + 200)
            power = spaced or not w.bold or (more >= 0 and (after in "-+" or after.isdigit()))
            if power and (before.isdigit() or before in ")]}" or spaced or not after.isalpha()):
                w.put("^", at, end)
                return end
        w.bold = not w.bold
    return end


def _one_star(w: _Writer, at: int, before: str, after: str) -> int:
    raw = w.raw
    end = at + 1
    line_start = before == "\n" or raw[max(at - 12, raw.rfind("\n", max(0, at - 12), at) + 1) : at].isspace()
    if raw.startswith("*^", at) and before.isdigit():  # 4.14*^-34
        w.put("*10^", at, at + 2)
        return at + 2
    if line_start and after in " \t":
        return end
    if before in " \t" and after in " \t":
        w.put("*", at, end)
    elif w.italic and not before.isspace() and not (after.isalnum() or after == "("):
        w.italic = False
    elif ((before.isalnum() or before in ")]}") and (after.isalnum() or after in "(\\-+{√π")) or (
        before.isspace() and not after.isspace() and raw.find("*", end, end + 120) < 0
    ):
        w.put("*", at, end)
    elif not after.isspace():
        w.italic = True
    elif before.isalnum() or before in ")]}":
        w.put("*", at, end)
    return end


def _underscore(w: _Writer, at: int) -> int:
    raw = w.raw
    match = _SUBSCRIPT.match(raw, at)
    if match is not None:
        w.put("_" + match[1], at, match.end())
        return match.end()
    before = raw[at - 1] if at else " "
    after = raw[at + 1] if at + 1 < len(raw) else " "
    if (before.isalnum() or before == "}") and after.isalnum():
        w.put("_", at, at + 1)
    elif before == "_" or after == "_":
        w.put("_" if _blank_line(raw, at) else "", at, at + 1)
    return at + 1


def _blank_line(raw: str, at: int) -> bool:
    """A run of three underscores or more is a form's empty field, kept so that it reads as one."""
    return raw.startswith("___", max(0, at - 2)) or raw.startswith("___", max(0, at - 1)) or raw.startswith("___", at)


def _angle(w: _Writer, at: int) -> int:
    raw = w.raw
    script = _SCRIPT.match(raw, at)
    if script is not None:
        inner = script[2].replace("−", "-").replace("–", "-")
        w.put(f"^({inner})" if script[1].lower() == "p" else "_" + inner.strip(), at, script.end())
        return script.end()
    control = _CONTROL.match(raw, at)
    if control is not None:
        w.put("\n", at, control.end())
        return control.end()
    tag = _TAG.match(raw, at)
    if tag is None:
        w.put("<", at, at + 1)
        return at + 1
    name = tag[2].lower()
    if name in ANSWER_TAGS:
        w.put(BOX_CLOSE if tag[1] else BOX_OPEN, at, tag.end())
    elif name in ("br", "p", "div", "li", "tr"):
        w.put("\n", at, tag.end())
    return tag.end()


def _ampersand(w: _Writer, at: int) -> int:
    match = _ENTITY.match(w.raw, at)
    if match is None:
        w.put(" ", at, at + 1)
        return at + 1
    char = html.unescape(match[0])
    if len(char) == 1 and char not in "<&{\\*_$":
        w.put(plain_char(char), at, match.end())
    elif char == "<":
        w.put("<", at, match.end())
    return match.end()


def _nothing(w: _Writer, at: int) -> int:
    return at + 1


def _escape(w: _Writer, at: int) -> int:
    match = _ANSI.match(w.raw, at)
    return match.end() if match else at + 1


def _unicode(w: _Writer, char: str, at: int) -> int:
    raw = w.raw
    scripted = _SUPERSCRIPTS.match(raw, at)
    if scripted is not None:
        inner = unicodedata.normalize("NFKC", scripted[0]).replace("−", "-")
        w.put(f"^({inner})", at, scripted.end())
        return scripted.end()
    if char == "–":
        before = raw[at - 1] if at else " "
        after = raw[at + 1] if at + 1 < len(raw) else " "
        sign = after.isdigit() and (before.isspace() or before in "(=^:{[*×/eE,")
        w.put("-" if sign else "–", at, at + 1)
        return at + 1
    plain = plain_char(char)
    if len(plain) > 2 and plain[0].isdigit() and "/" in plain:  # a vulgar fraction: 3½ is a mixed number
        digit = bool(w.out) and w.out[-1][-1:].isdigit()
        plain = f" {plain}" if digit else plain
    w.put(plain, at, at + 1)
    return at + 1


_HANDLERS: Final = {
    "\\": _backslash,
    "{": _open_brace,
    "}": _close_brace,
    "*": _star,
    "_": _underscore,
    "<": _angle,
    "&": _ampersand,
    "$": _nothing,
    "`": _nothing,
    "\x1b": _escape,
}
