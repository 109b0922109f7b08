import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.model import Kind, Ref
from podgrouper.policies.kai.texts.owner_text import owner_text, scalar


def test_the_owner_is_five_lines_in_one_order():
    owner = Ref(Kind("batch/v1", "Job"), "team", "train", "7")

    assert owner_text(owner) == 'name: train\nuid: "7"\ngroup: batch\nversion: v1\nkind: Job\n'


def test_the_core_group_is_an_empty_text():
    assert 'group: ""\nversion: v1\n' in owner_text(Ref(Kind("v1", "Pod"), "team", "p", "u"))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        pytest.param("etl-run", "etl-run", id="an ordinary name"),
        pytest.param("a.b-1", "a.b-1", id="dots and digits"),
        pytest.param('""', "", id="empty"),
        pytest.param('"12345"', "12345", id="integer"),
        pytest.param('"007"', "007", id="octal of old"),
        pytest.param('"1.5"', "1.5", id="decimal"),
        pytest.param('"1e10"', "1e10", id="exponent"),
        pytest.param('".5"', ".5", id="decimal without a whole"),
        pytest.param('"0x1f"', "0x1f", id="hexadecimal"),
        pytest.param('"0b11"', "0b11", id="binary"),
        pytest.param('"0o17"', "0o17", id="octal"),
        pytest.param('"1_000"', "1_000", id="underscores"),
        pytest.param('"12:30:45"', "12:30:45", id="base sixty"),
        pytest.param('"2026-11-18"', "2026-11-18", id="date"),
        pytest.param('"2026-11-18T10:00:00Z"', "2026-11-18T10:00:00Z", id="time"),
        pytest.param("2026-13-18", "2026-13-18", id="no such month"),
        pytest.param('"true"', "true", id="truth"),
        pytest.param('"No"', "No", id="truth of old"),
        pytest.param('"y"', "y", id="truth in one letter"),
        pytest.param('"NULL"', "NULL", id="null"),
        pytest.param('"~"', "~", id="null as a sign"),
        pytest.param('".inf"', ".inf", id="infinity"),
        pytest.param('"<<"', "<<", id="merge key"),
        pytest.param("12ab-34", "12ab-34", id="starts like a number"),
        pytest.param("yesterday", "yesterday", id="starts like a truth"),
        pytest.param("system:node", "system:node", id="colon inside"),
        pytest.param("'a: b'", "a: b", id="reads as a map"),
        pytest.param("'it''s #1 '", "it's #1 ", id="single quote and a space at the end"),
        pytest.param('"a\\u000Ab"', "a\nb", id="line break"),
    ],
)
def test_scalars_are_quoted_as_go_quotes_them(expected, text):
    assert scalar(text) == expected


@given(st.text())
def test_whatever_the_text_it_reads_back_as_the_same_text(text):
    assert yaml.safe_load(f"name: {scalar(text)}\n") == {"name": text}


def test_long_names_are_not_folded():
    assert owner_text(Ref(Kind("v1", "Pod"), "team", "a" * 250, "u")).count("\n") == 5
