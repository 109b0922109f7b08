"""Who used the processors: CPU time by process, and what nobody of ours used.

Seconds of CPU come from the process's own clock, which counts in nanoseconds and knows threads that have
ended; `/proc/PID/stat` counts in hundredths. What all processes used together stands in `/proc/stat` only.
"""

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SCHEDULED = 2
"""CPUCLOCK_SCHED: user and system time of all threads of a process."""
_TICK = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Use:
    """A reading of the clocks."""

    at: float
    """`time.monotonic()`: one clock for all processes of a machine."""
    cpu: Mapping[str, float]
    """Seconds, by the name of the process."""
    busy: float
    """Seconds that all processors together worked for any process, or were kept from it by other machines."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What lies between two readings."""

    seconds: float
    cpu: Mapping[str, float]
    others: float
    """Cores that processes used which are none of ours."""


def read(pids: Mapping[str, int]) -> Use:
    """Now."""
    cpu = {name: cpu_seconds(pid) for name, pid in pids.items()}
    return Use(time.monotonic(), cpu, busy_seconds((_PROC / "stat").read_text()))


def between(before: Use, after: Use) -> Spent:
    """A process that came in between began at nothing."""
    seconds = after.at - before.at
    cpu = {name: total - before.cpu.get(name, 0.0) for name, total in after.cpu.items()}
    others = max(0.0, after.busy - before.busy - sum(cpu.values()))
    return Spent(seconds, cpu, others / seconds if seconds > 0 else 0.0)


def cpu_seconds(pid: int) -> float:
    """Of all threads of a process since it began. Raises `OSError` when there is none."""
    return time.clock_gettime((~pid << 3) | _SCHEDULED)


def busy_seconds(stat: str) -> float:
    """From the first line of `/proc/stat`: user, nice, system and steal.

    Interrupts are left out. Traffic over loopback causes them, and no process is charged for them.
    """
    user, nice, system, _idle, _iowait, _irq, _softirq, steal = map(int, stat.split()[1:9])
    return (user + nice + system + steal) / _TICK


def memory(pid: int) -> Mapping[str, int]:
    """Bytes: `rss` now and `peak`, its highest ever; `private` is what would be free if it ended."""
    folder = _PROC / str(pid)
    status = kilobytes((folder / "status").read_text())
    parts = kilobytes((folder / "smaps_rollup").read_text())
    private = parts["Private_Clean"] + parts["Private_Dirty"]
    return {"rss": status["VmRSS"], "peak": status["VmHWM"], "private": private}


def kilobytes(text: str) -> Mapping[str, int]:
    """Lines such as `VmRSS:  1234 kB`, in bytes."""
    return {name: int(value) * 1024 for name, value in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE)}
