"""Plugins as files, good and bad: what their one grouper does is said in a line or two."""

import os
from pathlib import Path
from textwrap import indent

TEXT = '''import os
import time
from dataclasses import replace

from podgrouper.groupers import *


class CustomJobs(Grouper):
    """One group for each job."""

    kinds = (Kind({kind}),)
    overrides = {overrides}

    def group(self, scene):
{body}


{afterwards}
'''
CUSTOM_JOB = '"example.com/v1", "CustomJob"'
GOOD = "return Grouping((default_group(scene, scene.members),))"
BUSY = "while True: pass"
PATIENT = """
open(__file__ + ".asked", "w").close()
while scene.owner.ref.name == "slow" and not os.path.exists(__file__ + ".go"):
    time.sleep(0.01)
floor = scene.answers[ObjectWanted(SETTINGS, scene.namespace, "shared")]["spec"]["floor"]
if not floor:
    raise BadValue("spec.floor is 0: write a number from 1")
return Grouping((replace(default_group(scene, scene.members), floor=floor),))
"""
"""Says that it was asked; a job that is called slow has its answer when it is told to go on."""
SHARED = """
SETTINGS = Kind("example.com/v1", "Settings")
CustomJobs.wants = lambda self, scene: [ObjectWanted(SETTINGS, scene.namespace, "shared")]
CustomJobs.reads = Reads(paths={SETTINGS: frozenset({"spec.floor"})})
"""
"""All jobs look at one object besides, which says their floor."""
PID = "open(__file__ + '.pid', 'w').write(str(os.getpid()))"
"""Says which process it is in."""
BLOCKED = "time.sleep(3600)"


def plugin(
    folder: Path,
    body: str = GOOD,
    *,
    name: str = "plugin",
    kind: str = CUSTOM_JOB,
    overrides: bool = False,
    afterwards: str = "",
) -> str:
    """The path of a plugin whose `group` is `body`; the file ends with what comes afterwards."""
    path = folder / f"{name}.py"
    path.write_text(
        TEXT.format(kind=kind, overrides=overrides, body=indent(body, "        "), afterwards=afterwards)
    )
    return str(path)


def alive(source: str) -> bool:
    """Whether the process of a plugin with `PID` runs."""
    try:
        os.kill(int(Path(f"{source}.pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True
