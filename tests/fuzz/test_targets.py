"""Every door for strangers: the corpus, and whatever hypothesis makes up."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.test_fields import json_values
from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
SEEDS = sorted(CORPUS.glob("*/*"))

texts = st.binary(max_size=300) | st.text(max_size=300).map(str.encode)
documents = st.lists(json_values, max_size=3).map(json.dumps).map(str.encode)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.parent.name}-{seed.name}")
def test_a_seed_finds_every_promise_kept(seed):
    TARGETS[seed.parent.name](seed.read_bytes())


def test_every_target_has_a_seed():
    assert {seed.parent.name for seed in SEEDS} == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
@given(data=texts | documents)
@settings(max_examples=60)
def test_whatever_comes_every_promise_is_kept(target, data):
    TARGETS[target](data)
