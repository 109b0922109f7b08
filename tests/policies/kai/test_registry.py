"""What every grouper of the registry owes to the page that is rendered from it."""

import pytest

from podgrouper.config.settings import KAI
from podgrouper.policies.kai.registry import GROUPERS

EACH = pytest.mark.parametrize("grouper", GROUPERS, ids=lambda grouper: grouper.kinds[0].kind)


@EACH
def test_a_grouper_says_its_rule_in_a_sentence(grouper):
    assert grouper.rule.endswith(".")


@EACH
def test_the_settings_that_a_grouper_heeds_exist(grouper):
    settings = {name for name in grouper.heeds if "/" not in name}

    assert settings <= {field.key for field in KAI.fields}
