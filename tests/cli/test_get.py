"""`podgrouper get`, `wait` and `explain` on an API over HTTP."""

import asyncio
import json

import pytest

from podgrouper.core.model import Kind, Ref
from podgrouper.memory.patches import MERGE
from tests.builders import controls, owner
from tests.cli.served import served
from tests.explaining.scenes import group, linked, pair, queue, replica_set, unscheduled

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
GROUP = Ref(Kind("scheduling.volcano.sh/v1beta1", "PodGroup"), "ns", "podgroup-uid-web")
KAI_GROUP = owner("scheduling.run.ai/v2alpha2 PodGroup", "pg-1", spec={"minMember": 1, "queue": "q"})
SCENE = [NAMESPACE, *pair(), KAI_GROUP]


def rows(out: str) -> list[list[str]]:
    """Cells without the age, which depends on the day."""
    return [line.split()[:-1] for line in out.splitlines()]


async def test_groups_of_all_schedulers_are_in_one_table(tmp_path):
    async with served(tmp_path, SCENE) as cluster:
        ended = await cluster.run("get", "-A", "-o", "wide")

    assert (ended.code, ended.err) == (0, "")
    assert rows(ended.out) == [
        ["NAMESPACE", "NAME", "STATUS", "MIN", "HAVE", "RUNNING", "QUEUE", "OWNER", "SCHEDULER", "PRIORITY"],
        ["ns", "pg-1", "Pending", "1", "0", "0", "q", "-", "kai", "-"],
        ["ns", "podgroup-uid-web", "Pending", "2", "2", "0", "default", "-", "volcano", "-"],
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["-n", "ns", "-o", "name"], ["pg-1", "podgroup-uid-web"], id="a namespace"),
        pytest.param(["-n", "ns", "--for", "rs/web", "-o", "name"], [], id="below an owner"),
        pytest.param(["-n", "ns", "pg-1", "-o", "name"], ["pg-1"], id="by name"),
        pytest.param(["-n", "ns", "-l", "a=b", "-o", "name"], [], id="by labels"),
        pytest.param(["-n", "ns", "--profile", "kai", "-o", "name"], ["pg-1"], id="of one profile"),
    ],
)
async def test_groups_are_chosen(tmp_path, words, expected):
    async with served(tmp_path, SCENE) as cluster:
        ended = await cluster.run("get", *words)

    assert [line.rpartition("/")[2] for line in ended.out.splitlines()] == expected
    assert ended.code == 0


async def test_groups_below_an_owner_are_found_at_any_height(tmp_path):
    top = owner("apps/v1 Deployment", "top", spec={"replicas": 2})
    web = replica_set(controls(top))
    objects = [NAMESPACE, top, web, group(2, metadata=_owned(web)), linked("a", controls(web)), KAI_GROUP]
    async with served(tmp_path, objects) as cluster:
        ended = await cluster.run("get", "-n", "ns", "--for", "deployment/top", "-o", "name")

    assert ended.out == "podgroup.scheduling.volcano.sh/podgroup-uid-web\n"


def _owned(by) -> dict[str, object]:
    return {"ownerReferences": linked("x", controls(by))["metadata"]["ownerReferences"]}


async def test_a_name_that_is_nowhere_is_a_failure(tmp_path):
    async with served(tmp_path, SCENE) as cluster:
        ended = await cluster.run("get", "nobody", "-n", "ns")

    assert (ended.code, ended.err) == (1, "podgrouper: there is no PodGroup 'nobody'\n")


async def test_objects_are_printed_as_they_are(tmp_path):
    async with served(tmp_path, SCENE) as cluster:
        ended = await cluster.run("get", "pg-1", "-n", "ns", "-o", "json")

    assert json.loads(ended.out)["spec"] == {"minMember": 1, "queue": "q"}


async def test_kubectl_has_it_as_a_plugin(tmp_path):
    async with served(tmp_path, SCENE) as cluster:
        ended = await cluster.run_program("kubectl-podgroups", "-n", "ns", "-o", "name", "pg-1")

    assert (ended.code, ended.out) == (0, "podgroup.scheduling.run.ai/pg-1\n")


async def test_rows_that_change_follow(tmp_path):
    async with served(tmp_path, SCENE) as cluster:
        process = await cluster.start("get", "-n", "ns", "-w")
        head = [await process.stdout.readline() for _ in range(3)]
        cluster.store.patch(GROUP, MERGE, {"status": {"phase": "Running"}})
        changed = await process.stdout.readline()
        cluster.store.delete(GROUP)
        gone = await process.stdout.readline()
        process.terminate()
        await process.communicate()

    assert [line.split()[1] for line in head[1:]] == [b"Pending", b"Pending"]
    assert changed.split()[:2] == [b"podgroup-uid-web", b"Running"]
    assert gone.split()[:2] == [b"podgroup-uid-web", b"Gone"]


async def test_wait_ends_when_the_group_is_in_the_state(tmp_path):
    async with served(tmp_path, SCENE) as cluster:
        waiting = asyncio.create_task(
            cluster.run(
                "wait", "podgroup/podgroup-uid-web", "-n", "ns", "--for", "running", "--timeout", "60"
            )
        )
        await asyncio.sleep(0)
        cluster.store.patch(GROUP, MERGE, {"status": {"phase": "Running"}})
        ended = await waiting

    assert (ended.code, ended.out) == (
        0,
        "podgroup.scheduling.volcano.sh/podgroup-uid-web is Running\n",
    )


async def test_wait_tells_why_it_was_in_vain(tmp_path):
    objects = [NAMESPACE, *pair(status=unscheduled("Unschedulable", "3 Insufficient cpu."))]
    async with served(tmp_path, objects) as cluster:
        ended = await cluster.run("wait", "replicaset/web", "-n", "ns", "--timeout", "1")

    assert ended.code == 1
    assert "replicaset/web is not running after 1 s" in ended.err


async def test_explain_asks_the_cluster(tmp_path):
    async with served(tmp_path, [NAMESPACE, *pair(queue("default", "Closed"))]) as cluster:
        ended = await cluster.run("explain", "rs/web", "-n", "ns", "-o", "json")

    (subject,) = json.loads(ended.out)["subjects"]
    assert subject["blockedBy"]["reason"] == "QueueClosed"
    assert [step["object"] for step in subject["chain"]] == ["ReplicaSet ns/web", "Pod ns/a"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["explain", "pod/nobody"], "there is no pod 'nobody' in namespace 'ns'", id="no pod"),
        pytest.param(["explain", "gadget/x"], "nothing that is called 'gadget'", id="no kind"),
        pytest.param(["wait", "job/nobody"], "there is no job 'nobody'", id="wait for nothing"),
    ],
)
async def test_what_is_not_there_is_told(tmp_path, words, expected):
    async with served(tmp_path, SCENE) as cluster:
        ended = await cluster.run(*words, "-n", "ns")

    assert (ended.code, expected in ended.err, "Traceback" in ended.err) == (1, True, False)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["explain", "web"], "web: this names no object: write KIND/NAME", id="no kind"),
        pytest.param(["get", "-w", "-o", "json"], "--watch: only rows are followed", id="rows alone"),
        pytest.param(["wait", "pod/a", "--for", "glory"], "--for: 'glory' is not accepted", id="no state"),
        pytest.param(["wait", "pod/a", "--timeout", "soon"], "--timeout: 'soon' is not", id="no number"),
    ],
)
async def test_what_is_asked_for_wrongly_is_told(tmp_path, words, expected):
    async with served(tmp_path, []) as cluster:
        ended = await cluster.run(*words)

    assert (ended.code, expected in ended.err) == (2, True), ended.err
