"""What podgrouper weighs when all is done, and what it cost to come there."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bench import contenders, machine
from bench.stub.process import StubServer
from tests.cluster.program import Program
from tests.cluster.waiting import eventually

START_SECONDS = 300.0
_STEP_SECONDS = 0.3
_IDLE_CORES = 0.02
"""Who uses less has done what there was to do."""
_GROUPS = "podgrouper_groups{"


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes, seconds, and what the program says of itself."""

    rss: int
    private: int
    """What would be free if it ended: shared libraries are left out."""
    peak: int
    """The most that `rss` ever was."""
    cpu: float
    """Since the start of the process, the rest at the end left out."""
    pods: int
    groups: int
    stall: float
    """The longest time that its event loop stood still."""
    others: float
    """Cores that processes used which are none of ours."""


class Population(NamedTuple):
    """What the stub is full of."""

    crowds: Sequence[str]
    """As its command line has them: `job=2000`."""
    pods: int
    """That podgrouper comes to know of it."""


NOBODY = Population((), 0)


class Weighed(NamedTuple):
    """One run beside a stub."""

    started: Weight
    """After the first list."""
    relisted: Weight
    """After a second one, into which every watch was forced by 410; the same where there was none."""
    requests: Mapping[str, int]
    """Until the first rest, by method and collection."""
    relists: Mapping[str, int]
    """After that."""
    writes: int

    @property
    def others(self) -> float:
        return max(self.started.others, self.relisted.others)


def weighed(
    population: Population, profile: str, folder: Path, rest: float, *, relist: bool = True
) -> Weighed:
    """Of a cold start beside a stub, and of a relist after it."""
    with StubServer(folder / "stub", profile, population.crowds) as stub:
        program = contenders.ours(stub.kubeconfig, folder, f"--profile={profile}")
        try:
            started = relisted = settled(program, population.pods, rest, {"stub": stub.pid})
            requests = stub.asked()
            if relist:
                stub.expire()
                relisted = settled(program, population.pods, rest, {"stub": stub.pid})
            return Weighed(started, relisted, requests, stub.asked() - requests, stub.writes())
        finally:
            program.stop()


def settled(program: Program, pods: int, rest: float, servers: Mapping[str, int]) -> Weight:
    """Once it knows so many pods, has nothing to do and did nothing for `rest` seconds."""
    pids = {**servers, "podgrouper": program.pid}
    before = machine.read(pids)
    eventually(lambda: not program.running or _knows(program, pods), within=START_SECONDS)
    program.expect_running()
    eventually(lambda: _idle(program), within=START_SECONDS)
    done = machine.read(pids)
    time.sleep(rest)
    weight = _weight(machine.memory(program.pid), program.samples())
    return replace(weight, cpu=done.cpu["podgrouper"], others=machine.between(before, done).others)


def _weight(memory: Mapping[str, int], samples: Mapping[str, float]) -> Weight:
    return Weight(
        memory["rss"],
        memory["private"],
        memory["peak"],
        cpu=0.0,
        pods=int(samples["podgrouper_pods"]),
        groups=int(sum(count for name, count in samples.items() if name.startswith(_GROUPS))),
        stall=samples["podgrouper_loop_stall_seconds"],
        others=0.0,
    )


def _knows(program: Program, pods: int) -> bool:
    return program.number("podgrouper_ready") == 1 and program.number("podgrouper_pods") == pods


def _idle(program: Program) -> bool:
    before = machine.cpu_seconds(program.pid)
    time.sleep(_STEP_SECONDS)
    used = (machine.cpu_seconds(program.pid) - before) / _STEP_SECONDS
    return used < _IDLE_CORES and program.number("podgrouper_queue_depth") == 0
