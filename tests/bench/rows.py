"""Figures for tests."""

from bench.figures import Figure, Limit
from bench.results import Result


def figure(value: float = 1.5, **more) -> Figure:
    asked = {"scenario": "backlog", "profile": "kai", "name": "CPU per linked pod", "unit": "µs"}
    spread = {"low": value, "high": value, "limit": Limit(1.6)}
    return Figure(**{**asked, "value": value, **spread, **more})


def result(*figures: Figure, commit: str = "abc1234") -> Result:
    return Result("2026-01-02", commit, "full", "2 cores", figures)
