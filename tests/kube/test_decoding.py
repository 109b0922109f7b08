"""From bytes to objects: fast where possible, never lost."""

import json
from math import nan

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.kube.decoding import TOKENS_LIMIT, Assembly, Decoder, TooLarge, object_of, tolerant

DEEP = (
    b'{"type":"ADDED","object":{"name":"a","deep":' + b'{"x":[' * 4000 + b"1" + b"]}" * 4000 + b',"z":"]"}}'
)


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_lines_come_out_as_they_went_in(chunks):
    assembly = Assembly()

    lines = b"".join(assembly.complete(chunk) for chunk in chunks)

    whole = b"".join(chunks)
    assert lines == whole[: whole.rfind(b"\n") + 1]
    assert assembly.size == len(whole) - len(lines)


def test_only_a_newline_ends_a_line():
    line = json.dumps({"type": "ADDED", "object": {"note": "a\u0085b\u2028c\u000bd"}}, ensure_ascii=False)

    found = Decoder().lines(line.encode() + b"\n")

    assert [line.object for line in found.lines] == [{"note": "a\u0085b\u2028c\u000bd"}]


def test_what_is_nested_too_deep_for_python_is_left_out_and_the_rest_is_there():
    found = Decoder().lines(DEEP + b"\n")

    assert [(line.object["name"], line.object["z"]) for line in found.lines] == [("a", "]")]


def nested(levels, times):
    return b'{"type":"ADDED","object":{"a":[' + b"[" * levels + b"]" * levels + b",{}" * times + b"]}}"


def test_what_is_too_deep_and_too_large_to_be_cut_is_passed_over_and_the_rest_is_there():
    line = nested(levels=4000, times=TOKENS_LIMIT)

    found = Decoder().lines(line + b"\n" + b'{"type":"ADDED","object":{"name":"b"}}\n')

    assert [line.object for line in found.lines] == [None, {"name": "b"}]
    assert not found.broken
    with pytest.raises(TooLarge):
        object_of(line)


def test_in_a_list_it_costs_its_time_for_without_it_there_is_no_list():
    page = Decoder().page(b'{"items":[' + nested(levels=4000, times=TOKENS_LIMIT) + b',{"name":"b"}]}')

    assert page.items[1] == {"name": "b"}


def test_so_it_is_in_a_list():
    item = DEEP.removeprefix(b'{"type":"ADDED","object":')[:-1]

    page = Decoder().page(b'{"metadata":{"resourceVersion":"5"},"items":[' + item + b',{"name":"b"}]}')

    assert ([item["name"] for item in page.items], page.version) == (["a", "b"], "5")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b'"\\ud800x"', "?x", id="half a surrogate pair"),
        pytest.param(b'{"\\ud800":["\\udc00"]}', {"?": ["?"]}, id="in keys and lists"),
        pytest.param(b'"\xff"', "\ufffd", id="broken UTF-8"),
        pytest.param(b'"\\ud83d\\ude00"', "\U0001f600", id="a whole surrogate pair"),
        pytest.param(b'"\\"[["', '"[[', id="brackets in texts"),
        pytest.param(b"[1,true,null]", [1, True, None], id="no texts"),
        pytest.param(b"[" + b"9" * 5000 + b"]", [float("inf")], id="more digits than Python reads"),
        pytest.param(b"[1e400,-0,NaN]", [float("inf"), 0, pytest.approx(nan, nan_ok=True)], id="odd numbers"),
    ],
)
def test_any_text_can_be_written_down_again(data, expected):
    assert tolerant(data) == expected
    assert msgspec.json.encode(tolerant(data))


@given(st.binary())
def test_nothing_is_too_strange_for_a_watch(data):
    Decoder().lines(data + b"\n")


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"<html>", b"{", b"\xff", b"[" * 5000])
def test_what_is_no_object_is_refused(body):
    with pytest.raises(ValueError, match=r".*"):
        object_of(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"items":null}', id="null"),
        pytest.param(b'{"items":3,"metadata":[]}', id="other types"),
        pytest.param(b"{}", id="nothing"),
        pytest.param(b'{"items":[1,"x",null]}', id="items that are no objects"),
    ],
)
def test_a_page_without_items_is_empty(body):
    assert list(Decoder().page(body).items) == []
