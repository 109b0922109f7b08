"""What an extension did wrong at one workload. It costs that workload its group, and nobody else anything."""

from dataclasses import dataclass

from podgrouper.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class Fault:
    """Who failed, and how, in words."""

    extension: str
    """`profile kai`, or `plugin customjob.py`."""
    message: str
    """Names the extension and, where it is known, the workload."""
    kind: str = ""
    """The kind of the workload: what metrics may count by."""
    reason: Reason = Reason.GROUPER_FAILED


class ExtensionFailed(Exception):
    """Raised in the place of an extension by what stands between it and us."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.message)
