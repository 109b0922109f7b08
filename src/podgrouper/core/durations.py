"""Durations as Go reads and prints them: `1h30m`, `.5s`, `0`. Exact, in nanoseconds."""

import re

UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # the micro sign, which Go prints
    "μs": 1_000,  # the Greek letter, which Go reads as well
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
SECOND, MINUTE, HOUR = UNITS["s"], UNITS["m"], UNITS["h"]
LARGEST = 2**63 - 1
LONGEST_TEXT = 100
"""No sensible duration is longer; it keeps a megabyte of digits from costing anything."""

_TERM = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")


def parse_duration(text: str) -> int | None:
    """Nanoseconds; None when Go would not read it, or not in 64 bits."""
    if len(text) > LONGEST_TEXT:
        return None
    sign, rest = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    if rest == "0":
        return 0
    total, at = 0, 0
    while at < len(rest):
        term = _TERM.match(rest, at)
        if term is None or not (term[1] or term[2]):
            return None
        total += _nanoseconds(term[1], term[2] or "", UNITS[term[3]])
        at = term.end()
    return sign * total if rest and total <= LARGEST else None


def canonical(nanoseconds: int) -> str:
    """As Go prints it, and so as the API server would show it: `5m0s`, `500ms`, `2h45m30.25s`."""
    sign, size = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if size == 0:
        return "0s"
    if size < SECOND:
        unit = next(unit for unit in ("ms", "µs", "ns") if size >= UNITS[unit])
        return f"{sign}{_decimal(size, UNITS[unit])}{unit}"
    hours, minutes = size // HOUR, size % HOUR // MINUTE
    shown = f"{_decimal(size % MINUTE, SECOND)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{shown}"
    return f"{sign}{minutes}m{shown}" if minutes else f"{sign}{shown}"


def _nanoseconds(whole: str, fraction: str, unit: int) -> int:
    """Truncated: what is smaller than a nanosecond does not exist."""
    scale: int = 10 ** len(fraction)
    return int(whole or "0") * unit + int(fraction or "0") * unit // scale


def _decimal(size: int, unit: int) -> str:
    whole, rest = divmod(size, unit)
    digits = str(rest).zfill(len(str(unit)) - 1).rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
