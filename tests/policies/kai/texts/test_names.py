import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.policies.kai.texts.names import LONGEST, is_subdomain, valid_name


@pytest.mark.parametrize(
    "name", [pytest.param("pg-a-1", id="short"), pytest.param("a." * 126 + "b", id="as long as may be")]
)
def test_a_good_name_stays(name):
    assert valid_name(name) == name


@given(st.text())
def test_every_name_becomes_one_that_the_api_takes(name):
    assert is_subdomain(valid_name(name))


def test_two_long_names_with_one_beginning_stay_two():
    long = "a" * LONGEST

    assert valid_name(f"{long}b") != valid_name(f"{long}c")


def test_what_was_cleaned_still_tells_what_it_was():
    assert valid_name("Spark_App").startswith("spark-app-")
