"""Plugins as files, good and bad: what their one grouper does is said in a line or two."""

from pathlib import Path
from textwrap import indent

TEXT = '''import os
import time

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
