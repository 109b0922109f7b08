"""Label selectors: Kubernetes' line of text, held against labels."""

import pytest

from podgrouper.core.selectors import BadSelector, parse, selects

LABELS = {"team": "a", "stage": "test", "size": "3", "empty": ""}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", True, id="nothing is asked for"),
        pytest.param("team=a", True, id="equal"),
        pytest.param("team==a", True, id="equal as in Go"),
        pytest.param(" team = a , stage = test ", True, id="blanks"),
        pytest.param("team=a,stage=prod", False, id="all must hold"),
        pytest.param("team!=a", False, id="not equal"),
        pytest.param("other!=a", True, id="what is absent is not equal"),
        pytest.param("stage in (prod, test)", True, id="in a set"),
        pytest.param("other in (a)", False, id="what is absent is in no set"),
        pytest.param("stage notin (prod,test)", False, id="not in a set"),
        pytest.param("other notin (a)", True, id="what is absent is outside of every set"),
        pytest.param("team", True, id="is there"),
        pytest.param("other", False, id="is not there"),
        pytest.param("!other", True, id="is absent"),
        pytest.param("!team", False, id="is not absent"),
        pytest.param("empty=", True, id="an empty value"),
        pytest.param("team=", False, id="no empty value"),
        pytest.param("size>2,size<4", True, id="between"),
        pytest.param("team>2", False, id="no number is beyond nothing"),
    ],
)
def test_a_selector_chooses_labels(text, expected):
    assert selects(parse(text), LABELS) is expected


@pytest.mark.parametrize("text", ["a in", "a in (b", "=a", "a=b=c", "(a)", "a>x", ",", "a b"])
def test_what_is_no_selector_is_refused(text):
    with pytest.raises(BadSelector, match="unable to parse requirement"):
        parse(text)
