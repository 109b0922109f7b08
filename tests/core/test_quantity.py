"""Quantities: what the API server reads and prints, and the laws of their arithmetic."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from podgrouper.core.quantity import ZERO, Format, Quantity, parse


def printed(value: object) -> str | None:
    found = parse(value)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param("0", "0", id="zero"),
        pytest.param("0Ki", "0", id="zero of any family"),
        pytest.param("-0", "0", id="zero has no sign"),
        pytest.param("0e5", "0", id="zero with an exponent"),
        pytest.param("1", "1", id="one"),
        pytest.param("0.1", "100m", id="a fraction becomes milli"),
        pytest.param(".5", "500m", id="nothing before the point"),
        pytest.param("5.", "5", id="nothing after the point"),
        pytest.param("1.G", "1G", id="nothing between point and suffix"),
        pytest.param("+4", "4", id="plus"),
        pytest.param("-500m", "-500m", id="minus"),
        pytest.param("-1.5", "-1500m", id="minus a fraction"),
        pytest.param("007", "7", id="leading zeros"),
        pytest.param("1n", "1n", id="nano"),
        pytest.param("1u", "1u", id="micro"),
        pytest.param("1000n", "1u", id="nano to micro"),
        pytest.param("1000m", "1", id="milli to one"),
        pytest.param("1500m", "1500m", id="never a fraction"),
        pytest.param("1000", "1k", id="a thousand"),
        pytest.param("1k", "1k", id="kilo"),
        pytest.param("1M", "1M", id="mega"),
        pytest.param("1G", "1G", id="giga"),
        pytest.param("1T", "1T", id="tera"),
        pytest.param("1P", "1P", id="peta"),
        pytest.param("1E", "1E", id="exa, not an exponent"),
        pytest.param("1000E", "1000E", id="no suffix beyond exa"),
        pytest.param(
            "123456789012345678901234567890", "123456789012345678901234567890", id="decimal has no cap"
        ),
        pytest.param("1Ki", "1Ki", id="kibi"),
        pytest.param("1024Ki", "1Mi", id="kibi to mebi"),
        pytest.param("1Ti", "1Ti", id="tebi"),
        pytest.param("1Pi", "1Pi", id="pebi"),
        pytest.param("1Ei", "1Ei", id="exbi"),
        pytest.param("1.5Gi", "1536Mi", id="a fraction of a gibi"),
        pytest.param("0.5Ki", "512", id="below a kibi it is printed as decimal"),
        pytest.param("-0.5Ki", "-512", id="also below nothing"),
        pytest.param("-1Ki", "-1Ki", id="minus a kibi"),
        pytest.param("1.0001Ki", "1024102400u", id="a broken number of bytes is printed as decimal"),
        pytest.param("0.0001Ki", "102400u", id="less than one with a binary suffix"),
        pytest.param("8Ei", "9223372036854775807", id="a binary suffix is cut at 2^63-1"),
        pytest.param("-9Ei", "-9223372036854775807", id="and at minus that"),
        pytest.param("1e3", "1e3", id="exponent"),
        pytest.param("1E3", "1e3", id="exponent with a capital"),
        pytest.param("1e+3", "1e3", id="exponent with plus"),
        pytest.param("1e4", "10e3", id="exponents are multiples of three"),
        pytest.param("12e0", "12", id="exponent nothing"),
        pytest.param("1500e0", "1500", id="not a whole thousand"),
        pytest.param("1e-3", "1e-3", id="negative exponent"),
        pytest.param("1e-10", "1e-9", id="an exponent below nano rounds up"),
        pytest.param("1e21", "1e21", id="exponents beyond exa"),
        pytest.param("1e-999999999", "1e-9", id="a tiny amount costs nothing"),
        pytest.param("0.1n", "1n", id="less than nano rounds up"),
        pytest.param("-0.1n", "-1n", id="away from zero"),
        pytest.param("1.0000000001", "1000000001n", id="the tenth place rounds up"),
        pytest.param("1.0000000000", "1", id="zeros at the end round nothing"),
        pytest.param(4, "4", id="a JSON integer"),
        pytest.param(0.5, "500m", id="a JSON number"),
    ],
)
def test_prints_canonically_what_it_reads(written: object, expected: str) -> None:
    assert printed(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            " ",
            "+",
            "-",
            ".",
            "-.",
            "1 ",
            " 1",
            "1 Gi",
            "1_0",
            "--1",
            "1..2",
            "1.2.3",
            "0x3",
            "NaN",
            "inf",
        ),
        *(
            "m",
            "Ki",
            "e3",
            "1e",
            "1e+",
            "1e1.5",
            "1e3k",
            "1ki",
            "1K",
            "1KI",
            "1g",
            "1Mib",
            "1B",
            "1i",
            "1mm",
            "1U",
        ),
        *("\u0661", "1\u00b2", "1\n", "1\x00", "1e201", "9" * 201, "1e999999999"),
        *(None, True, False, [], {}, float("nan"), float("inf"), 10**200, -(10**200)),
        pytest.param(10**5000, id="too many digits for Python to print"),
    ],
)
def test_what_is_no_quantity_reads_as_none(written: object) -> None:
    assert parse(written) is None


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        pytest.param(["500m", "500m"], "1", id="halves"),
        pytest.param(["1Gi", "1G"], "2073741824", id="binary first, but no whole kibi"),
        pytest.param(["1Mi", "1024"], "1025Ki", id="the first format"),
        pytest.param(["1024", "1Mi"], "1049600", id="the first format, other way round"),
        pytest.param(["0", "1Mi"], "1Mi", id="the first that is not zero"),
        pytest.param(["0Mi", "1k"], "1k", id="zero has no format"),
        pytest.param(["1e3", "1k"], "2e3", id="exponents stay"),
        pytest.param(["1", "-1"], "0", id="nothing left"),
        pytest.param(["4Ei", "4Ei"], "8Ei", id="sums are not cut"),
    ],
)
def test_a_sum_keeps_the_format_of_its_first_operand_that_is_not_zero(
    terms: list[str], expected: str
) -> None:
    assert str(sum((known(term) for term in terms), start=ZERO)) == expected


@pytest.mark.parametrize(
    ("unit", "times", "expected"),
    [
        pytest.param("480Mi", 3, "1440Mi", id="mebi"),
        pytest.param("500m", 2, "1", id="milli"),
        pytest.param("2050m", 3, "6150m", id="milli that stay"),
        pytest.param("1Gi", 2_147_483_647, "2147483647Gi", id="the largest gang"),
        pytest.param("1Gi", 0, "0", id="no gang"),
    ],
)
def test_a_gang_asks_for_so_many_times_the_amount(unit: str, times: int, expected: str) -> None:
    assert str(known(unit) * times) == expected


def known(text: str) -> Quantity:
    found = parse(text)
    assert found is not None
    return found


def test_equal_amounts_are_equal_in_any_format() -> None:
    same = [known(text) for text in ("1", "1000m", "1e0", "1.0", "+1", "0.0009765625Ki")]

    assert len(set(same)) == 1
    assert all(first == second for first, second in itertools.pairwise(same))


def test_the_larger_amount_is_larger_whatever_its_suffix() -> None:
    amounts = ["1n", "-1", "1Gi", "1G", "999m", "1", "1025Mi"]

    assert sorted(amounts, key=known) == ["-1", "1n", "999m", "1", "1G", "1Gi", "1025Mi"]
    assert max(known("1G"), known("1Gi")) == known("1Gi")


# Bounded so that a few hundred of them never leave what `parse` reads.
quantities = st.builds(Quantity, st.integers(-(10**60), 10**60), st.sampled_from(Format))
suffixes = {
    "n": Fraction(1, 10**9),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(1000),
    "Ki": Fraction(1024),
}


@given(quantities)
def test_what_is_printed_reads_as_the_same_amount(quantity: Quantity) -> None:
    # The cap is for numbers that a person wrote; a sum may pass it, and is cut when it is read again.
    assume(quantity.format is not Format.BINARY or abs(quantity.nanos) < 2**63 * 10**9)

    assert parse(str(quantity)) == quantity


@given(quantities)
def test_what_was_read_and_printed_once_stays_as_it_is(quantity: Quantity) -> None:
    # Not at once: a binary amount without a suffix is read as a decimal one, 3125000 bytes become 3125k.
    once = printed(str(quantity))

    assert printed(once) == once


@given(st.decimals(-(10**6), 10**6, places=9, allow_nan=False), st.sampled_from(sorted(suffixes)))
def test_reads_the_number_times_its_suffix_and_never_less(number: object, suffix: str) -> None:
    exact = Fraction(str(number)) * suffixes[suffix] * 10**9

    read = known(f"{number:f}{suffix}").nanos

    assert (read - exact) * (1 if exact >= 0 else -1) >= 0
    assert abs(read - exact) < 1


@given(quantities, quantities, quantities)
def test_addition_does_not_depend_on_order(first: Quantity, second: Quantity, third: Quantity) -> None:
    assert first + second == second + first
    assert (first + second) + third == first + (second + third)


@given(quantities, st.integers(0, 40))
def test_multiplying_is_adding_so_many_times(quantity: Quantity, times: int) -> None:
    added = sum(itertools.repeat(quantity, times), start=ZERO)

    assert str(quantity * times) == str(added)


@given(st.text() | st.integers() | st.floats() | st.text(alphabet="0123456789.+-eEinumkKMGTP"))
def test_never_raises(value: object) -> None:
    found = parse(value)

    assert found is None or isinstance(str(found), str)
