"""Why a gang does not run: each cause on the embedded API, told by the program after the controller ran."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from podgrouper.cli.main import podgrouper
from podgrouper.config.model import Config
from podgrouper.core.fields import ref_of
from podgrouper.core.model import Ending, Json, Ref
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.memory.patches import MERGE
from podgrouper.sandbox import server
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox
from tests.roads.scripts import SCRIPTS, Script, Step, told


def refusing(request: Request) -> Answer | None:
    """A webhook that lets no PodGroup pass."""
    if request.method != "POST" or not request.path.endswith("/podgroups"):
        return None
    words = 'admission webhook "groups.example.com" denied the request: not today'
    status = {"kind": "Status", "status": "Failure", "code": 403, "reason": "Forbidden", "message": words}
    return Answer(403, {}, json.dumps(status).encode())


def played(script: Script) -> Sandbox:
    """The cluster in which all of it has happened."""
    hidden = dict.fromkeys(script.hidden, Ending.FORBIDDEN) | dict.fromkeys(
        script.not_served, Ending.UNKNOWN_KIND
    )
    sandbox = Sandbox(script.objects, hidden)
    if script.denying:
        sandbox.refuse = refusing

    async def play() -> None:
        async with sandbox.controller(Config()):
            await sandbox.quiet()
            for step in script.then:
                happen(step, sandbox)
                await sandbox.quiet()
        for step in script.away:
            happen(step, sandbox)

    virtual_time.run(play())
    return sandbox


def happen(step: Step, sandbox: Sandbox) -> None:
    (ref,) = [
        ref for ref in map(ref_of, sandbox.store.list(step.kind)) if ref.name == step.name or not step.name
    ]
    sandbox.store.patch(
        Ref(ref.kind, ref.namespace, ref.name), MERGE, step.patch, subresource=step.subresource
    )


def explained(sandbox: Sandbox, asked: str, folder: Path) -> Json:
    """What `podgrouper explain` says about it, without a garbage collector that would clear it up."""

    async def ask() -> str:
        async with server.serving(sandbox.api) as serving:
            kubeconfig = serving.write_kubeconfig(folder / "kubeconfig")
            words = ["explain", asked, "-n", "ns", "-o", "json", f"--kubeconfig={kubeconfig}"]
            return (
                await asyncio.to_thread(CliRunner().invoke, podgrouper, words, catch_exceptions=False)
            ).output

    (subject,) = json.loads(asyncio.run(ask()))["subjects"]
    return subject


@pytest.mark.parametrize(("script", "expected"), SCRIPTS.values(), ids=SCRIPTS)
def test_the_cause_is_told_with_what_it_is_about_and_what_to_do(script, expected, tmp_path):
    subject = explained(played(script), script.asked, tmp_path)

    assert told(subject, expected) == (expected.code, []), subject["causes"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(
            "a queue that is used up",
            "OverLimit: limit is 2 GPUs: queue team: requested gpu=3; limit gpu=2",
            id="KAI's condition with its queue",
        ),
        pytest.param(
            "no room",
            "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.",
            id="a condition of pods",
        ),
        pytest.param("gated", "scheduling gates: example.com/quota", id="gates"),
    ],
)
def test_the_words_of_others_are_told_as_they_were_said(name, words, tmp_path):
    script, _ = SCRIPTS[name]

    subject = explained(played(script), script.asked, tmp_path)

    assert words in [word["says"] for word in subject["words"]]
