"""What the kai policy reads while it runs: defaults, PriorityClasses, labels of namespaces and pods."""

import pytest

from podgrouper.config.flags.typed import Flags, with_flags
from podgrouper.config.model import Config
from podgrouper.core.fields import annotations, labels, ref_of, text
from podgrouper.core.model import POD, Json, Kind
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
LINK = "pod-group-name"
DEFAULTS = {
    "--default-priorities-configmap-name": "defaults",
    "--default-priorities-configmap-namespace": "kai",
}
URGENT = '[{"typeName": "StatefulSet", "group": "apps", "priorityName": "urgent"}]'
LAZY = '[{"typeName": "StatefulSet", "priorityName": "lazy", "preemptibility": "preemptible"}]'
SET = owner("apps/v1 StatefulSet", "web", spec={"replicas": 1})


def kai(**typed: str) -> Config:
    flags = {f"--{name.replace('_', '-')}": value for name, value in typed.items()}
    config = with_flags(Config(), Flags(["kai"], typed={**DEFAULTS, **flags}))
    assert isinstance(config, Config)
    return config


def member(name: str = "web-0", **more: object) -> dict[str, object]:
    return pod(name, controls(SET), scheduler="kai-scheduler", **more)


def defaults(types: str) -> dict[str, object]:
    return owner("v1 ConfigMap", "defaults", namespace="kai", data={"types": types})


def priority_class(name: str) -> dict[str, object]:
    return owner("scheduling.k8s.io/v1 PriorityClass", name, namespace="") | {"value": 100}


def namespace(name: str = "ns", **marks: str) -> dict[str, object]:
    return owner("v1 Namespace", name, namespace="", labels=marks)


def spec_fields(sandbox: Sandbox, *names: str) -> list[tuple[str, ...]]:
    """The values of these fields, of every group."""
    return [tuple(text(group, f"spec.{name}") for name in names) for group in sandbox.store.list(GROUP)]


def linked(sandbox: Sandbox) -> list[str]:
    return [ref_of(found).name for found in sandbox.store.list(POD) if LINK in annotations(found)]


def after(sandbox: Sandbox, config: Config, *changes: Json) -> None:
    """What the controller makes of a world in which these objects come, or come anew, one after the other."""

    async def run() -> None:
        async with sandbox.controller(config):
            await sandbox.quiet()
            for change in changes:
                sandbox.store.load(change)
                await sandbox.quiet()

    virtual_time.run(run())


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param([], ("train", ""), id="no ConfigMap: the default of the kind"),
        pytest.param([defaults(URGENT)], ("urgent", ""), id="the ConfigMap comes later"),
        pytest.param([defaults(URGENT), defaults(LAZY)], ("lazy", "preemptible"), id="and is changed"),
        pytest.param(
            [defaults(LAZY), defaults("nonsense")], ("lazy", "preemptible"), id="the last good text holds"
        ),
        pytest.param(
            [defaults('[{"typeName": "StatefulSet", "priorityName": "later"}]')],
            ("train", ""),
            id="a class that does not exist does not count",
        ),
        pytest.param(
            [
                defaults('[{"typeName": "StatefulSet", "priorityName": "later"}]'),
                priority_class("later"),
            ],
            ("later", ""),
            id="until it does",
        ),
    ],
)
def test_defaults_of_a_type_are_read_live(changes, expected):
    sandbox = Sandbox([SET, member(), priority_class("urgent"), priority_class("lazy")])

    after(sandbox, kai(), *changes)

    assert spec_fields(sandbox, "priorityClassName", "preemptibility") == [expected]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param("grouped=yes", ["web-0"], id="equal"),
        pytest.param("grouped in (no,yes),!other", ["web-0"], id="a set, and a key that is absent"),
        pytest.param("grouped=no", [], id="another value"),
    ],
)
def test_a_namespace_that_gets_its_label_later_is_picked_up(selector, expected):
    sandbox = Sandbox([namespace(), SET, member()])
    before: list[list[str]] = []

    async def labelled_later() -> None:
        async with sandbox.controller(kai(namespace_label_selector=selector)):
            await sandbox.quiet()
            before.append(linked(sandbox))
            sandbox.store.load(namespace(grouped="yes"))
            await sandbox.quiet()

    virtual_time.run(labelled_later())

    assert (before, linked(sandbox)) == ([[]], expected)
    assert sandbox.warned() == []


def test_pods_are_chosen_by_their_labels_as_they_are_now():
    sandbox = Sandbox([SET, member("web-0", labels={"team": "a"}), member("web-1", labels={"team": "b"})])

    after(sandbox, kai(pod_label_selector="team=a"))

    assert linked(sandbox) == ["web-0"]


@pytest.mark.parametrize(
    ("flags", "queue", "pool"),
    [
        pytest.param({}, "team-a-east", "east", id="KAI's key"),
        pytest.param({"nodepool_label_key": "x.io/pool"}, "team-a-west", "west", id="a key of one's own"),
        pytest.param({"nodepool_label_key": ""}, "team-a", "", id="no node pools"),
        pytest.param({"queue_label_key": "x.io/queue"}, "mine", "east", id="a queue key of one's own"),
    ],
)
def test_node_pools_and_queues_are_named_by_the_labels_that_flags_choose(flags, queue, pool):
    marks = {
        "project": "team-a",
        "x.io/queue": "mine",
        "kai.scheduler/node-pool": "east",
        "x.io/pool": "west",
    }
    sandbox = Sandbox([SET, member(labels=marks)])

    after(sandbox, kai(**flags))

    key = flags.get("nodepool_label_key", "kai.scheduler/node-pool")
    (group,) = sandbox.store.list(GROUP)
    assert (text(group, "spec.queue"), labels(group).get(key, "")) == (queue, pool)
