"""The reference pages are rendered from the code, and are current."""

import pytest

from tools.reference import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_the_code_says(name):
    assert (FOLDER / name).read_text() == PAGES[name](), "run `make docs`"
