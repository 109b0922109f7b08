"""Clocks of processes and of the machine."""

import os
import time

import pytest

from bench.machine import Spent, Use, between, busy_seconds, cpu_seconds, kilobytes, memory

STAT = """\
cpu  1000 200 300 90000 400 50 60 70 0 0
cpu0 500 100 150 45000 200 25 30 35 0 0
intr 12345
"""
STATUS = """\
Name:\tpython
VmHWM:\t  20480 kB
VmRSS:\t  10240 kB
Threads:\t3
"""


def test_a_machine_is_busy_with_processes_and_with_other_machines_but_not_with_interrupts():
    assert busy_seconds(STAT) == (1000 + 200 + 300 + 70) / os.sysconf("SC_CLK_TCK")


def test_memory_is_told_in_bytes():
    assert kilobytes(STATUS) == {"VmHWM": 20 << 20, "VmRSS": 10 << 20}


@pytest.mark.parametrize(
    ("before", "after", "spent"),
    [
        pytest.param(
            Use(10.0, {"server": 1.0}, busy=5.0),
            Use(12.0, {"server": 2.5}, busy=7.0),
            Spent(2.0, {"server": 1.5}, others=0.25),
            id="what none of ours used is others'",
        ),
        pytest.param(
            Use(10.0, {}, busy=5.0),
            Use(12.0, {"client": 0.5}, busy=5.5),
            Spent(2.0, {"client": 0.5}, others=0.0),
            id="a process that came in between began at nothing",
        ),
        pytest.param(
            Use(10.0, {"server": 0.0}, busy=5.0),
            Use(11.0, {"server": 0.505}, busy=5.5),
            Spent(1.0, {"server": 0.505}, others=0.0),
            id="coarse clocks make nobody's use negative",
        ),
    ],
)
def test_what_lies_between_two_readings(before, after, spent):
    assert between(before, after) == spent


def test_the_clock_of_a_process_is_the_one_that_it_reads_itself():
    before = time.process_time()
    found = cpu_seconds(os.getpid())

    assert before <= found <= time.process_time()


def test_a_process_holds_no_more_alone_than_in_all_and_never_more_than_at_its_peak():
    found = memory(os.getpid())

    assert 0 < found["private"] <= found["rss"] <= found["peak"]
