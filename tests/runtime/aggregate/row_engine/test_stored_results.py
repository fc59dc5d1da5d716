"""The results in the state of a GroupAggregate are those that it has sent last."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.aggregate.row_engine import stored_results as module
from firesteel.runtime.aggregate.row_engine.stored_results import stored_results, stored_states
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.contents import Contents
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import STRING
from tests.runtime.changes import Row, to_rows, to_table
from tests.runtime.driven_operators import COUNT_STAR, call, spec
from tests.scale import examples

_CALLS = [call("SUM"), COUNT_STAR, call("MAX"), call("MIN"), call("AVG"), call("COUNT", distinct=True)]
_FIRST = [call("FIRST_VALUE", retract=False), call("SUM", retract=False), call("LAST_VALUE", retract=False)]
_SPECS = [spec(_CALLS), spec([call("SUM")], update_before=False), spec([]), spec(_FIRST, retracts=False)]

values = st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, 1, 2, 7]))
batches = st.lists(st.lists(st.tuples(st.sampled_from(["+I", "+I", "-D"]), values), max_size=9), max_size=5)


def results(store: MemoryStore, of: GroupAggregateSpec) -> dict[Any, Row]:
    """Return the results in a store, by key."""
    manifest = store.manifest()
    assert manifest is not None
    contents = Contents.read(manifest, store.runs.__getitem__)
    assert set(stored_states(of)) == set(contents.entries)
    keys = contents.table(of.state_id).select(["k0"])
    rows = [row for table in stored_results(of, SortedRunBackend(store), keys) for row in to_rows(table)]
    assert {kind for kind, *_ in rows} <= {"+I"}
    assert len({key for _, key, *_ in rows}) == len(rows)
    return {key: tuple(rest) for _, key, *rest in rows}


@pytest.mark.parametrize("of", _SPECS, ids=["many", "sum", "none", "inserts"])
@given(changes=batches)
@settings(max_examples=examples(40), deadline=None)
def test_they_are_the_last_rows(of: GroupAggregateSpec, changes: list[list[tuple[str, Any]]]) -> None:
    store, sent = MemoryStore(), dict[Any, Row]()
    backend = SortedRunBackend(store)
    for number, batch in enumerate(changes):
        rows = [(kind if of.input_retracts else "+I", *row) for kind, row in batch]
        operator = GroupAggregate(of, backend, lambda: 0, columnar=number % 2 == 0)
        for kind, key, *rest in to_rows(operator.process(to_table(rows, of.input_types))):
            if kind in ("+I", "+U"):
                sent[key] = tuple(rest)
            elif kind == "-D":
                del sent[key]
        backend.commit()
    if not changes:
        return
    assert results(store, of) == sent
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_KEYS", 2)
        assert results(store, of) == sent


def test_each_key_has_a_row() -> None:
    of = spec([call("SUM")])
    store = MemoryStore()
    backend = SortedRunBackend(store)
    rows = [("+I", f"k{i}", i) for i in range(1000)]
    GroupAggregate(of, backend, lambda: 0).process(to_table(rows, (STRING, of.input_types[1])))
    backend.commit()
    assert results(store, of) == {f"k{i}": (i,) for i in range(1000)}
