"""Log lines."""

import json
import logging

import pytest

from podgrouper.cli.logs import LONGEST_MESSAGE, Json, Text


def record(message: str, **values: object) -> logging.LogRecord:
    return logging.makeLogRecord(
        {"msg": message, "levelname": "INFO", "created": 0.0, "msecs": 5.0, **values}
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(record("ready"), "1970-01-01T00:00:00.005Z INFO ready", id="a message"),
        pytest.param(
            record("linked", pod="a/b"), "1970-01-01T00:00:00.005Z INFO linked pod=a/b", id="with a value"
        ),
        pytest.param(
            record("x\ny", pod="a\nb"),
            r'1970-01-01T00:00:00.005Z INFO x\ny pod="a\nb"',
            id="nobody forges a line",
        ),
        pytest.param(
            record("a\u0085b\x1b[2J\u2028"),
            r"1970-01-01T00:00:00.005Z INFO a\x85b\x1b[2J\u2028",
            id="nor speaks to the terminal",
        ),
        pytest.param(
            record("x" * 1_000_000),
            f"1970-01-01T00:00:00.005Z INFO {'x' * LONGEST_MESSAGE}…",
            id="a line has an end",
        ),
    ],
)
def test_a_line_for_people(given, expected):
    assert Text().format(given) == expected


def test_a_line_for_machines_is_one_object():
    line = Json().format(record("x\ny", pod="a/b", logger="z"))

    assert "\n" not in line
    assert json.loads(line)["message"] == "x\ny"
    assert json.loads(line)["pod"] == "a/b"


def test_a_line_for_machines_has_an_end():
    line = Json().format(record("x" * 1_000_000))

    assert json.loads(line)["message"] == f"{'x' * LONGEST_MESSAGE}…"


def test_an_exception_is_in_the_line():
    error = ValueError("why")

    line = json.loads(Json().format(record("failed", exc_info=(ValueError, error, None))))

    assert "ValueError: why" in line["trace"]
