"""Flags that people know from Volcano's controller manager, for profiles of the volcano policy."""

from podgrouper.config.flags.rows import Replaced, Row

VOLCANO: tuple[Row, ...] = ()
"""Those with Volcano's names and Volcano's values."""

VOLCANO_REPLACED: tuple[Replaced, ...] = ()
