"""What characters and commands stand for: the tables of the normaliser."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from pytest_redefine.grading.vocabulary import words

BOX_OPEN: Final = "\ue000"
BOX_CLOSE: Final = "\ue001"
FRACTION: Final = "\ue002"
THIN: Final = "\u2009"

PAIRS: Final = {
    **dict.fromkeys("−‐‑﹣－⁃", "-"),
    **dict.fromkeys("—―", "—"),
    **dict.fromkeys("×✕✖⨯⋅·∙∗⨉﹡", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("≈≃≅∼≒≐≊", "≈"),
    **dict.fromkeys("→⇒⟹⟶⟾➔➜➡", "→"),
    **dict.fromkeys("\u00a0\u2009\u202f\u2007\u200a\u2006\u2005\u2008", THIN),
    **dict.fromkeys("’ʼ′‘＇`´", "'"),
    **dict.fromkeys("“”„″«»", '"'),
    **dict.fromkeys("٬،，", ","),
    **dict.fromkeys("٫．。", "."),
    **dict.fromkeys("ϕ𝜙𝛗", "φ"),
    **dict.fromkeys("ϵ𝜀𝜖ɛ", "ε"),
    **dict.fromkeys("ℯ", "e"),
    **dict.fromkeys("ⅈⅉ", "i"),
    **dict.fromkeys("º˚", "°"),
    **dict.fromkeys("✓✔✅☑❌✗•●▪◦‣", " "),
    **dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"),
    "\t": " ",
    "∛": "∛",
    "√": "√",
    "∞": "∞",
    "ħ": "ħ",
    "ℏ": "ħ",
    "²": "^2",
    "³": "^3",
    "：": ":",
    "…": "...",
}

COMMANDS: Final = {
    **dict.fromkeys(("times", "cdot", "ast", "bullet"), "*"),
    **dict.fromkeys(("approx", "simeq", "sim", "cong", "approxeq", "doteq", "thickapprox"), "≈"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "implies", "longrightarrow", "Longrightarrow"), "→"),
    **dict.fromkeys(("phi", "varphi"), "φ"),
    **dict.fromkeys(("epsilon", "varepsilon"), "ε"),
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), FRACTION),
    **dict.fromkeys(("quad", "qquad", "enspace"), "  "),
    **dict.fromkeys(("thinspace", "medspace", "thickspace", "nobreakspace"), THIN),
    **dict.fromkeys(("degree", "circ", "textdegree"), "°"),
    **dict.fromkeys(("newline", "par", "begin", "end"), "\n"),
    **dict.fromkeys(("le", "leq", "leqslant"), "≤"),
    **dict.fromkeys(("ge", "geq", "geqslant"), "≥"),
    **dict.fromkeys(("dots", "ldots", "cdots"), "..."),
    **dict.fromkeys(("mu", "textmu", "micro"), "μ"),
    **dict.fromkeys(("Omega", "ohm"), "Ω"),
    "div": "/", "pi": "π", "zeta": "ζ", "infty": "∞", "pm": "±", "sqrt": "√", "hbar": "ħ",
    "lt": "<", "gt": ">", "equiv": "=", "neq": "≠", "ne": "≠", "percent": "%", "imath": "i",
}  # fmt: skip

DRESS: Final = words(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle rm bf it limits mathstrut "
    "phantom "
    "boldsymbol large Large LARGE huge Huge normalsize small centering nolimits hfill ensuremath"
)
WRAPPERS: Final = words(
    "text mathrm mathbf textbf mathit textit operatorname mbox textrm textsf mathsf emph underline hbox "
    "textup "
    "mathbb mathcal texttt mathtt bm ce num si unit SI qty color"
)
BOXES: Final = frozenset(("boxed", "fbox", "framebox"))
ANSWER_TAGS: Final = frozenset(("answer", "final_answer", "finalanswer", "final", "result", "solution"))
ESCAPED: Final = {
    ",": THIN, ";": THIN, ":": THIN, " ": THIN, "!": "", "\\": "\n", "{": "(", "}": ")", "(": "", ")": "",
    "[": " ", "]": " ",
}  # fmt: skip


@lru_cache(maxsize=2048)
def plain_char(char: str) -> str:
    known = PAIRS.get(char)
    if known is not None:
        return known
    if char.isascii():
        return char if " " <= char <= "~" or char == "\n" else ""
    category = unicodedata.category(char)
    if category in ("Cf", "Cc", "Cs", "Co", "Cn", "Mn", "Me"):
        return ""
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Zs":
        return " "
    folded = unicodedata.normalize("NFKC", char)
    if "SUBSCRIPT" in unicodedata.name(char, ""):
        return "_" + folded
    if folded != char and len(folded) <= 4:
        return "".join(PAIRS.get(c, c) for c in folded)
    return char
