"""Map views: the end of a sorted one is what min or max would find, whatever comes and goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.aggregate.row_engine import map_state as map_view
from firesteel.runtime.aggregate.row_engine.map_state import (
    ExpiringMap,
    Expiry,
    SortedMap,
    StoredMap,
    max_key,
    min_key,
)
from tests.scale import examples

KEYS = st.integers(0, 30)
STEPS = st.lists(st.tuples(st.sampled_from(["put", "put", "delete", "ask"]), KEYS), max_size=60)


@pytest.mark.parametrize("least", [False, True])
@settings(max_examples=examples(100), deadline=None)
@given(STEPS, st.integers(1, 5), st.integers(0, 3))
def test_the_end_of_a_map(least, steps, ends, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_view, "_ENDS", ends)
        patch.setattr(map_view, "_FEW", few)
        view, model, end = {}, {}, min if least else max
        for step, key in steps:
            if step == "put":
                if key not in view and type(view) is not dict:
                    view.added(key)
                view[key] = model[key] = 1
            elif step == "delete":
                model.pop(key, None)
                view.pop(key, None)
            else:
                view, found = (min_key if least else max_key)(view)
                assert found == end(model, default=None)
        assert dict(view) == model


@pytest.mark.parametrize("least", [False, True])
@settings(max_examples=examples(100), deadline=None)
@given(st.sets(KEYS), st.sets(KEYS), STEPS)
def test_the_end_of_what_is_stored_and_what_is_here(least, stored, named, steps):
    """Of the stored keys those that the batch names are here, the others only if they are asked for."""
    end = min if least else max

    def outside(known, at_least):
        assert at_least == least
        return end((key for key in stored if key not in known), default=None)

    view = StoredMap(False, lambda: [(0, key, 1) for key in stored], outside)
    for key in stored & named:
        view.restore(key, 1)
    model = set(stored)
    for step, key in steps:
        if key not in named:
            continue
        if step == "put":
            if key not in view:
                view.added(key)
            view[key] = 2
            model.add(key)
        elif step == "delete":
            view.pop(key, None)
            model.discard(key)
        else:
            assert (min_key if least else max_key)(view)[1] == end(model, default=None)
    assert set(view) == model
    assert (min_key if least else max_key)(view)[1] == end(model, default=None)


def test_only_a_map_of_many_keys_is_kept_in_order():
    few = {1: 1, 2: 1}
    assert max_key(few) == (few, 2)
    many, found = max_key(dict.fromkeys(range(1000), 1))
    assert isinstance(many, SortedMap)
    assert found == 999
    expiring = ExpiringMap(Expiry(10))
    expiring[5] = 1
    assert min_key(expiring) == (expiring, 5)
