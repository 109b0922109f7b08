"""The process of a plugin: it answers, it is stopped, it comes back, and nothing of it is left behind."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from podgrouper.config.model import BUILT_IN, Config, KaiSettings
from podgrouper.core.fields import ref_of
from podgrouper.planning import Plan, plan
from podgrouper.plugins.loading import load, named
from tests.cluster.waiting import eventually
from tests.plugins.sources import BLOCKED, BUSY, GOOD, PID, alive, plugin
from tests.policies.kai.worlds import pod, thing

BAD, OTHER = (thing("example.com/v1 CustomJob", name) for name in ("bad", "other"))
WORLD = [BAD, pod("bad-0", BAD), OTHER, pod("other-0", OTHER)]
LOOPS_ONCE_ASKED = """
def outgrown(*_):
    open(__file__ + ".asked", "w").close()
    while True: pass

CustomJobs.outgrown = outgrown
"""
ENDS = """
import os, signal, sys, threading, time
from podgrouper.core.model import Owner, Ref
from podgrouper.plugins.loading import load, named
(plugin,) = load(named(sys.argv[1:]), 60.0).plugins
job = Owner(Ref(plugin.kinds[0], "ns", "job", "uid"), {})
threading.Thread(target=plugin.outgrown, args=(job, "group"), daemon=True).start()
while not os.path.exists(sys.argv[1] + ".asked"):
    time.sleep(0.01)
END
"""


def planned(source: str, seconds: float = 0.5) -> Plan:
    loaded = load(named([source]), seconds)
    assert loaded.findings == ()
    settings = KaiSettings(groupers=loaded.plugins)
    return plan(WORLD, Config(profiles=(replace(BUILT_IN[1], kai=settings),)))


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(BUSY, id="loops"),
        pytest.param(BLOCKED, id="waits"),
        pytest.param("10 ** 10 ** 9", id="loops in C"),
        pytest.param("os._exit(1)", id="exits"),
        pytest.param("os.kill(os.getpid(), 9)", id="is killed"),
        pytest.param("raise SystemExit", id="asks to exit"),
        pytest.param("os.closerange(3, 100) or time.sleep(3600)", id="hangs up"),
    ],
)
def test_trouble_with_one_workload_leaves_the_others_of_its_kind_alone(tmp_path, trouble):
    source = plugin(tmp_path, f"if scene.owner.ref.name == 'bad':\n    {trouble}\n{GOOD}")

    made = planned(source)

    assert [ref_of(group).name for group in made.pod_groups] == ["pg-other-uid-other"]
    assert [entry.pod.name for entry in made.skipped] == ["bad-0"]


def test_it_ends_when_nobody_needs_it(tmp_path):
    source = plugin(tmp_path, afterwards=PID)

    planned(source)

    assert not alive(source)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        pytest.param("os.kill(os.getpid(), signal.SIGKILL)", -9, id="that is killed"),
        pytest.param("sys.exit(0)", 0, id="that is done"),
    ],
)
def test_even_in_the_middle_of_a_loop_it_ends_with_a_podgrouper(tmp_path, end, code):
    source = plugin(tmp_path, afterwards=f"{PID}\n{LOOPS_ONCE_ASKED}")

    ended = subprocess.run([sys.executable, "-c", ENDS.replace("END", end), source], check=False, timeout=30)

    assert ended.returncode == code
    eventually(lambda: not alive(source))


def test_what_it_prints_is_not_what_podgrouper_prints(tmp_path, capfd):
    planned(plugin(tmp_path, f"print('hello')\n{GOOD}"))

    printed = capfd.readouterr()
    assert ("hello" in printed.out, "hello" in printed.err) == (False, True)


def test_one_that_cannot_be_loaded_again_says_so_each_time(tmp_path):
    source = plugin(tmp_path, "os._exit(1)")
    (loaded,) = load(named([source]), 0.5).plugins
    settings = KaiSettings(groupers=(loaded,))
    config = Config(profiles=(replace(BUILT_IN[1], kai=settings),))
    plan(WORLD, config)
    Path(source).unlink()

    skipped = (*plan(WORLD, config).skipped, *plan(WORLD, config).skipped)

    assert {entry.skip.message.partition(": ")[2] for entry in skipped} == {
        "there is no such file: give the path of a Python file, or the name of a module"
    }
