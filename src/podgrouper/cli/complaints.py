"""What a person got wrong, told all at once; and how the program ends.

Exit codes: 0 done, 1 could not be done, 2 asked for wrongly (flags, configuration, files).
"""

import sys
from collections.abc import Iterable

from podgrouper.core.rules import Finding

FAILED = 1
MISUSED = 2


class Complaint(Exception):
    """The command cannot start; these are the reasons, all of them."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(map(line, self.findings)))

    @classmethod
    def of(cls, path: str, message: str) -> "Complaint":
        """With one reason."""
        return cls([Finding(path, message)])


class Failure(Exception):
    """The command could not be carried out. The message says why and what to do."""


def line(finding: Finding) -> str:
    return f"{finding.path}: {finding.message}" if finding.path else finding.message


def tell(complaint: Complaint) -> None:
    """Every finding on a line of its own, on standard error."""
    for finding in complaint.findings:
        print(f"podgrouper: {line(finding)}", file=sys.stderr)
