"""The configuration file: from its text to a `Config`, or everything that is wrong with it at once."""

from collections.abc import Iterator
from typing import TypeAlias

from podgrouper.config import words
from podgrouper.config.documents import read_documents
from podgrouper.config.leading import LEADER_ELECTION
from podgrouper.config.model import Config, LogFormat, LogLevel
from podgrouper.config.profiles import BUILT_IN_AS_WRITTEN, PROFILES, overlaps
from podgrouper.config.sections import Field, Section, Values, joined
from podgrouper.config.shapes import Bad, Count, ListOf, Number, Optional
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

Findings: TypeAlias = tuple[Finding, ...]
Limit: TypeAlias = tuple[float | None, int | None]
Logging: TypeAlias = tuple[LogLevel, LogFormat]

_USUAL = Config()
QPS = Field(
    "qps",
    Optional(Number(), "the pace that the API server's answers allow"),
    "Requests per second that are never exceeded.",
)
BURST = Field(
    "burst",
    Optional(Count(), "as many as a second allows"),
    "Requests that may be made at once before `qps` counts.",
)


def _burst_needs_qps(section: Json, path: str) -> Iterator[Finding]:
    if section.get(BURST.key) is not None and section.get(QPS.key) is None:
        yield Finding(joined(path, BURST.key), f"this means nothing without `{QPS.key}`: give both")


KUBE_API: Section[Limit] = Section(
    (QPS, BURST), lambda values: (values[QPS], values[BURST]), _burst_needs_qps
)
LOG_LEVEL = Field("level", words.LOG_LEVEL, "The least important lines to write.", _USUAL.log_level)
LOG_FORMAT = Field("format", words.LOG_FORMAT, "For people, or for machines.", _USUAL.log_format)
LOG: Section[Logging] = Section(
    (LOG_LEVEL, LOG_FORMAT), lambda values: (values[LOG_LEVEL], values[LOG_FORMAT])
)

_PROFILES = Field("profiles", PROFILES, "Which pods are grouped, and how.", BUILT_IN_AS_WRITTEN)
NAMESPACES = Field(
    "namespaces", ListOf(words.NAMESPACE, "namespaces"), "Only these namespaces; empty: all of them.", []
)
_SKIP_ANNOTATION = Field(
    "skipAnnotation",
    words.LABEL_KEY,
    "The annotation that, with the value `true`, opts a pod or a whole workload out.",
    _USUAL.skip_annotation,
)
_KUBE_API = Field("kubeApi", KUBE_API, "How much the API server is asked.", {})
_LOG = Field("log", LOG, "What is logged to standard error.", {})
_LEADER_ELECTION = Field("leaderElection", LEADER_ELECTION, "How replicas agree on one that writes.", {})
HEALTH_ADDRESS = Field(
    "healthAddress",
    words.ADDRESS,
    "Where /healthz, /readyz and /metrics are served.",
    _USUAL.health_address,
)


def _config(values: Values) -> Config:
    qps, burst = values[_KUBE_API]
    level, style = values[_LOG]
    return Config(
        profiles=values[_PROFILES],
        namespaces=values[NAMESPACES],
        skip_annotation=values[_SKIP_ANNOTATION],
        kube_api_qps=qps,
        kube_api_burst=burst,
        log_level=level,
        log_format=style,
        leader_election=values[_LEADER_ELECTION],
        health_address=values[HEALTH_ADDRESS],
    )


PROGRAM: Section[Config] = Section(
    (_PROFILES, NAMESPACES, _SKIP_ANNOTATION, _KUBE_API, _LOG, _LEADER_ELECTION, HEALTH_ADDRESS),
    _config,
    overlaps,
)


def parse_config(text: str) -> Config | Findings:
    """The configuration that a file says; what it leaves out is as in `Config()`. Never raises."""
    read = read_documents(text)
    if read.findings:
        return read.findings
    if len(read.values) > 1:
        return (Finding("", f"there are {len(read.values)} documents in it: keep one"),)
    config = PROGRAM.read(read.values[0] if read.values else {}, "")
    return config.findings if isinstance(config, Bad) else config.value


def json_schema() -> Json:
    """JSON schema (2020-12) of the file, for editors. What no schema can say, `check config` says."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "podgrouper configuration",
        **PROGRAM.schema(),
    }
