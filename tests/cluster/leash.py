"""Becomes another program that dies with the process that started it, however that one ends.

`python leash.py PARENT COMMAND …`: the pid stays the same, so whoever started it may signal and wait for
it as if it were the command. A file of its own, run by path, because code between fork and exec
(`preexec_fn`) can deadlock in a process with threads. The tie is to the *thread* that started it: start
children from the main thread. On systems without prctl there is no tie, only the orderly stop.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def tie_to_parent(parent: int) -> bool:
    """Asks the kernel to kill this process when its parent ends; False if the parent is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


if __name__ == "__main__":
    if not tie_to_parent(int(sys.argv[1])):
        sys.exit(f"{sys.argv[2]}: the process that wanted it is gone")
    os.execvp(sys.argv[2], sys.argv[2:])
