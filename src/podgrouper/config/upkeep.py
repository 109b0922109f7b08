"""The part of a profile that says what is done for groups once they are made."""

from datetime import timedelta

from podgrouper.config import words
from podgrouper.config.model import RecoverName, WriteStatusName
from podgrouper.config.sections import Field, Values
from podgrouper.config.shapes import Count
from podgrouper.core.recovery import Recover, Recovery

_USUAL = Recovery()
WRITE_STATUS: Field[WriteStatusName] = Field(
    "writeStatus",
    words.WRITE_STATUS,
    "Whether podgrouper writes the status of PodGroups: `always` where no scheduler does.",
    "never",
)
RECOVER: Field[RecoverName] = Field(
    "recover",
    words.RECOVER,
    "Which gangs are started anew when they break: none, those whose workload has the annotation "
    "`podgrouper.io/recover: restart`, or all but those that have `podgrouper.io/recover: never`.",
    "never",
)
AFTER = Field(
    "recoverAfterSeconds",
    Count(),
    "So long a group is Unknown before its live members are evicted, and so long each restart is given.",
    int(_USUAL.after.total_seconds()),
)
PER_HOUR = Field(
    "restartsPerHour", Count(), "How often one group is started anew within an hour.", _USUAL.per_hour
)
UPKEEP: tuple[Field[object], ...] = (WRITE_STATUS, RECOVER, AFTER, PER_HOUR)


def recovery(values: Values) -> Recovery:
    after = timedelta(seconds=values[AFTER])
    return Recovery(Recover(values[RECOVER]), after, values[PER_HOUR])
