"""Expressions over Decimals, read twice: with the redefined symbol's new value and with its ordinary one.

A hand-written recursive descent, because nothing a model writes may be evaluated by anybody's ``eval``. Depth, steps,
exponents and digits are bounded; what is out of bounds is no expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.arithmetic import UnreadableError, Z
from pytest_redefine.grading.bounds import FRACTIONAL_POWER, MAX_DEPTH, MAX_OPERANDS, MAX_STEPS
from pytest_redefine.grading.cursor import Cursor
from pytest_redefine.grading.dress import FRACTION
from pytest_redefine.grading.powers import spoken_exponent, times_ten
from pytest_redefine.grading.tokens import Token
from pytest_redefine.grading.values import Constant, Value, joined, revalued
from pytest_redefine.grading.words import STARTERS, and_a_half, read_words, scale


class Reader(Cursor):
    """Reads expressions out of tokens; one for a whole answer, so that its steps are bounded together."""

    __slots__ = ("_depth", "constants", "root2", "steps")

    def __init__(
        self, tokens: Sequence[Token], constants: Mapping[str, Constant], root2: Constant | None = None
    ) -> None:
        """``root2``: √2, where it is the redefined symbol."""
        super().__init__(tokens)
        self.constants = constants
        self.root2 = root2
        self.steps = 0
        self._depth = 0

    def read(self, at: int) -> tuple[Value, int] | None:
        """The longest expression that begins at token ``at``, and the token after it."""
        self._depth = 0
        try:
            return self._sum(at)
        except UnreadableError:
            return None

    @property
    def exhausted(self) -> bool:
        """The answer's steps are used up: nothing more of it can be read."""
        return self.steps > MAX_STEPS

    # Every rule returns (value, next token) and raises UnreadableError where it does not apply.

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS or self._depth > MAX_DEPTH:
            raise UnreadableError("too long or too deep")

    def _sum(self, at: int) -> tuple[Value, int]:
        self._step()
        left, at = self._product(at)
        for _ in range(MAX_OPERANDS):
            text = self.text(at)
            word = self.word(at)
            if text not in ("+", "-") and word not in ("plus", "minus"):
                return left, at
            try:
                right, after = self._product(at + 1)
            except UnreadableError:
                return left, at
            minus = text == "-" or word == "minus"
            if minus and not self._is_difference(left, right, at):
                return left, at
            new = ar.add(left.new, ar.negate(right.new) if minus else right.new)
            old = ar.add(left.old, ar.negate(right.old) if minus else right.old)
            left, at = joined(left, right, new, old), after
        raise UnreadableError("too long")

    def _is_difference(self, left: Value, right: Value, at: int) -> bool:
        """Two bare numbers with a hyphen between are a range; with anything else in them, a difference."""
        if self._depth or self.word(at) == "minus":
            return True
        if left.product or right.product or left.symbol or right.symbol:
            return True
        return bool(left.new.im or right.new.im)

    def _product(self, at: int) -> tuple[Value, int]:
        self._step()
        left, at = self._signed(at)
        for _ in range(MAX_OPERANDS):
            operator, after = self._operator(at, left)
            if not operator:
                return left, at
            try:
                right, after = self._signed(after) if operator != "implicit" else self._power(after)
                if operator == "/":
                    new, old = ar.divide(left.new, right.new), ar.divide(left.old, right.old)
                else:
                    new, old = ar.multiply(left.new, right.new), ar.multiply(left.old, right.old)
            except UnreadableError:
                return left, at
            if operator == "implicit" and (right.symbol or left.symbol) and not (left.symbol and right.symbol):
                left = Value(new, old, True, left.numeral or right.numeral, True, left.powered or right.powered)
            else:
                left = joined(left, right, new, old)
            at = after
        raise UnreadableError("too long")

    def _operator(self, at: int, left: Value) -> tuple[str, int]:
        """``*``, ``/``, ``implicit`` or nothing, and where the right operand begins."""
        if at >= len(self.tokens):
            return "", at
        token = self.tokens[at]
        text = token.text
        if text == "*":
            return "*", at + 1
        if text == "/":
            return "/", at + 1
        if token.kind == "word":
            return self._word_operator(at, text, left)
        if text in ("√", "∛", FRACTION):
            return "implicit", at
        if text == "∞" and self.touches(at):
            return "implicit", at
        if text in ("(", "{") and self.touches(at) and not (left.integer and left.worded):
            return "implicit", at
        if token.kind == "num" and self.touches(at) and self.text(at - 1) in ("π", "φ", ")"):
            return "implicit", at
        return "", at

    def _word_operator(self, at: int, text: str, left: Value) -> tuple[str, int]:
        word = text.lower()
        if word == "x" and at + 1 < len(self.tokens) and self.tokens[at + 1].kind != "op":
            if self.tokens[at + 1].kind == "num" or self.touches(at + 1) or self._constant(at + 1):
                return "*", at + 1
            return "", at
        if word == "x" and self.text(at + 1) in ("(", "-", "√", FRACTION, "{"):
            return "*", at + 1
        if word == "times":
            return "*", at + 1
        if word in ("multiplied", "divided") and self.word(at + 1) == "by":
            return ("*" if word == "multiplied" else "/"), at + 2
        if word == "over" and self.tokens[at - 1].kind == "num":
            return "/", at + 1
        if word in ("sqrt", "square") and self._root(at) is not None and word == "sqrt":
            return "implicit", at
        constant = self._constant(at)
        if constant is None:
            return "", at
        single = len(text) == 1 and text.isascii()
        if single and not self.touches(at) and not constant.symbol:
            last = at + 1 == len(self.tokens) or self.tokens[at + 1].text in (".", ",", "\n", ")", "}")
            return ("implicit", at) if text == "i" and last else ("", at)
        return "implicit", at

    def _constant(self, at: int) -> Constant | None:
        text = self.text(at)
        found = self.constants.get(text)
        if found is None and len(text) > 1:
            found = self.constants.get(text.lower())
        return found

    def _signed(self, at: int) -> tuple[Value, int]:
        self._step()
        text = self.text(at)
        negative = text == "-" or self.word(at) in ("minus", "negative")
        if negative or text == "+" or self.word(at) == "positive":
            self._depth += 1
            try:
                value, after = self._signed(at + 1)
            finally:
                self._depth -= 1
            if negative:
                return revalued(value, ar.negate(value.new), ar.negate(value.old)), after
            return value, after
        return self._power(at)

    def _power(self, at: int) -> tuple[Value, int]:
        base, at = self._primary(at)
        while True:
            text = self.text(at)
            word = self.word(at)
            if text == "^":
                after = at + 1
            elif word in ("squared", "cubed"):
                n = Value(Z(Decimal(2 if word == "squared" else 3)), Z(Decimal(2 if word == "squared" else 3)))
                base, at = self._raise(base, n), at + 1
                continue
            elif word == "to" and self.word(at + 1) == "the":
                spoken = spoken_exponent(self, at + 2, ten=base.new.re == 10)
                if spoken is None:
                    return base, at
                n = Value(Z(Decimal(spoken[0])), Z(Decimal(spoken[0])))
                base, at = self._raise(base, n), spoken[1]
                continue
            else:
                return base, at
            self._depth += 1
            try:
                exponent, after = self._exponent(after)
                base, at = self._raise(base, exponent), after
            finally:
                self._depth -= 1

    def _signed_primary(self, at: int) -> tuple[Value, int]:
        negative = self.text(at) in ("-", "–") or self.word(at) in ("minus", "negative")
        value, after = self._primary(at + 1 if negative or self.text(at) == "+" else at)
        if negative:
            value = revalued(value, ar.negate(value.new), ar.negate(value.old))
        return value, after

    def _exponent(self, at: int) -> tuple[Value, int]:
        self._step()
        value, after = self._signed_primary(at)
        if self.text(after) == "^":  # a tower: right to left
            self._depth += 1
            try:
                upper, after = self._exponent(after + 1)
            finally:
                self._depth -= 1
            return self._raise(value, upper), after
        return value, after

    def _raise(self, base: Value, exponent: Value) -> Value:
        if exponent.new.re.as_tuple().exponent != 0:
            self.steps += FRACTIONAL_POWER
        new, old = ar.power(base.new, exponent.new), ar.power(base.old, exponent.old)
        symbol = base.symbol or exponent.symbol
        numeral = base.numeral or exponent.numeral
        return Value(new, old, symbol, numeral, symbol or not base.integer or exponent.product, base.symbol)

    def _primary(self, at: int) -> tuple[Value, int]:
        self._step()
        if at >= len(self.tokens):
            raise UnreadableError("end")
        token = self.tokens[at]
        if token.kind == "num":
            return self._number(at)
        text = token.text
        if text in ("(", "{"):
            return self._group(at)
        if text == FRACTION:
            return self._fraction(at)
        root = self._root(at)
        if root is not None:
            return root
        if text == "∞":
            infinity = self.constants.get(text, Constant(ar.INFINITE, ar.INFINITE))
            return Value(infinity.new, infinity.old, infinity.symbol), at + 1
        if token.kind != "word":
            raise UnreadableError("no operand")
        if text == "exp" and self.text(at + 1) == "(":
            inner, after = self._group(at + 1)
            e = self.constants["e"]
            return self._raise(Value(e.new, e.old, e.symbol), inner), after
        constant = self._constant(at)
        if constant is not None:
            return Value(constant.new, constant.old, constant.symbol), at + 1
        if token.text.lower() in STARTERS:
            words = read_words(self.tokens, at)
            if words is not None:
                z = Z(words[0])
                whole = words[0] == words[0].to_integral_value()
                return Value(z, z, numeral=True, integer=whole, worded=True), words[1]
        raise UnreadableError("a word")

    def _group(self, at: int) -> tuple[Value, int]:
        close = ")" if self.text(at) == "(" else "}"
        self._depth += 1
        try:
            value, after = self._sum(at + 1)
            if self.text(after) == "±":  # (4.14 ± 0.05) × 10^-34
                _, after = self._sum(after + 1)
        finally:
            self._depth -= 1
        if self.text(after) != close:
            raise UnreadableError("open bracket")
        return Value(value.new, value.old, value.symbol, value.numeral, value.product, value.powered), after + 1

    def _fraction(self, at: int) -> tuple[Value, int]:
        token = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if token is not None and token.plain_int and len(token.text) == 2 and token.text[1] != "0":  # a bare \frac12
            z = Z(Decimal(token.text[0]) / Decimal(token.text[1]))
            return Value(z, z, numeral=True, product=True), at + 2
        upper, after = self._argument(at + 1)
        lower, after = self._argument(after)
        value = joined(upper, lower, ar.divide(upper.new, lower.new), ar.divide(upper.old, lower.old))
        return value, after

    def _argument(self, at: int) -> tuple[Value, int]:
        r"""A LaTeX argument: a group, or one digit or name (``\\frac12``)."""
        if self.text(at) == "{":
            return self._group(at)
        token = self.tokens[at] if at < len(self.tokens) else None
        if token is not None and token.kind == "num" and token.plain_int and len(token.text) == 1:
            return self._number(at)
        if token is not None and token.kind == "word" and self._constant(at):
            return self._primary(at)
        raise UnreadableError("no argument")

    def _root(self, at: int) -> tuple[Value, int] | None:
        text = self.text(at)
        word = self.word(at)
        degree = Decimal(2)
        if text == "√":
            after = at + 1
            if self.text(after) == "[" and self.text(after + 2) == "]" and self.tokens[after + 1].value:
                degree = self.tokens[after + 1].value or degree
                after += 3
        elif text == "∛":
            degree, after = Decimal(3), at + 1
        elif word == "sqrt":
            after = at + 1
        elif word in ("square", "squared", "cube") and self.word(at + 1) == "root" and self.word(at + 2) == "of":
            degree = Decimal(3) if word == "cube" else degree
            after = at + 3
        else:
            return None
        self._depth += 1
        try:
            value, after = self._root_operand(after)
        finally:
            self._depth -= 1
        if self.root2 is not None and degree == 2 and value.integer and value.new.re == 2:
            return Value(self.root2.new, self.root2.old, symbol=True), after
        if degree == 2:
            new, old = ar.square_root(value.new), ar.square_root(value.old)
        else:
            self.steps += FRACTIONAL_POWER
            inverse = Z(ar.ONE / degree)
            new, old = ar.power(value.new, inverse), ar.power(value.old, inverse)
        return Value(new, old, value.symbol, value.numeral, True, value.symbol), after

    def _root_operand(self, at: int) -> tuple[Value, int]:
        if self.text(at) in ("(", "{"):
            inner, after = self._group(at)
            plain = after == at + 3 and self.tokens[at + 1].plain_int
            return (Value(inner.new, inner.old, numeral=True, integer=True) if plain else inner), after
        if self.text(at) == "-":
            value, after = self._primary(at + 1)
            return revalued(value, ar.negate(value.new), ar.negate(value.old)), after
        return self._primary(at)

    def _number(self, at: int) -> tuple[Value, int]:
        token = self.tokens[at]
        assert token.value is not None
        value = token.value
        z = Z(value)
        after = at + 1
        mixed = self._mixed(at) if token.plain_int else None
        if mixed is not None:
            return mixed
        if self.text(after) == "%" or self.word(after) in ("percent", "pct"):
            z = Z(value / 100)
            return Value(z, z, numeral=True), after + 1
        if self.word(after) in ("per",) and self.word(after + 1) == "cent":
            z = Z(value / 100)
            return Value(z, z, numeral=True), after + 2
        scientific = times_ten(self, after)
        if scientific is not None:
            z = ar.multiply(z, Z(scientific[0]))
            return Value(z, z, numeral=True), scientific[1]
        scaled = False
        while (power := scale(self.word(after))) is not None and after - at < 4:
            z = ar.multiply(z, Z(Decimal(10) ** power))
            after += 1
            scaled = True
        if scaled:
            return Value(z, z, numeral=True), after
        half, after = and_a_half(self.tokens, after)
        z = Z(z.re + half)
        return Value(z, z, numeral=True, integer=token.plain_int and not half), after

    def _mixed(self, at: int) -> tuple[Value, int] | None:
        r"""``3 1/2`` and ``3\\frac{1}{2}`` are three and a half."""
        tokens = self.tokens
        whole = tokens[at].value or ar.ZERO
        if self.word(at + 1) == "and" and self.text(at + 3) == "/":
            at += 1
        following = tokens[at + 1 : at + 4]
        if len(following) == 3 and following[1].text == "/" and following[0].plain_int and following[2].plain_int:
            over, under = following[0].value or ar.ZERO, following[2].value or ar.ZERO
            if 0 < over < under and tokens[at + 1].start > tokens[at].end:
                z = Z(whole + over / under)
                return Value(z, z, numeral=True), at + 4
        if self.text(at + 1) == FRACTION:
            try:
                value, after = self._fraction(at + 1)
            except UnreadableError:
                return None
            if not value.symbol and 0 < value.new.re < 1 and not value.powered and self._plain_fraction(at + 1):
                z = Z(whole + value.new.re)
                return Value(z, z, numeral=True), after
        return None

    def _plain_fraction(self, at: int) -> bool:
        return all(token.kind != "word" and token.text not in "√^*" for token in self.tokens[at + 1 : at + 7])
