"""The ordered map against sorted dictionaries, whatever the batches, the commits and the merges."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel.errors import InternalError, JobError
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state import levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore, memory_backend
from firesteel.runtime.state.order_codes import SortOrder, order_codes, order_words
from tests.runtime.state.colliding import narrow
from tests.scale import examples

NAMES = ["", "a", "b", "key"]
NAN = float("nan")
COMPOSITE = pa.struct([("f0", pa.int64()), ("f1", pa.string()), ("f2", pa.decimal128(38, 2))])
ORDERS = (SortOrder(True, True), SortOrder(), SortOrder(True))

TEXTS = ["", "a", "b", "a\0", "a\0\0", "é", "\U0001f525"]
TEXTS += ["longer than a word", "longer than a word and", "longer than"]
MOST = "9" * 36 + ".99"
WIDE = [Decimal(v) for v in ("0.00", "-0.01", "1.00", MOST, f"-{MOST}", "92233720368547758.08")]
ROWS = [(i, s, d) for i in (None, -1, 1) for s in (None, "", "a\0", "ab") for d in (None, *WIDE[:3])]
SAMPLES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int32": (pa.int32(), [-(2**31), -2, -1, 0, 1, 2, 2**31 - 1]),
    "int64": (pa.int64(), [-(2**63), -2, -1, 0, 1, 2, 2**63 - 1]),
    "double": (pa.float64(), [-math.inf, -1.5, -0.0, 0.0, 1e-300, 1.5, math.inf, NAN]),
    "float": (pa.float32(), [-math.inf, -1.5, -0.0, 0.0, 1.5, math.inf, NAN]),
    "decimal": (pa.decimal128(10, 2), [Decimal("-5.00"), Decimal("-0.01"), Decimal("0.00"), Decimal("5.01")]),
    "wide decimal": (pa.decimal128(38, 2), WIDE),
    "string": (pa.string(), TEXTS),
    "binary": (pa.binary(), [text.encode() for text in TEXTS] + [b"\xff", b"\xff\xff"]),
    "boolean": (pa.bool_(), [False, True]),
    "date": (pa.date32(), [date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31)]),
    "timestamp": (pa.timestamp("ns"), [-(2**60), -1, 0, 1, 999_999_999, 2**60]),
    "composite": (COMPOSITE, ROWS),
}  # fmt: skip


def rank(value: Any) -> Any:
    """What sorts as the state does, told in Python."""
    if isinstance(value, tuple):
        number, text, money = value
        return (
            (1, 0) if number is None else (0, -number),
            (0, b"") if text is None else (1, text.encode()),
            (0, 0) if money is None else (1, -money),
        )
    if isinstance(value, float):
        return (1, 0.0, 0) if math.isnan(value) else (0, value, math.copysign(1, value))
    return value.encode() if isinstance(value, str) else value


def to_array(kind: pa.DataType, values: list[Any]) -> pa.Array:
    if kind == COMPOSITE:
        return pa.array([dict(zip(["f0", "f1", "f2"], value, strict=True)) for value in values], kind)
    return pa.array(values, kind)


def from_array(array: pa.Array) -> list[Any]:
    """As `rank` gives them."""
    if array.type == COMPOSITE:
        return [rank(tuple(row.values())) for row in array.to_pylist()]
    if pa.types.is_timestamp(array.type):
        return array.cast(pa.int64()).to_pylist()
    return [rank(value) for value in array.to_pylist()]


@pytest.mark.parametrize("name", SAMPLES)
def test_words_and_codes_sort_as_the_values(name):
    kind, values = SAMPLES[name]
    expected = sorted(values, key=rank)
    array = to_array(kind, expected)
    if kind == COMPOSITE:
        codes = order_codes(array, ORDERS).to_pylist()
        assert codes == sorted(set(codes))
        return
    words = order_words(array).tolist()
    assert words == sorted(words)
    for orders in [(SortOrder(),), (SortOrder(descending=True, nulls_last=True),)]:
        one = pa.StructArray.from_arrays([array], ["f0"])
        codes = order_codes(one, orders).to_pylist()
        assert codes == sorted(set(codes), reverse=orders[0].descending)


def test_nulls_stand_where_they_are_wanted():
    one = pa.StructArray.from_arrays([pa.array([1, None, 2])], ["f0"])
    for descending in (False, True):
        for last in (False, True):
            codes = order_codes(one, [SortOrder(descending, last)]).to_pylist()
            assert sorted(codes).index(codes[1]) == (2 if last else 0)


def test_nans_are_one_sub_key():
    other = float(np.array([0x7FF8000000000001], np.int64).view(np.float64)[0])
    words = order_words(pa.array([NAN, other, math.inf])).tolist()
    assert words[0] == words[1] > words[2]


@pytest.fixture
def collisions(request, monkeypatch):
    """Where hashes collide, all keys share a first word of one of two values."""
    if request.param:
        narrow(monkeypatch, 1)
    monkeypatch.setattr(levels, "FAN_IN", 3)
    monkeypatch.setattr(levels, "WORK_FLOOR", 3)
    monkeypatch.setattr(levels, "WORK_PER_ROW", 1)
    monkeypatch.setattr(levels, "PIECE_ROWS", 5)


def keys_of(names: list[str]) -> Keys:
    return find_keys([pa.array(names, pa.string())], len(names))


Model = dict[str, dict[Any, tuple[Any, int]]]
"""By key and rank: the sub-key and what is there."""


class Checked:
    """A state and what it should hold."""

    def __init__(self, name: str) -> None:
        self.kind, self.values = SAMPLES[name]
        self.model: Model = {key: {} for key in NAMES}
        self.store = MemoryStore()
        self.open()

    def open(self) -> None:
        self.backend = SortedRunBackend.open(self.store)
        orders = ORDERS if self.kind == COMPOSITE else ()
        self.state = self.backend.ordered("o", self.kind, [pa.int64()], orders=orders)

    def put(self, rows: dict[tuple[str, int], tuple[int, bool]]) -> None:
        keys = keys_of([key for key, _ in rows])
        names = keys.columns[0].to_pylist()
        pairs = list(rows)
        owners = np.array([names.index(key) for key, _ in pairs], np.int64)
        values = [self.values[at % len(self.values)] for _, at in pairs]
        subs = to_array(self.kind, values)
        found = self.state.get(keys, owners, subs, 0)
        expected = [
            self.model[key].get(rank(v), (None, None))[1] for (key, _), v in zip(pairs, values, strict=True)
        ]
        assert found.columns[0].to_pylist() == expected
        assert found.found.tolist() == [value is not None for value in expected]
        live = np.array([not dead for _, dead in rows.values()], np.bool_)
        self.state.put(keys, owners, subs, [pa.array([n for n, _ in rows.values()], pa.int64())], 0, live)
        for (key, _), value, (number, dead) in zip(pairs, values, rows.values(), strict=True):
            self.model[key].pop(rank(value), None)
            if not dead:
                self.model[key][rank(value)] = (value, number)

    def check(self, draw: Any) -> None:
        keys = keys_of(NAMES)
        names = keys.columns[0].to_pylist()
        everything = {name: sorted(self.model[name]) for name in names}
        all_ = np.arange(len(names))
        self.same(self.state.entries(keys, all_, 0), keys, everything)
        owners = np.array(sorted(draw(st.sets(st.sampled_from(range(len(names)))))), np.int64)
        counts = np.array([draw(st.integers(0, 5)) for _ in owners], np.int64)
        bounds = [self.values[draw(st.integers(0, len(self.values) - 1))] for _ in owners]
        tops = [self.values[draw(st.integers(0, len(self.values) - 1))] for _ in owners]
        low, high = to_array(self.kind, bounds), to_array(self.kind, tops)
        mine = [
            (names[o], int(n), rank(b), rank(t))
            for o, n, b, t in zip(owners, counts, bounds, tops, strict=True)
        ]
        state = self.state
        self.same(state.first(keys, owners, counts, 0), keys, {k: everything[k][:n] for k, n, _, _ in mine})
        self.same(
            state.last(keys, owners, counts, 0), keys, {k: everything[k][::-1][:n] for k, n, _, _ in mine}
        )
        self.same(
            state.first(keys, owners, counts, 0, low), keys,
            {k: [v for v in everything[k] if v >= b][:n] for k, n, b, _ in mine},
        )  # fmt: skip
        self.same(
            state.last(keys, owners, counts, 0, low), keys,
            {k: [v for v in everything[k] if v <= b][::-1][:n] for k, n, b, _ in mine},
        )  # fmt: skip
        self.same(
            state.range(keys, owners, low, high, 0), keys,
            {k: [v for v in everything[k] if b <= v < t] for k, _, b, t in mine},
        )  # fmt: skip
        self.same(
            state.range(keys, owners, None, high, 0), keys,
            {k: [v for v in everything[k] if v < t] for k, _, _, t in mine},
        )  # fmt: skip
        self.floor(keys, np.repeat(owners, 2)[::-1].copy(), bounds + tops)

    def floor(self, keys: Keys, owners: Any, wanted: list[Any]) -> None:
        names = keys.columns[0].to_pylist()
        found = self.state.floor(keys, owners, to_array(self.kind, wanted), 0)
        for i, owner in enumerate(owners.tolist()):
            below = [v for v in sorted(self.model[names[owner]]) if v <= rank(wanted[i])]
            assert found.found[i] == bool(below)
            if below:
                assert from_array(found.columns[0].slice(i, 1)) == below[-1:]
                assert found.columns[1][i].as_py() == self.model[names[owner]][below[-1]][1]

    def same(self, entries: Any, keys: Keys, expected: dict[str, list[Any]]) -> None:
        names = keys.columns[0].to_pylist()
        assert (np.diff(entries.owners) >= 0).all()
        found: dict[str, list[Any]] = {}
        rows = zip(
            entries.owners.tolist(), from_array(entries.sub_keys), entries.columns[0].to_pylist(), strict=True
        )
        for owner, sub, number in rows:
            found.setdefault(names[owner], []).append(sub)
            assert self.model[names[owner]][sub][1] == number
        assert found == {name: subs for name, subs in expected.items() if subs}


ENTRY = st.tuples(st.sampled_from(NAMES), st.integers(0, 40), st.integers(0, 100), st.booleans())
BATCHES = st.lists(st.tuples(st.lists(ENTRY, max_size=20), st.booleans()), max_size=7)


@pytest.mark.usefixtures("collisions")
@pytest.mark.parametrize(
    ("name", "collisions"),
    [*((name, False) for name in SAMPLES), *((name, True) for name in ("int64", "string", "composite"))],
    indirect=["collisions"],
)
@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(BATCHES, st.data())
def test_is_a_sorted_dictionary(name, batches, data):
    checked = Checked(name)
    size = len(checked.values)
    for entries, commit in batches:
        checked.put({(key, at % size): (number, dead) for key, at, number, dead in entries})
        if commit:
            checked.backend.commit()
            checked.open()
        checked.check(data.draw)
    gone = data.draw(st.sampled_from(NAMES))
    keys = keys_of([gone])
    checked.state.clear(keys, np.array([0]), 0)
    checked.model[gone] = {}
    checked.check(data.draw)


def fill(state, values: np.ndarray, live: bool = True) -> None:
    keys = keys_of(["hot"])
    columns = [pa.array(values)]
    state.put(keys, np.zeros(len(values), np.int64), pa.array(values), columns, 0, np.full(len(values), live))


@pytest.fixture
def taken(monkeypatch) -> list[int]:
    """Counts the entries that are read out of runs."""
    rows: list[int] = []
    take = levels.Run.take

    def counted(run, index):
        rows.append(len(index))
        return take(run, index)

    monkeypatch.setattr(levels.Run, "take", counted)
    return rows


def test_reading_costs_what_is_asked_for(taken):
    state = memory_backend().ordered("o", pa.int64(), [pa.int64()])
    generator = np.random.default_rng(0)
    fill(state, generator.permutation(200_000))
    for start in range(0, 500, 100):  # the last 500 go
        fill(state, np.arange(199_900 - start, 200_000 - start), live=False)
    keys, one, taken[:] = keys_of(["hot"]), np.array([0]), []
    assert state.first(keys, one, np.array([3]), 0).sub_keys.to_pylist() == [0, 1, 2]
    assert sum(taken) < 50
    taken.clear()
    assert state.last(keys, one, np.array([2]), 0).sub_keys.to_pylist() == [199_499, 199_498]
    assert sum(taken) < 10_000
    taken.clear()
    start = pa.array([199_500])
    assert state.last(keys, one, np.array([2]), 0, start).sub_keys.to_pylist() == [199_499, 199_498]
    assert sum(taken) < 50
    taken.clear()
    assert state.floor(keys, np.zeros(2, np.int64), pa.array([-1, 77]), 0).columns[0].to_pylist() == [
        None,
        77,
    ]
    assert state.range(keys, one, pa.array([5]), pa.array([9]), 0).sub_keys.to_pylist() == [5, 6, 7, 8]
    assert sum(taken) < 50


def test_merges_of_one_key_are_spread_over_batches_and_drop_what_is_dead(monkeypatch):
    monkeypatch.setattr(levels, "WORK_FLOOR", 1000)
    rows: list[int] = []
    merge = levels.merge
    monkeypatch.setattr(
        levels, "merge", lambda runs, *rest: rows.append(sum(map(len, runs))) or merge(runs, *rest)
    )
    state = memory_backend().ordered("o", pa.int64(), [pa.int64()])
    generator = np.random.default_rng(1)
    for _ in range(8):
        fill(state, generator.choice(1_000_000, 20_000, replace=False))
    rows.clear()
    for _ in range(150):
        fill(state, generator.choice(1_000_000, 500, replace=False))
    assert max(rows) < 20_000
    left = state.entries(keys_of(["hot"]), np.array([0]), 0).sub_keys.to_numpy()
    for part in np.array_split(generator.permutation(left), 20):
        fill(state, part, live=False)
    for _ in range(40):
        fill(state, np.arange(500))
    assert sum(len(run) for _, run in state.levels.clipped_runs()) < len(left)


def test_entries_expire_alone():
    state = memory_backend().ordered("o", pa.int64(), [pa.int64()], ttl=400)
    keys, one = keys_of(["a"]), np.zeros(1, np.int64)
    for sub, now in [(9, 0), (1, 250), (5, 300), (1, 500)]:
        state.put(keys, one, pa.array([sub]), [pa.array([sub])], now)
    many = np.array([9])
    assert state.last(keys, one, many, 399).sub_keys.to_pylist() == [9, 5, 1]
    assert state.last(keys, one, many, 400).sub_keys.to_pylist() == [5, 1]
    assert state.first(keys, one, many, 700).sub_keys.to_pylist() == [1]
    assert not state.floor(keys, one, pa.array([10]), 900).found.any()
    assert not len(state.range(keys, one, None, None, 900).owners)


def test_null_is_no_sub_key_and_not_every_type_has_an_order():
    state = memory_backend().ordered("o", pa.int64(), [pa.int64()])
    keys, two = keys_of(["a"]), np.zeros(2, np.int64)
    state.put(keys, two[:1], pa.array([0]), [pa.array([7])], 0)
    assert state.get(keys, two, pa.array([None, 0]), 0).columns[0].to_pylist() == [None, 7]
    with pytest.raises(InternalError, match="NULL is no sub-key"):
        state.put(keys, two, pa.array([None, 0]), [pa.array([1, 2])], 0)
    with pytest.raises(InternalError, match=r"list<.*> have no order"):
        memory_backend().ordered("o", pa.list_(pa.int64()), [])


def test_another_order_is_refused():
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    kind = pa.struct([("f0", pa.int64())])
    backend.ordered("o", kind, [], orders=[SortOrder()])
    backend.commit()
    with pytest.raises(JobError, match=r"by ASC NULLS FIRST state of .* needs an ordered map by DESC"):
        SortedRunBackend.open(store).ordered("o", kind, [], orders=[SortOrder(descending=True)])
    with pytest.raises(JobError, match="needs a map state"):
        SortedRunBackend.open(store).map("o", kind, [])
