"""`docs/reference/volcano.md`: the volcano profile for people who know Volcano's own controller.

What the code's tables hold is rendered from them; why something differs is a sentence, and stands here.
"""

from collections.abc import Callable, Iterable, Iterator

from podgrouper.config.flags.gates import MEANINGLESS, WORKLOADS
from podgrouper.config.flags.volcano import VOLCANO, VOLCANO_REPLACED
from podgrouper.config.levels import API_VERSION, LEVEL, LISTS
from podgrouper.config.model import BUILT_IN, LEVEL_RULES, Config, VolcanoSettings
from podgrouper.core.interfaces import FieldRule
from podgrouper.core.model import POD, Kind, Ref
from podgrouper.core.resources import LIMITED, POD_LEVEL
from podgrouper.dialects.volcano import FIELDS, LINK, POD_GROUP
from podgrouper.policies.volcano import annotations as keys
from podgrouper.policies.volcano.levels import PREFIX
from podgrouper.policies.volcano.policy import SCALED
from podgrouper.policies.volcano.sources import Place, Source, Voices
from podgrouper.policies.volcano.topology import DEFAULT_MODE, MODE, TIER, TOPOLOGY_ANNOTATIONS

MEANINGS = {
    keys.GANG_SIZE: f"`minMember`: a whole number from 0 to {keys.LARGEST_GANG}; 1 where nobody names one",
    keys.QUEUE: "`queue`",
    keys.PREEMPTABLE: "the same annotation of the group; the label becomes its label",
    keys.COOLDOWN: "the same annotation of the group; the label becomes its label",
    keys.REVOCABLE_ZONE: "the same annotation of the group",
    keys.MIN_AVAILABLE: f"the same annotation of the group, and not `{keys.MAX_UNAVAILABLE}`",
    keys.MAX_UNAVAILABLE: f"the same annotation of the group, where nobody names `{keys.MIN_AVAILABLE}`",
    MODE: f"`networkTopology.mode`: hard or soft; {DEFAULT_MODE} where only the tier is named",
    TIER: "`networkTopology.highestTierAllowed`: a whole number from 0 on",
}
"""What an annotation of a pod becomes. Every key that the policy reads has a row."""

DIFFERENT = (
    (
        "A Deployment's queue and gang size",
        "The queue is read from the pod alone, the gang size from four kinds of direct owners.",
        "Both are read from every direct owner, and from the pod.",
        "People write them on the workload, and Volcano's own documents say that one may.",
    ),
    (
        "The level of a group",
        "The direct controller, always.",
        "The same, unless a level rule chooses another owner.",
        "A rollout changes the ReplicaSet, and a workflow is more than one of its pods.",
    ),
    (
        "Which pod is read",
        "Whichever the cache shows first; it may have ended, or be of another namespace.",
        "Of the live members the newest revision, then the youngest, then the first by name.",
        "The same world always gives the same group.",
    ),
    (
        "0 replicas",
        "A DELETE for each ReplicaSet and StatefulSet at 0, whatever its scheduler, also at every start.",
        "Only a group that exists, is owned by it, and has no live pod linked to it.",
        "A workload that comes back at once keeps its group, and a start costs no request.",
    ),
    (
        "A group that somebody deleted",
        "Stays away: pods that are linked are never looked at again.",
        "Is made again while live pods need it.",
        "Its pods would wait for ever.",
    ),
    (
        "Changes of a workload",
        "Never reach the group once its first pod is linked.",
        "Reach it always; a key that we wrote goes when nobody names it any more.",
        "A group that says what was true once reserves the wrong room.",
    ),
    (
        "Another version, other settings",
        "Hold for groups that are not linked yet.",
        "Hold for new groups; one with running members stays. Groups carry `podgrouper.io/rules`.",
        "Nobody should have to look through what runs before an upgrade.",
    ),
    (
        "Fields of others on a PodGroup",
        "Replaced with all labels, all annotations and the whole spec.",
        "Left alone: see the table of fields.",
        "Schedulers, webhooks and people write there too.",
    ),
    (
        "Two writers",
        "Patches and deletions without conditions.",
        "Every write names the uid and what was seen; a link never overwrites a link.",
        "An object made anew under an old name is another object.",
    ),
    (
        "Values that cannot be used",
        "Sent as they are: refused again and again, or ended at once.",
        "Passed over for the next place, with one Warning event that names object, key and accepted values.",
        "One typo should not park a workload.",
    ),
    (
        "An owner that cannot be read",
        "A group without the owner's wishes, and a line in the log.",
        "The same group, and an event that names the right which is missing.",
        "Nobody reads the log of what seems to work.",
    ),
    (
        "A refused group",
        "Tried again after up to a thousand seconds.",
        "Told on the pod in the API's words, tried again within a minute and at once when its queue opens.",
        "Who mends the queue waits for nothing else.",
    ),
    (
        "Owners that are going",
        "A group is made as long as pods are there.",
        "None is made when nothing that would own it is there to stay.",
        "The garbage collector would take it at once.",
    ),
)
"""What, Volcano's controller, podgrouper, why."""


