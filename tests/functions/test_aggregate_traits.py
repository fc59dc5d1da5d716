"""Every built-in aggregate function says what planner rules need to know about it."""

from __future__ import annotations

from firesteel.functions.signatures.aggregate_traits import TRAITS, traits_of
from firesteel.runtime.aggregate.functions.registry import AGGREGATES


def test_each_built_in_function_is_listed() -> None:
    assert set(TRAITS) == set(AGGREGATES)


def test_what_is_unknown_has_no_local_phase() -> None:
    assert not traits_of("a function of the user's").merges
