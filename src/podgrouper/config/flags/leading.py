"""Flags about leader election, which podgrouper does not do yet: they may be given to say so.

Volcano and KAI elect a leader by default, so people have these flags in their manifests. Nobody is left to
believe that two replicas are safe.
"""

from collections.abc import Collection

from podgrouper.config.flags.rows import Row, Switch, Typed
from podgrouper.config.model import Config
from podgrouper.config.shapes import Bad, Good
from podgrouper.core.rules import Finding

LEADER_ELECT = "--leader-elect"
NONE_YET = "podgrouper does not elect a leader yet: run one replica of it"


def _no_leader(config: Config, typed: Typed, flag: str) -> Good[Config] | Bad:
    read = Switch().read(typed, flag)
    if isinstance(read, Bad):
        return read
    if read.value:
        return Bad((Finding(flag, f"{NONE_YET}, and give {flag}=false"),))
    return Good(config)


def _no_effect(config: Config, _typed: Typed, _flag: str) -> Good[Config] | Bad:
    return Good(config)


def _without_a_leader(_config: Config, typed: Collection[str]) -> str:
    return "" if LEADER_ELECT in typed else f"{NONE_YET}, and remove this or give {LEADER_ELECT}=false"


def _detail(flag: str, metavar: str) -> Row:
    return Row(
        flag,
        metavar,
        f"Accepted beside {LEADER_ELECT}=false, without effect.",
        _no_effect,
        running=True,
        check=_without_a_leader,
    )


LEADING = (
    Row(
        LEADER_ELECT,
        "false",
        "Only false is accepted: no leader is elected yet, so run one replica.  [default: false]",
        _no_leader,
        running=True,
        switch=True,
    ),
    _detail("--leader-elect-lease-duration", "DURATION"),
    _detail("--leader-elect-renew-deadline", "DURATION"),
    _detail("--leader-elect-retry-period", "DURATION"),
    _detail("--leader-elect-resource-lock", "KIND"),
    _detail("--leader-elect-resource-name", "NAME"),
    _detail("--leader-elect-resource-namespace", "NAMESPACE"),
    _detail("--lock-object-namespace", "NAMESPACE"),
)
