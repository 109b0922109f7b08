"""Whatever happens between the program and the API server: soon after it, the world is as without it."""

import pytest

from tests.faults.faults import BY_PAGES, REPRESENTATIVE, THOROUGH, Fault
from tests.faults.figures import Figure, Memory
from tests.faults.site import Site

MARGIN_MIB = 24.0
"""What Python does not give back after the largest thing that it held: lists of everything at once, on two
dozen connections of up to a megabyte of bytes read ahead."""


def rows(faults, *marks):
    return [pytest.param(fault, id=fault.name, marks=marks) for fault in faults]


def survives(site: Site, fault: Fault, figures: list[Figure]) -> None:
    """The fault comes and goes, and afterwards nothing is left of it."""
    fault.befalls(site)
    seconds = site.recover(fault.within)
    repeated, foreign = site.repeated_writes(), site.foreign_changes()
    figures.append(Figure(fault.name, 1, seconds, len(repeated), len(foreign)))
    site.memories.append(site.program.memory())
    assert repeated == []
    assert foreign == []


@pytest.mark.parametrize("fault", [*rows(REPRESENTATIVE), *rows(THOROUGH, pytest.mark.faults)])
def test_after_it_the_world_is_as_if_nothing_had_been(site, fault, figures):
    survives(site, fault, figures)


@pytest.mark.parametrize("fault", rows(BY_PAGES, pytest.mark.faults))
def test_so_it_is_where_the_server_is_listed_page_by_page(site_by_pages, fault, figures):
    survives(site_by_pages, fault, figures)


@pytest.mark.faults
def test_after_all_of_them_the_memory_is_back_where_it_was(site, memories):
    before, after = site.memories[0], min(site.memories[-5:])
    memories.append(Memory(before, after, len(site.memories)))

    assert after <= before + MARGIN_MIB
