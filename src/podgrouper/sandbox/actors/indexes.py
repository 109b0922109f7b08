"""Sets of indexes as a Job writes them: `0-2,5`."""

from collections.abc import Iterable, Iterator


def read(written: str) -> frozenset[int]:
    return frozenset(index for span in written.split(",") if span for index in _span(span))


def written(indexes: Iterable[int]) -> str:
    return ",".join(_spans(sorted(set(indexes))))


def _span(span: str) -> range:
    first, _, last = span.partition("-")
    return range(int(first), int(last or first) + 1)


def _spans(indexes: list[int]) -> Iterator[str]:
    while indexes:
        length = next((n for n, one in enumerate(indexes) if one != indexes[0] + n), len(indexes))
        first, last = indexes[0], indexes[length - 1]
        yield str(first) if first == last else f"{first}-{last}"
        indexes = indexes[length:]
