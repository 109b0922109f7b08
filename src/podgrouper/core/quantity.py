"""Kubernetes quantities (`resource.Quantity`), exact: `500m` + `500m` = `1`, `480Mi` × 3 = `1440Mi`.

A quantity is a whole number of nanos and the family of suffixes in which it was written. Two
quantities are equal when their values are, whatever the family; printing is canonical, as the API
server prints: no fraction, the largest suffix that leaves a whole number.
"""

import re
from dataclasses import dataclass, field
from enum import Enum

NANOS = 10**9
LARGEST_BINARY = (2**63 - 1) * NANOS
"""A number with a binary suffix is cut here when it is read; others and sums are not."""
LONGEST_TEXT = 200
LARGEST_EXPONENT = 200
"""The API has no such limits. Beyond them we read nothing: `1e999999999` alone would be a gigabyte."""


class Format(Enum):
    """The family of suffixes that a quantity is printed with."""

    DECIMAL = "1500m, 12k"
    BINARY = "512Mi"
    EXPONENT = "12e6"


DECIMAL_POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
DECIMAL_SUFFIXES = {power: suffix for suffix, power in DECIMAL_POWERS.items()}
BINARY_SUFFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")

_GRAMMAR = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]*))?|\.(?P<only_part>[0-9]+))"
    r"(?:(?P<binary>[KMGTPE]i)|(?P<decimal>[numkMGTPE]?)|[eE](?P<exponent>[+-]?[0-9]+))"
)


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An amount of a resource. Compared by value alone."""

    nanos: int
    format: Format = field(default=Format.DECIMAL, compare=False)

    def __add__(self, other: "Quantity") -> "Quantity":
        """Keeps the format of the first operand that is not zero, as the API does."""
        return Quantity(self.nanos + other.nanos, self.format if self.nanos else other.format)

    def __mul__(self, times: int) -> "Quantity":
        """As adding it up that many times, but a gang of two billion costs one multiplication."""
        return Quantity(self.nanos * times, self.format)

    def __str__(self) -> str:
        """Canonical. Small or broken binary amounts are printed as decimal ones: nothing is rounded."""
        if self.format is Format.BINARY and abs(self.nanos) >= 1024 * NANOS and self.nanos % NANOS == 0:
            return _binary(self.nanos // NANOS)
        return _decimal(self.nanos, self.format)


ZERO = Quantity(0)


def parse(value: object) -> Quantity | None:
    """The quantity that a text or a JSON number stands for; None when it is none. Never raises.

    More digits than nano holds are rounded away from zero: who asks for a little gets a little.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**LARGEST_EXPONENT else ""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return None
    found = _GRAMMAR.fullmatch(value)
    return _read(found) if found else None


def _read(found: re.Match[str]) -> Quantity | None:
    part = found["part"] or found["only_part"] or ""
    digits = int((found["whole"] or "") + part)
    sign = -1 if found["sign"] == "-" else 1
    if found["binary"]:
        factor = 1024 ** BINARY_SUFFIXES.index(found["binary"])
        nanos = min(_up(digits * factor * NANOS, len(part)), LARGEST_BINARY)
        # Below one the API forgets the family: it would have to round.
        family = Format.DECIMAL if 0 < nanos < NANOS else Format.BINARY
        return Quantity(sign * nanos, family)
    if found["exponent"] is None:
        power, family = DECIMAL_POWERS[found["decimal"]], Format.DECIMAL
    else:
        power, family = int(found["exponent"]), Format.EXPONENT
    if power > LARGEST_EXPONENT:
        return None
    # Digits below 10^-9 only round up, so how far below does not matter.
    below_nano = min(len(part) - 9 - power, 2 * LONGEST_TEXT)
    return Quantity(sign * _up(digits, below_nano), family)


def _up(digits: int, places: int) -> int:
    """`digits` without their last `places` decimal places, rounded up; negative places are added as zeros."""
    scale: int = 10 ** abs(places)
    return -(-digits // scale) if places > 0 else digits * scale


def _decimal(nanos: int, family: Format) -> str:
    """Powers are multiples of three; beyond the last suffix the number grows."""
    number, power = nanos, -9
    while number and number % 1000 == 0 and (power < 18 or family is Format.EXPONENT):
        number, power = number // 1000, power + 3
    if not number:
        return "0"
    if family is Format.EXPONENT:
        return f"{number}e{power}" if power else str(number)
    return f"{number}{DECIMAL_SUFFIXES[power]}"


def _binary(number: int) -> str:
    power = 0
    while number % 1024 == 0 and power < len(BINARY_SUFFIXES) - 1:
        number, power = number // 1024, power + 1
    return f"{number}{BINARY_SUFFIXES[power]}"
