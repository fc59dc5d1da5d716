"""Keys of a batch: binary equality, order, key groups, and hashes that stay what they are."""

from __future__ import annotations

import hashlib
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import KIND, SEQUENCE
from firesteel.kernels.column_hashes import fingerprint, hash_columns
from firesteel.runtime.columns.keys import find_keys, key_group, key_groups
from firesteel.types.arrow import entries
from tests.runtime.state.colliding import narrow
from tests.scale import examples

TEXTS = [
    "",
    "a",
    "b",
    "1234567",
    "12345678",
    "123456789",
    "x" * 300,
    "x" * 299 + "y",
    "é",
    "\0",
    "\0\0",
    None,
]
NAN = float("nan")
OTHER_NAN = float(np.array([0x7FF8000000000001], np.int64).view(np.float64)[0])


def check(values: list, kind: pa.DataType, identities: list) -> None:
    """Rows have the same key exactly where their identities are equal."""
    array = pa.array(values, kind)
    for column in (
        array,
        pa.chunked_array([array[:1], array[1:]]),
        pa.concat_arrays([array, array])[len(array) :],
    ):
        keys = find_keys([column], len(array))
        groups: dict = {}
        for row, identity in enumerate(identities):
            groups.setdefault(identity, []).append(row)
        assert len(keys) == len(groups)
        assert sorted(
            keys.order[a : a + n].tolist() for a, n in zip(keys.starts, keys.counts, strict=True)
        ) == sorted(groups.values())
        codes = keys.codes
        assert [keys.columns[0][int(codes[i])].is_valid for i in range(len(array))] == [
            v is not None for v in values
        ]
        assert (np.diff(keys.hash1.astype(object)) >= 0).all()


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=40))
@settings(max_examples=examples(60), deadline=None)
def test_strings(values):
    check(values, pa.string(), values)
    check([v if v is None else v.encode() for v in values], pa.large_binary(), values)


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_floats_are_equal_in_binary_form(kind):
    check(
        [0.0, -0.0, NAN, OTHER_NAN, 1.5, None, -0.0, NAN],
        kind,
        ["0", "-0", "nan", "nan", "1.5", None, "-0", "nan"],
    )


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.int8(), [-1, 0, 127, None, -1]),
        (pa.int64(), [2**63 - 1, -(2**63), 0, None, 0]),
        (pa.bool_(), [True, False, None, True]),
        (
            pa.decimal128(38, 2),
            [Decimal("1.00"), Decimal("-1.00"), None, Decimal("9" * 36 + ".99"), Decimal("1.00")],
        ),
        (pa.list_(pa.int32()), [(1, 2), (2, 1), (), None, (1, 2), (1, None), (1,)]),
        (pa.null(), [None, None]),
    ],
)
def test_other_types(kind, values):
    check(values, kind, values)


def test_nested_types():
    rows = [{"a": 1, "b": "x"}, {"a": None, "b": "x"}, None, {"a": 1, "b": "x"}, {"a": 1, "b": None}]
    check(rows, pa.struct([("a", pa.int32()), ("b", pa.string())]), [str(row) for row in rows])
    maps = [[("k", 1)], [("k", 2)], [], None, [("k", 1)]]
    check(maps, entries(pa.string(), pa.int32()), [str(row) for row in maps])


def test_columns_do_not_run_together():
    columns = [pa.array(["a", "ab", "a", ""]), pa.array(["bc", "c", "bc", "abc"])]
    assert len(find_keys(columns, 4)) == 3
    assert len(find_keys([pa.array([None, 1]), pa.array([1, None])], 2)) == 2


def test_no_columns_make_one_key_and_no_rows_none():
    assert find_keys([], 3).order.tolist() == [0, 1, 2]
    assert len(find_keys([], 3)) == 1
    assert len(find_keys([pa.array([], pa.string())], 0)) == 0


def test_keys_that_share_leading_bits_are_distinguished(monkeypatch):
    narrow(monkeypatch, 3)
    values = [f"key {i % 50}" for i in range(200)]
    check(values, pa.string(), values)


def test_hashes_spread_and_are_independent():
    hash1, hash2 = hash_columns([pa.array(np.arange(100_000))], 100_000)
    assert len(np.unique(hash1)) == len(np.unique(hash2)) == 100_000
    bits = np.unpackbits((hash1 ^ hash2).view(np.uint8)).mean()
    assert abs(bits - 0.5) < 0.01
    counts = np.bincount(key_group(hash1, 128), minlength=128)
    assert counts.min() > 600
    assert counts.max() < 1000


def test_hash_functions_are_fixed():
    """A checkpoint is read by later versions: do not change this value, write a new layout."""
    probes: list[pa.Array] = [
        pa.array([1, None, -7]),
        pa.array([True, None, False]),
        pa.array([0.5, float("nan"), -0.0]),
        pa.array(["", "firesteel", "x" * 300]),
        pa.array([[1, 2], [], None]),
        pa.array([{"a": 1}, None, {"a": 3}]),
        pa.array([1, None, 3]).cast(pa.decimal128(38, 2)),
    ]
    digest = hashlib.blake2b(digest_size=8)
    for hashes in hash_columns(probes, 3):
        digest.update(hashes.astype("<u8").tobytes())
    assert digest.hexdigest() == fingerprint() == "8bdaf6c552634459"


def test_key_groups_of_changes():
    changes = pa.table(
        {KIND: pa.array([0, 0, 0], pa.int8()), SEQUENCE: [0, 1, 2], "f0": [7, 8, 7], "f1": ["a", "b", "a"]}
    )
    groups = key_groups(changes, (1, 0), 128)
    assert groups[0] == groups[2]
    assert groups.dtype == np.int32
    assert key_groups(changes, (0,), 1).tolist() == [0, 0, 0]
