"""Arrays, maps and rows."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Draw, Family, call, one_of, up_to

COLUMNS = {
    "a": "ARRAY<INT>",
    "a2": "ARRAY<INT>",
    "sa": "ARRAY<STRING>",
    "da": "ARRAY<DOUBLE>",
    "ma": "ARRAY<DECIMAL(6, 2)>",
    "aa": "ARRAY<ARRAY<INT>>",
    "mp": "MAP<STRING, INT>",
    "mo": "MAP<STRING, INT>",
    "r": "ROW<a INT, b STRING>",
    "i": "INT",
    "l": "BIGINT",
    "d": "DOUBLE",
    "s": "STRING",
    "b": "BOOLEAN",
    "p": "INT",
}
_VALUES = {
    "a": [[3, 1, 2], [], None, [1, None, 1], [2147483647, -1], [None]],
    "a2": [[1, 2], [None, 3], [], None, [1, 1, 1]],
    "sa": [["b", "a", "c"], ["日", "😀", ""], [], None, ["a", None, "a"]],
    "da": [[1.5, -0.0, 0.0], [], [None, 2.0], [1e308, -1e308]],
    "ma": [["1.50", "2.25"], ["0.00", None], [], None],
    "aa": [[[1, 2], [], None], [[1]], [], None],
    "mp": [{"a": 1, "b": 2}, {}, None, {"k": None}, {"a": 5}],
    "mo": [{"a": 9}, {"b": 3}, {}, None],
    "r": [{"a": 1, "b": "x"}, {"a": None, "b": None}, None, {"a": -1, "b": ""}],
    "i": [1, 2, 0, None, -1, 3],
    "l": [1, 5000000000, 2, None, 0],
    "d": [1.5, -0.0, 0.0, None, 2.0],
    "s": ["a", "b", "", None, "日", "k"],
    "b": [True, False, None],
    "p": [1, 2, 3, 0, -1, None, -2],
}
ROWS = [{name: values[i % len(values)] for name, values in _VALUES.items()} for i in range(9)] + [{}]

_integer = one_of("i", "p", "1", "2", "0", "-1", "3", "CAST(NULL AS INT)")
_string = one_of("s", "'a'", "'b'", "''", "'xyz'")
_leaf_ints = one_of(
    "a", "a", "a2", "ARRAY[1, 2, 3]", "ARRAY[i, p]", "ARRAY[1, i]", "CAST(NULL AS ARRAY<INT>)"
)
_leaf_strings = one_of(
    "sa", "sa", "ARRAY['a', 'bc']", "ARRAY[s, 'z']", "SPLIT('a,b,,a', ',')", "SPLIT(s, '')"
)
_leaf_map = one_of(
    "mp", "mo", "MAP['a', 1, 'b', 2]", "MAP[s, i]", "MAP['k', i, 'k2', 7]", "MAP['a', 1, 'a', 2]"
)


def _arrays(element: Draw) -> Draw:
    def deeper(inner: Draw) -> Draw:
        return one_of(
            *(call(name, inner) for name in ("ARRAY_DISTINCT", "ARRAY_REVERSE", "ARRAY_SORT")),
            *(
                call(n, inner, inner)
                for n in ("ARRAY_UNION", "ARRAY_EXCEPT", "ARRAY_INTERSECT", "ARRAY_CONCAT")
            ),
            *(call(name, inner, element) for name in ("ARRAY_APPEND", "ARRAY_PREPEND", "ARRAY_REMOVE")),
            call("ARRAY_SLICE", inner, _integer),
            call("ARRAY_SLICE", inner, _integer, _integer),
            call("ARRAY_SORT", inner, one_of("TRUE", "FALSE", "b")),
            call("ARRAY_SORT", inner, one_of("TRUE", "FALSE", "b"), one_of("TRUE", "FALSE")),
            lambda r: f"COALESCE({inner(r)}, {inner(r)})",
            lambda r: f"CASE WHEN b THEN {inner(r)} ELSE {inner(r)} END",
        )

    return deeper


_ints = up_to(2, _leaf_ints, _arrays(_integer), share=0.7)
_strings = up_to(2, _leaf_strings, _arrays(_string), share=0.7)
_others = one_of(
    "da", "ma", "aa", "ARRAY[d, 0e0]", "ARRAY[l, i]", "ARRAY[a, a2]", "ARRAY[r]", "ARRAY[1, 2.5]", "ARRAY[b]"
)
_some = one_of(_ints, _strings, up_to(1, _others, _arrays(one_of("d", "a", "1.5", "l", "i")), share=0.6))
_map = up_to(1, _leaf_map, lambda inner: call("MAP_UNION", inner, inner), share=0.4)


def _of_arrays() -> Draw:
    return one_of(
        _some,
        _some,
        _ints,
        _strings,
        *(call(name, _some) for name in ("CARDINALITY", "ARRAY_MAX", "ARRAY_MIN", "TYPEOF")),
        *(call(name, _ints, _integer) for name in ("ARRAY_CONTAINS", "ARRAY_POSITION")),
        *(call(name, _strings, _string) for name in ("ARRAY_CONTAINS", "ARRAY_POSITION")),
        lambda r: f"{_some(r)}[{r.choice(['1', '2', '9', 'i', 'p', 'p + 3'])}]",
        call("ARRAY_JOIN", _strings, _string),
        call("ARRAY_JOIN", _strings, _string, _string),
        lambda r: f"ELEMENT(ARRAY[{_integer(r)}])",
        lambda r: f"ELEMENT({r.choice(['ARRAY[s]', 'ARRAY[d]', 'ARRAY[r]'])})",
    )


def _of_maps() -> Draw:
    return one_of(
        _map,
        *(call(name, _map) for name in ("CARDINALITY", "MAP_KEYS", "MAP_VALUES", "MAP_ENTRIES", "TYPEOF")),
        lambda r: f"{_map(r)}[{_string(r)}]",
        lambda r: f"MAP[{_string(r)}, {_any(r)}, {_string(r)}, {_any(r)}]",
        lambda r: f"MAP[{_integer(r)}, {_string(r)}]",
        lambda r: f"MAP_FROM_ARRAYS({_ints(r)}, {_ints(r)})",
        lambda r: f"MAP_FROM_ARRAYS(ARRAY['x', s], {r.choice(['ARRAY[i, 2]', 'ARRAY[s, s]', 'a', 'da'])})",
        lambda r: f"MAP_UNION({_map(r)}, {_map(r)}, {_map(r)})",
    )


_any = one_of(_integer, _string, "d", "l", "r", "a", "mp", "b", "1.5")


def _of_rows() -> Draw:
    return one_of(
        lambda r: f"ROW({_any(r)}, {_any(r)})",
        lambda r: f"({_any(r)}, {_any(r)}, {_any(r)})",
        lambda r: f"ROW({_integer(r)}, {_string(r)}) {r.choice(['=', '<>'])} {r.choice(['r', 'ROW(1, s)'])}",
        one_of("r", "r.a", "r.b", "t.r.a", "r.a + i", "r.b || s", "r IS NULL", "r.a IS NULL"),
        lambda r: f"CASE WHEN b THEN r ELSE ROW({_integer(r)}, {_string(r)}) END",
        lambda r: f"ARRAY[ROW({_any(r)}, {_any(r)})]",
        lambda r: f"TYPEOF(ROW({_any(r)}, {_any(r)}))",
    )


_ARRAYS, _MAPS, _ROWS = _of_arrays(), _of_maps(), _of_rows()


def draw(rng: random.Random) -> str:
    """An array, a map, a row, or a part of one; now and then of types that do not fit."""
    mixed = call(
        rng.choice(
            ["ARRAY_CONTAINS", "ARRAY_APPEND", "ARRAY_UNION", "ARRAY_CONCAT", "COALESCE", "ARRAY_REMOVE"]
        ),
        _some,
        one_of(_any, _some),
    )
    compared = one_of(
        lambda r: f"{_ints(r)} {r.choice(['=', '<>'])} {_ints(r)}",
        lambda r: f"{_map(r)} = {_map(r)}",
        lambda r: f"{_some(r)} = {_some(r)}",
    )
    return one_of(*[_ARRAYS] * 6, *[_MAPS] * 3, *[_ROWS] * 2, mixed, compared)(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