def volcano_page(rendered: str) -> str:
    return f"""# The volcano profile

{rendered}

What Volcano's PodGroup controller (`pg-controller`) makes of ordinary pods, podgrouper makes as well, with
the same names, keys and flags; groups that the other one made are kept up to date. Both at once are safe, but
pointless: a change that is taken back twice within a minute is left for ten minutes, and told.

## Which pods, which groups

- Pods of the scheduler {_listed(BUILT_IN[0].schedulers)}, unless `schedulerNames` says otherwise. Out are
  those with `{Config().skip_annotation}: "true"` on themselves or on an owner.
- The PodGroup is of `{POD_GROUP.api_version}`, and named `{PREFIX}<uid>` after the pod's controller, or after
  the pod where there is none. It is created in phase Pending; its status is never written afterwards.
- The link is the annotation `{LINK}`. One that names another group is somebody's
  choice: it stays, and is told once.
- When the owner of a group goes to 0 replicas and no live pod is left in it, the group is deleted. Kinds:
  {_listed(sorted(kind.kind for kind in SCALED))}; the first only where a level rule chooses it.

## Where values come from

The first place with a usable value counts; an empty or unusable one hides none behind it.

| field | places, in this order |
|---|---|
{_rows(_places())}

With `inheritOwnerAnnotations: false` the pod is read alone. Every annotation below
`{keys.INHERITED_PREFIX}` of an owner is handed down to the group, from owners in the order above.
What the pod says itself comes before:

| annotation of the pod | becomes |
|---|---|
{_rows(_annotations())}

`priorityClassName` is the pod's. `minResources` is what a ResourceQuota counts for the pod, times
`minMember`: `pods`, `count/pods`, each request as itself and as `requests.…`, and as `limits.…` the limits of
{_listed(LIMITED)}. Sidecars, init containers, overhead, resizes and what the pod asks for as
a whole ({_listed(POD_LEVEL)}, huge pages) count as they do in the API server.

## Whose a field is

| field of the PodGroup | whose |
|---|---|
{_rows(_fields())}

Everything else, status included, is somebody else's and is never touched.

## Level rules

Read while running from the ConfigMap `{LEVEL_RULES.namespace}/{LEVEL_RULES.name}`, key
`{LEVEL_RULES.key}`; other sections of that text are left to others.

| in a rule | what it says |
|---|---|
| {_either(LISTS)} | the list of rules |
| {_either(API_VERSION)}, `kind` | the owners that it fits; the kind in any case |
| {_either(LEVEL)} | where their pods belong together: 0 is that owner, -1 the one below it |

The match nearest to the pod counts. Where there are rules and none fits, `levels.noMatch` says what holds;
it is `{VolcanoSettings().no_match}` unless you say otherwise. Pods whose siblings are linked join them,
whatever newer rules say.

## What is different, and why

| | Volcano's controller | podgrouper | why |
|---|---|---|---|
{_rows(DIFFERENT)}

## Flags

| flag | what it does |
|---|---|
{_rows((f"`{row.flag}`", row.help) for row in VOLCANO)}

Of the feature gates only `{WORKLOADS}` has a meaning; {_listed(MEANINGLESS)} are told so. So are these flags:

| flags of Volcano's controller manager | instead |
|---|---|
{_rows(_replaced())}
"""


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    cells = (tuple(cell.replace("|", "\\|") for cell in row) for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _places() -> Iterator[tuple[str, str]]:
    """As the policy itself walks them, for a pod with two owners."""
    wanted: tuple[tuple[str, Callable[[Voices], Iterable[Place]]], ...] = (
        ("minMember", keys.gang_size_places),
        ("queue", keys.queue_places),
    )
    for field, places in wanted:
        for climbed, words in ((False, ""), (True, ", group above the controller")):
            yield f"`{field}`{words}", "; ".join(_place(place) for place in places(_voices(climbed=climbed)))


CLIMBED = ("the chosen owner", "each owner on the way down", "each other direct owner")
DIRECT = ("each direct owner",)


def _voices(*, climbed: bool) -> Voices:
    owners = tuple(Source(Ref(Kind("v1", name), "", ""), {}) for name in (CLIMBED if climbed else DIRECT))
    return Voices(Source(Ref(POD, "", ""), {}), owners, climbed)


def _place(place: Place) -> str:
    kind = place.source.ref.kind
    return f"`{place.key}` of {'the pod' if kind == POD else kind.kind}"


def _annotations() -> Iterator[tuple[str, str]]:
    read = keys.POD_ANNOTATIONS | TOPOLOGY_ANNOTATIONS
    yield from ((f"`{key}`", MEANINGS[key]) for key in sorted(read))


def _fields() -> Iterator[tuple[str, str]]:
    for rule in FIELDS:
        yield f"`{'.'.join(rule.path)}`", f"{rule.ownership.value}{_besides(rule)}"


def _replaced() -> Iterator[tuple[str, str]]:
    """Flags with the same answer share a row."""
    for instead in dict.fromkeys(flag.instead for flag in VOLCANO_REPLACED):
        yield _listed(flag.flag for flag in VOLCANO_REPLACED if flag.instead == instead), instead


def _besides(rule: FieldRule) -> str:
    return f"; cannot stand beside `{rule.excludes}`" if rule.excludes else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _either(names: Iterable[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)
