"""What podgrouper expects of every grouper, asked of this one."""

from pathlib import Path

import yaml
from customjob import CustomJobGrouper

from podgrouper.testing import GrouperTests

HERE = Path(__file__).parent


class TestCustomJobs(GrouperTests):
    grouper = CustomJobGrouper()
    objects = tuple(yaml.safe_load_all((HERE / "customjob.yaml").read_text()))
