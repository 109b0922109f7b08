"""Flags that are podgrouper's own and mean the same whatever the profiles are."""

from dataclasses import replace

from podgrouper.config import words
from podgrouper.config.flags.rows import Numeral, Row, sets
from podgrouper.config.program import NAMESPACES
from podgrouper.config.shapes import Count, Number

QPS = "--kube-api-qps"

GENERAL = (
    Row(
        "--namespace",
        "NAME",
        "Only this namespace. Repeatable.  [default: all]",
        sets(NAMESPACES.shape, lambda config, names: replace(config, namespaces=names)),
        repeatable=True,
        short="-n",
    ),
    Row(
        "--log-level",
        "|".join(words.LOG_LEVELS),
        "Least important lines.  [default: info]",
        sets(words.LOG_LEVEL, lambda config, level: replace(config, log_level=level)),
        running=True,
    ),
    Row(
        "--log-format",
        "|".join(words.LOG_FORMATS),
        "For people, or for machines.  [default: text]",
        sets(words.LOG_FORMAT, lambda config, style: replace(config, log_format=style)),
        running=True,
    ),
    Row(
        "--health-address",
        "HOST:PORT",
        "Where /healthz, /readyz and /metrics are served; empty: nowhere.  [default: :8080]",
        sets(words.ADDRESS, lambda config, address: replace(config, health_address=address)),
        running=True,
    ),
    Row(
        QPS,
        "NUMBER",
        "Requests per second, at most.  [default: no limit of ours]",
        sets(Numeral(Number()), lambda config, qps: replace(config, kube_api_qps=qps)),
        running=True,
    ),
    Row(
        "--kube-api-burst",
        "NUMBER",
        f"Requests at once before {QPS} counts.",
        sets(Numeral(Count()), lambda config, burst: replace(config, kube_api_burst=burst)),
        running=True,
        check=lambda config, typed: (
            "" if config.kube_api_qps or QPS in typed else f"this means nothing without {QPS}"
        ),
    ),
)
