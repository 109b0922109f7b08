"""Log lines on standard error, for people or for machines."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final

from podgrouper.config.model import LogFormat, LogLevel

USUAL: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; anything else was said by whoever logged."""
LONGEST_MESSAGE = 4096
"""Characters. An owner reference may hold a name of a megabyte."""


def set_up(level: LogLevel, form: LogFormat) -> None:
    """From now on everything at this level and above is written, a line for each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FORMATTERS[form]())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())


class Text(logging.Formatter):
    """`2026-01-31T12:00:00Z INFO linked pod=a/b`: what was said, then its values."""

    def format(self, record: logging.LogRecord) -> str:
        values = "".join(f" {key}={_short(value)}" for key, value in _said(record).items())
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        message = "".join(map(_visible, _cut(record.getMessage())))
        return f"{_time(record)} {record.levelname} {message}{values}{trace}"


class Json(logging.Formatter):
    """One object on a line, with the values as keys of their own."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _cut(record.getMessage()),
            **_said(record),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True, default=str)


FORMATTERS: Final = {"text": Text, "json": Json}


def _said(record: logging.LogRecord) -> dict[str, object]:
    return {key: value for key, value in vars(record).items() if key not in USUAL}


def _cut(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"


def _visible(character: str) -> str:
    """A name may hold what ends a line, or speaks to a terminal."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _short(value: object) -> str:
    """Quoted where it would not read as one word: nobody can forge a line by a name with a newline in it."""
    text = str(value)
    return text if text and text.isprintable() and " " not in text else json.dumps(text)


def _time(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03}Z"
