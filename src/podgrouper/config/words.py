"""The single values that a configuration is made of, and what each of them accepts."""

from podgrouper.config.label_selectors import LabelSelector
from podgrouper.config.model import (
    DialectName,
    LogFormat,
    LogLevel,
    NoMatch,
    PolicyName,
    RecoverName,
    WriteStatusName,
)
from podgrouper.config.shapes import Choice, ListOf, Text

_NAME = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_LABEL_KEY = rf"({_NAME}(\.{_NAME})*/)?{_LABEL_NAME}"
NAMESPACE = Text("the name of a namespace", _NAME, 63)
OPTIONAL_NAMESPACE = Text("the name of a namespace, or an empty text for none", rf"({_NAME})?", 63)
OBJECT_NAME = Text("the name of an object", rf"{_NAME}(\.{_NAME})*", 253)
OPTIONAL_OBJECT_NAME = Text(
    "the name of an object, or an empty text for none", rf"({_NAME}(\.{_NAME})*)?", 253
)
OPTIONAL_CONFIG_MAP = Text(
    "NAMESPACE/NAME of a ConfigMap, or an empty text for none", rf"({_NAME}/{_NAME}(\.{_NAME})*)?", 317
)
CONFIG_MAP_KEY = Text("a key of a ConfigMap", r"[-._a-zA-Z0-9]+", 253)
LABEL_KEY = Text("a label key, as in `example.com/queue`", _LABEL_KEY, 317)
OPTIONAL_LABEL_KEY = Text("a label key, or an empty text for none", rf"({_LABEL_KEY})?", 317)
LABEL_VALUE = Text("a label value (a number in quotes)", rf"({_LABEL_NAME})?", 63)
SELECTOR = LabelSelector(LABEL_KEY, LABEL_VALUE)
PLUGIN = Text("the path of a Python file, a module or module:Class", r"[^\x00-\x1f]+", 4096)
SCHEDULER = Text("a scheduler name, as pods have it in spec.schedulerName", _LABEL_NAME, 253)
SCHEDULERS = ListOf(SCHEDULER, "scheduler names", at_least_one=True)
PROFILE_NAME = Text("a name of small letters, digits and dashes", _NAME, 63)
POLICIES: tuple[PolicyName, ...] = ("volcano", "kai")
POLICY = Choice(POLICIES)
DIALECTS: tuple[DialectName, ...] = ("volcano", "kai")
DIALECT = Choice(DIALECTS)
NO_MATCHES: tuple[NoMatch, ...] = ("controller", "root")
NO_MATCH = Choice(NO_MATCHES)
WRITE_STATUSES: tuple[WriteStatusName, ...] = ("never", "always")
WRITE_STATUS = Choice(WRITE_STATUSES)
RECOVERIES: tuple[RecoverName, ...] = ("never", "annotated", "restart")
RECOVER = Choice(RECOVERIES)
LOG_LEVELS: tuple[LogLevel, ...] = ("debug", "info", "warning", "error")
LOG_LEVEL = Choice(LOG_LEVELS)
LOG_FORMATS: tuple[LogFormat, ...] = ("text", "json")
LOG_FORMAT = Choice(LOG_FORMATS)
ADDRESS = Text(
    "host:port, :port for every address, or an empty text for no server",
    r"((\[[0-9A-Fa-f:.%]+\]|[-A-Za-z0-9_.]*):[0-9]{1,5})?",
)
SCHEDULERS_OF: dict[str, tuple[str, ...]] = {"volcano": ("volcano",), "kai": ("kai-scheduler",)}
"""Dialect -> the names that its scheduler goes by when it is installed as its makers say."""
