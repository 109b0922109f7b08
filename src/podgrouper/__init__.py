"""podgrouper turns ordinary Kubernetes pods into gangs.

The few public names are loaded when they are asked for: importing one part costs that part only.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podgrouper.config.model import Config
    from podgrouper.core.interfaces import Dialect, Policy
    from podgrouper.planning import Plan, plan

__version__ = "0.1.0.dev0"
__all__ = ["Config", "Dialect", "Plan", "Policy", "__version__", "plan"]

_HOMES = {
    "Config": "podgrouper.config.model",
    "Dialect": "podgrouper.core.interfaces",
    "Plan": "podgrouper.planning",
    "Policy": "podgrouper.core.interfaces",
    "plan": "podgrouper.planning",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'podgrouper' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
