"""All flags that change a configuration, in the order in which `--help` shows them. A new one is a row."""

from collections.abc import Mapping

from podgrouper.config.flags.general import GENERAL
from podgrouper.config.flags.kai import KAI, KAI_REPLACED
from podgrouper.config.flags.leading import LEADING
from podgrouper.config.flags.rows import Replaced, Row
from podgrouper.config.flags.upkeep import UPKEEP
from podgrouper.config.flags.volcano import VOLCANO, VOLCANO_REPLACED

ROWS: tuple[Row, ...] = (*GENERAL, *UPKEEP, *LEADING, *VOLCANO, *KAI)
REPLACED: Mapping[str, Replaced] = {one.flag: one for one in (*VOLCANO_REPLACED, *KAI_REPLACED)}
