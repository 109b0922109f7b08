import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.durations import LARGEST, canonical, parse_duration


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        pytest.param("1h30m0s", "1h30m", id="hours and minutes"),
        pytest.param("5m0s", "300000ms", id="milliseconds"),
        pytest.param("500ms", ".5s", id="no whole part"),
        pytest.param("1s", "1.s", id="no fraction after the point"),
        pytest.param("2h45m30.25s", "2h45m30.25s", id="everything"),
        pytest.param("0s", "0", id="bare zero"),
        pytest.param("0s", "-0", id="negative zero"),
        pytest.param("-1m0s", "-1m", id="negative"),
        pytest.param("3s", "+3s", id="plus"),
        pytest.param("1.5µs", "1500ns", id="micro sign"),
        pytest.param("2µs", "2μs", id="Greek letter"),
        pytest.param("1s", "1.0000000000001s", id="below a nanosecond"),
        pytest.param("2562047h47m16.854775807s", "9223372036854775807ns", id="the largest"),
    ],
)
def test_durations_are_read_and_printed_as_go_does(expected, text):
    nanoseconds = parse_duration(text)

    assert nanoseconds is not None
    assert canonical(nanoseconds) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "1d",
        "s",
        ".s",
        "-",
        "1h ",
        " 1h",
        "1h30",
        "--1s",
        "1e3s",
        "٣s",
        "9223372036854775808ns",
        "9" * 99 + "h",
    ],
)
def test_what_go_refuses_is_no_duration(text):
    assert parse_duration(text) is None


@given(st.integers(-LARGEST, LARGEST))
def test_the_canonical_form_reads_back(nanoseconds):
    assert parse_duration(canonical(nanoseconds)) == nanoseconds


@given(st.text(max_size=30))
def test_no_text_is_too_strange(text):
    parse_duration(text)
