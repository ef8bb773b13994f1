"""``sim/hostile``: replies that try to break whatever shows, stores or opens them. For tests of reports and exports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

REPLIES: Final = (
    "<script>window.pwned = 1; document.title = 'pwned'</script>The final answer is: <b onclick=alert(1)>7</b>",
    '</script></textarea></style></template></pre></title><img src=x onerror="window.pwned=2"><svg onload=alert(1)>',
    "<!--<script>--><!-- ]]> &lt;script&gt; &#60;img src=//evil.example/x.png&#62; {{ 7*7 }} {% raw %}",
    "<link rel=stylesheet href=//evil.example/x.css><iframe src=//evil.example></iframe><base href=//evil.example/>",
    "\x1b[2J\x1b[H\x1b]0;pwned\x07\x1b[31mred\x1b[0m \x9b31m \x08\x08\x08 \r overwritten \x00 null",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '+1+cmd|\' /C calc\'!A0\n-2+3\t=HYPERLINK("//evil.example","click")',
    "[click me](javascript:window.pwned=4) ![x](https://evil.example/x.png) <https://evil.example> | a |\n|---|",
    "\u202eevil \u2066right-to-left\u2069 \u200bzero\u200dwidth \ufeff \ud83d lone \udc00 surrogates \U0010fffe \ufffe",
    "W" * 60_000,
    "A line that never ends " + "x" * 5_000 + "\n" * 400 + "The final answer is: 7",
    "Z" + "\u0301\u0302\u0303" * 2_000 + " The final answer is: 7",
    "::error file=x::pwned\n##[error]pwned\n::set-output name=x::y\n@everyone #1 closes #1",
    "'\";--\\u003cscript\\u003e \\x3cscript\\x3e \u2028 \u2029 __proto__ constructor toString",
    "",
)
"""Each a way to do harm: in HTML, in a terminal, in a spreadsheet, in Markdown, by direction, by size."""


def reply(case: Mapping[str, Any]) -> str:
    """One of them, by the case's id."""
    roll = int.from_bytes(hashlib.sha256(str(case["case_id"]).encode()).digest()[:4], "big")
    return REPLIES[roll % len(REPLIES)]
