"""The book of missing rights: what is in it, and what is said of it."""

import logging

import pytest

from podgrouper.controller.rights import FORGET_SECONDS, Rights
from podgrouper.core.model import POD, Ref
from podgrouper.kube import requests
from podgrouper.kube.errors import ApiError, Conflict, Forbidden
from podgrouper.kube.requests import Request, Resource
from podgrouper.kube.rights import Right

PODS = Resource(POD, "pods", namespaced=True)
LINKING = Right("pods", "patch")


class Book:
    """One, with a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rights = Rights(lambda: self.now)

    def refused(self, namespace: str = "a") -> None:
        words = f'User "u" cannot patch resource "pods" in API group "" in the namespace "{namespace}"'
        self.rights(patch(namespace), Forbidden(words))

    def answered(self, namespace: str = "a", error: ApiError | None = None) -> None:
        self.rights(patch(namespace), error)


def patch(namespace: str) -> Request:
    return requests.json_patch(PODS, Ref(POD, namespace, "web"), [])


@pytest.fixture
def book() -> Book:
    return Book()


def test_what_was_refused_is_missing_until_it_is_granted(book):
    book.refused()
    missing = book.rights.missing()
    book.answered()

    assert (missing, book.rights.missing()) == ({LINKING}, set())


@pytest.mark.parametrize(
    ("namespace", "error"),
    [
        pytest.param("b", None, id="it is there elsewhere"),
        pytest.param("a", Conflict("somebody was quicker"), id="it failed for another reason"),
    ],
)
def test_it_stays_missing(book, namespace, error):
    book.refused()
    book.answered(namespace, error)

    assert book.rights.missing() == {LINKING}


def test_what_nobody_asks_for_any_more_is_forgotten(book):
    book.refused()
    book.now = FORGET_SECONDS + 1

    assert book.rights.missing() == set()


def test_one_right_is_one_line_however_many_namespaces_and_times(book, caplog):
    caplog.set_level(logging.INFO)
    for namespace in ("a", "b", "a"):
        book.refused(namespace)
    for namespace in ("a", "b"):
        book.answered(namespace)

    assert [line.partition(":")[0] for line in caplog.messages] == [
        "missing right",
        "the right is there again",
    ]
