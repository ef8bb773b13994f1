"""What one expression may cost: beyond these it is no expression, however it is built."""

from __future__ import annotations

from typing import Final

MAX_DEPTH: Final = 24
MAX_STEPS: Final = 2_500
"""Steps of the descent in one answer: some 10 ms; an ordinary chain of thought takes 500."""
FRACTIONAL_POWER: Final = 25
"""Steps that one costs: to 40 digits it takes up to 125 µs, 30 times as long as a step."""
MAX_OPERANDS: Final = 48
"""Of one sum or product."""
