"""Flags about what is done for groups once they are made. They hold for every profile that is chosen."""

from dataclasses import replace
from datetime import timedelta

from podgrouper.config import words
from podgrouper.config.flags.rows import Numeral, Row, in_all, sets
from podgrouper.config.model import ProfileConfig, RecoverName, WriteStatusName
from podgrouper.config.shapes import Count
from podgrouper.core.recovery import Recover


def _status(profile: ProfileConfig, who: WriteStatusName) -> ProfileConfig:
    return replace(profile, write_status=who)


def _recover(profile: ProfileConfig, mode: RecoverName) -> ProfileConfig:
    return replace(profile, recovery=replace(profile.recovery, mode=Recover(mode)))


def _after(profile: ProfileConfig, seconds: int) -> ProfileConfig:
    return replace(profile, recovery=replace(profile.recovery, after=timedelta(seconds=seconds)))


def _per_hour(profile: ProfileConfig, restarts: int) -> ProfileConfig:
    return replace(profile, recovery=replace(profile.recovery, per_hour=restarts))


UPKEEP = (
    Row(
        "--write-status",
        "|".join(words.WRITE_STATUSES),
        "Whether the status of PodGroups is written: always where no scheduler does.  [default: never]",
        sets(words.WRITE_STATUS, in_all(_status)),
    ),
    Row(
        "--recover",
        "|".join(words.RECOVERIES),
        "Which broken gangs are started anew by evicting their members.  [default: never]",
        sets(words.RECOVER, in_all(_recover)),
    ),
    Row(
        "--recover-after",
        "SECONDS",
        "So long a gang is broken before that.  [default: 300]",
        sets(Numeral(Count()), in_all(_after)),
    ),
    Row(
        "--restarts-per-hour",
        "NUMBER",
        "Restarts of one gang within an hour, at most.  [default: 3]",
        sets(Numeral(Count()), in_all(_per_hour)),
    ),
)
