"""A value against the references: relative, the nearer wins, signs count, zero only matches zero."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.arithmetic import Z
from pytest_redefine.grading.constants import reference
from pytest_redefine.grading.conversion import Linear, conversion
from pytest_redefine.grading.outcome import Category
from pytest_redefine.grading.unit_reader import unit_of
from pytest_redefine.grading.units import Unit

_FAR: Final = Decimal("Infinity")


class Part(NamedTuple):
    """A number with its unit; an answer has several only where it is composite (4 min 10 s)."""

    new: Z
    old: Z
    unit: Unit | None


class Readings(NamedTuple):
    """An answer in the unit asked for, under the redefinition and in the ordinary world."""

    new: Z
    old: Z
    mismatch: bool = False
    """Its unit is of another dimension."""

    @property
    def same(self) -> bool:
        return self.new == self.old or (_not_a_number(self.new) and _not_a_number(self.old))


class Verdict(NamedTuple):
    """What a value is, before anything is known of the text around it."""

    category: Category
    detail: str = ""
    error: Decimal | None = None

    @property
    def matches(self) -> bool:
        return self.category in ("correct", "anchored")


@dataclass(frozen=True, slots=True)
class References:
    """The references of a case as numbers."""

    expected: Z | None
    defaults: tuple[Z, ...]
    undecidable: tuple[Z, ...]
    tolerance: Decimal
    digit: bool
    indistinct: bool
    infinite: bool
    """A reference is infinity or "no value"."""

    @classmethod
    def of(cls, truth: Truth) -> References:
        expected = reference(truth.expected)
        default = None if truth.default is None else reference(truth.default)
        others = (reference(text) for text in truth.also_default)
        defaults = tuple(z for z in (default, *others) if z is not None)
        tolerance = Decimal(repr(truth.tolerance))
        same = False
        if expected is not None and default is not None:
            same = error(expected, default) <= tolerance and error(default, expected) <= tolerance
        return cls(
            expected,
            defaults,
            tuple(z for z in map(reference, truth.undecidable) if z is not None),
            tolerance,
            truth.kind == "digit",
            truth.indistinct or (same and truth.kind != "digit") or (expected == default is not None),
            any(z.re.is_infinite() for z in (expected, *defaults) if z is not None),
        )


def error(value: Z, ref: Z | None) -> Decimal:
    """|value - ref| / |ref|; infinite where the two cannot match."""
    if ref is None or _not_a_number(value):
        return _FAR
    if not ar.finite(ref) or not ar.finite(value):
        return ar.ZERO if value == ref else _FAR
    if value == ref:
        return ar.ZERO
    size = ar.modulus(ref)
    if not size:
        return _FAR
    return ar.modulus(Z(value.re - ref.re, value.im - ref.im)) / size


def _not_a_number(z: Z) -> bool:
    return z.re.is_nan() or z.im.is_nan()


def readings(parts: tuple[Part, ...], truth: Truth) -> Readings:
    """The parts as one number in the unit asked for, under either registry."""
    asked = unit_of(truth.unit) if truth.unit else Unit(())
    if truth.kind == "digit" or asked is None:
        return Readings(parts[0].new, parts[0].old)
    new, old = Z(ar.ZERO), Z(ar.ZERO)
    for part in parts:
        linear = _conversions(part.unit, asked, truth)
        if linear is None:
            return Readings(parts[0].new, parts[0].old, mismatch=True)
        new, old = _add(new, _apply(part.new, linear[0])), _add(old, _apply(part.old, linear[1]))
    return Readings(new, old)


def _add(a: Z, b: Z) -> Z:
    return b if not a.re and not a.im else Z(a.re + b.re, a.im + b.im)


def _apply(z: Z, linear: Linear) -> Z:
    if linear.scale == 1 and not linear.offset:
        return z
    return Z(z.re * linear.scale + linear.offset, z.im * linear.scale if z.im else z.im)


_SAME: Final = Linear(Decimal(1), Decimal(0))


def _conversions(unit: Unit | None, asked: Unit, truth: Truth) -> tuple[Linear, Linear] | None:
    """Into the asked unit under the redefinition and in the ordinary world."""
    if unit is None or unit.factors == asked.factors or not unit.factors:
        return _SAME, _SAME
    if not asked.factors and all(name == "mole" for _, name, _ in unit.factors):
        return _SAME, _SAME  # a count may be said per mole
    targets = [asked, *(other for other in map(unit_of, truth.also_units) if other is not None)]
    for target in targets:
        for factors in (unit.factors, unit.loose):
            if factors:
                new = conversion(factors, target.factors, truth.unit_redefinition)
                old = new if truth.unit_redefinition is None else conversion(factors, target.factors, None)
                if new is not None and old is not None:
                    return new, old
    return None


def same_dimension(unit: Unit, asked: Unit, truth: Truth) -> bool:
    """Whether a unit could be the one asked for."""
    return _conversions(unit, asked, truth) is not None


def judge(values: Readings, refs: References, *, imaginary: bool = False, symbol: bool = False) -> Verdict:
    """What an answer with these readings is.

    Args:
        values: The answer under either reading.
        refs: What it is compared with.
        imaginary: The redefined symbol is i and stands in the answer as in a+bi: read with the ordinary i, and as
            redefined only where that fits neither reference.
        symbol: The redefined symbol stands in the answer.
    """
    if values.mismatch:
        return Verdict("wrong", "unit")
    if imaginary:
        ordinary = _single(values.old, refs)
        if ordinary.matches:
            return ordinary
        off = error(values.new, refs.expected)
        return Verdict("correct", "", off) if off <= refs.tolerance else ordinary
    if values.same and not (symbol and not refs.defaults):
        return _single(values.new, refs)
    off_new, off_old = error(values.new, refs.expected), _nearest(values.old, refs.defaults)
    fits_new, fits_old = off_new <= refs.tolerance, off_old <= refs.tolerance
    if refs.digit:
        fits_new, fits_old = off_new == 0, off_old == 0
    if fits_new and refs.indistinct:
        return Verdict("correct", "", off_new)
    if fits_new and (fits_old or not refs.defaults):
        return Verdict("hedged", "symbolic", off_new)
    if fits_new:
        return Verdict("correct", "", off_new)
    if fits_old:
        return Verdict("anchored", "", off_old)
    sign = min(error(ar.negate(values.new), refs.expected), _nearest(ar.negate(values.old), refs.defaults))
    return _neither(sign, off_new, off_old, refs)


def _single(value: Z, refs: References) -> Verdict:
    off_new, off_old = error(value, refs.expected), _nearest(value, refs.defaults)
    limit = ar.ZERO if refs.digit else refs.tolerance
    if refs.undecidable and _nearest(value, refs.undecidable) <= limit:
        return Verdict("hedged", "undecidable", min(off_new, off_old))
    if min(off_new, off_old) <= limit:
        if refs.indistinct or off_new <= off_old:
            return Verdict("correct", "", min(off_new, off_old))
        return Verdict("anchored", "", off_old)
    opposite = ar.negate(value)
    return _neither(min(error(opposite, refs.expected), _nearest(opposite, refs.defaults)), off_new, off_old, refs)


def _neither(sign: Decimal, off_new: Decimal, off_old: Decimal, refs: References) -> Verdict:
    off: Decimal | None = min(off_new, off_old)
    off = off if off is not None and off.is_finite() else None
    return Verdict("wrong", "sign" if sign <= refs.tolerance else "", off)


def _nearest(value: Z, refs: tuple[Z, ...]) -> Decimal:
    return min((error(value, ref) for ref in refs), default=_FAR)
