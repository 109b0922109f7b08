"""Reason codes are promises: to dashboards, alerts and people's notes."""

import re

import pytest

from podgrouper.core.reasons import HELP, QUIET, Reason

CODES = {
    "OtherScheduler",
    "OptedOut",
    "Finished",
    "NamespaceOutOfScope",
    "LinkedElsewhere",
    "OwnerGone",
    "OwnerLeaving",
    "OwnerForbidden",
    "OwnerKindUnknown",
    "OwnerCycle",
    "OwnersTooDeep",
    "OwnerMalformed",
    "BadValue",
    "PodNotReadable",
    "GrouperFailed",
    "GrouperHung",
    "GroupInvalid",
    "GroupRefused",
    "GroupKindMissing",
    "OwnerNotBlocked",
    "LinkRefused",
    "RightMissing",
    "ChangeReverted",
    "NotExpressible",
    "BadRule",
    "GroupChanged",
    "GroupKept",
    "GroupDeleted",
    "GroupMissing",
    "NoPods",
    "QueueMissing",
    "QueueClosed",
    "QueueOverLimit",
    "TooFewPods",
    "FloorOutOfReach",
    "OrderedStart",
    "RetryParked",
    "MembersFailed",
    "PodsGated",
    "NotEnoughResources",
    "BadBackoff",
    "PriorityMix",
    "NotScheduledYet",
    "GangRestarted",
    "RestartsUsedUp",
    "EvictionRefused",
}
"""Add here what is new. Never rename, never reuse."""


def test_no_code_ever_goes():
    assert {str(reason) for reason in Reason} == CODES


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_every_code_has_one_line_of_help(reason):
    assert re.fullmatch(r"[A-Z].{20,120}\.", HELP[reason])


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_every_code_is_a_reason_as_kubernetes_writes_them(reason):
    assert re.fullmatch(r"([A-Z][a-z]+)+", reason)


def test_no_event_is_made_of_what_somebody_wanted_or_what_passes():
    assert {str(reason) for reason in QUIET} == {
        "OtherScheduler",
        "OptedOut",
        "Finished",
        "LinkedElsewhere",
        "NamespaceOutOfScope",
        "OwnerLeaving",
    }
