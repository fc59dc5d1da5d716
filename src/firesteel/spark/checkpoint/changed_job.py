"""Comparison of a checkpoint's job with the job to run: the first difference that a user would recognise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from firesteel.sensitive import is_sensitive

Spec = dict[str, Any]
"""Spec of a job, or of a part of it such as an operator, as JSON values (fingerprint.plain)."""

_LONGEST = 120


def what_changed(before: Spec, after: Spec) -> str:
    """Return the first recognisable difference between two different jobs, on one line."""
    return next(_changes(before, after), "its operators changed")


def _changes(before: Spec, after: Spec) -> Iterator[str]:
    yield from _tables(_scans(before), _scans(after))
    one, other = _operators(before), _operators(after)
    if [_kind(o) for o in one] != [_kind(o) for o in other]:
        yield _was("its operators", _list(map(_kind, one)), _list(map(_kind, other)))
    for was, now in zip(one, other, strict=False):
        if was != now:
            yield from _operator(was, now)
    yield from _sinks(before["sinks"], after["sinks"])


def _tables(before: list[Spec], after: list[Spec]) -> Iterator[str]:
    one, other = [scan["table"] for scan in before], [scan["table"] for scan in after]
    if one != other:
        yield f"it read {_list(one)} and now reads {_list(other)}"
        return
    for was, now in zip(before, after, strict=True):
        table = was["table"]
        options, changed = dict(was["options"]), dict(now["options"])
        for key in [*options, *(key for key in changed if key not in options)]:
            if options.get(key) != changed.get(key):
                values = (_value(key, options), _value(key, changed))
                yield _was(f"the option '{key}' of table {table}", *values)
        if _columns(was) != _columns(now):
            yield _was(f"the columns of table {table}", _list(_columns(was)), _list(_columns(now)))
        if was["projection"] != now["projection"]:
            yield f"it read the columns {_read(was)} of table {table} and now reads {_read(now)}"
        if was["time_zone"] != now["time_zone"]:
            yield _was("'table.local-time-zone'", was["time_zone"], now["time_zone"])


def _sinks(before: list[Spec], after: list[Spec]) -> Iterator[str]:
    one, other = _list(sink["table"] for sink in before), _list(sink["table"] for sink in after)
    if one != other:
        yield f"it wrote into {one or 'the terminal'} and now writes into {other or 'it'}"
        return
    for was, now in zip(before, after, strict=True):
        if _columns(was) != _columns(now):
            yield _was("the columns of its result", _list(_columns(was)), _list(_columns(now)))


def _operator(before: Spec, after: Spec) -> Iterator[str]:
    before, after = before.get("aggregate") or before, after.get("aggregate") or after
    if before.get("keys") != after.get("keys"):
        yield f"the {before['is'].removesuffix('Spec')} has other keys"
    one, other = _calls(before), _calls(after)
    if one != other:
        yield _was("its aggregates", _list(one), _list(other))
    elif _states(before) != _states(after):
        shown = _list(
            call for call, was, now in zip(one, _states(before), _states(after), strict=True) if was != now
        )
        yield f"it was made by a version of Firesteel that keeps the state of {shown} in another way"
    for key, option, unit in (
        ("ttl", "table.exec.state.ttl", " ms"),
        ("bundle", "table.exec.mini-batch.size", " rows"),
    ):
        if before.get(key) != after.get(key):
            yield _was(f"'{option}'", f"{before.get(key)}{unit}", f"{after.get(key)}{unit}")
    for key, name in (("projection", "an expression"), ("condition", "a condition")):
        one, other = _texts(before.get(key)), _texts(after.get(key))
        for was, now in zip_longest(one, other):
            if was != now:
                yield _was(name, was or "absent", now or "absent")
    yield f"its {before['is'].removesuffix('Spec')} works on other columns"


def _scans(job: Spec) -> list[Spec]:
    read = [each["of"] for chain in job["chains"] for each in chain["inputs"]]
    return [of for of in read if isinstance(of, dict) and of["is"] == "ScanSpec"]


def _operators(job: Spec) -> list[Spec]:
    return [operator for chain in job["chains"] for operator in chain["operators"]]


def _kind(operator: Spec) -> str:
    name: str = operator["is"]
    return name.removesuffix("Spec")


def _calls(operator: Spec) -> list[str]:
    return [
        f"{call['function']}({'DISTINCT ' if call['distinct'] else ''}{_list(call['arg_types']) or '*'})"
        for call in operator.get("calls", ())
    ]


def _states(operator: Spec) -> list[str | None]:
    """Return the name of the state layout of each aggregate call of an operator; None for a first layout."""
    return [call.get("state") for call in operator.get("calls", ())]


def _columns(spec: Spec) -> list[str]:
    return [f"{name} {kind}" for name, kind in zip(spec["names"], spec["types"], strict=True)]


def _read(scan: Spec) -> str:
    return _list(scan["names"][position] for position in scan["projection"])


def _value(key: str, options: Mapping[str, str]) -> str:
    if key not in options:
        return "not set"
    return "another" if is_sensitive(key) else f"'{options[key]}'"


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return _texts(value.get("condition"))
    return [value] if isinstance(value, str) else [str(item) for item in value]


def _list(items: Any) -> str:
    return ", ".join(items)


def _was(what: str, before: str, after: str) -> str:
    verb = "were" if what.endswith(("s", "result")) or "columns" in what else "was"
    short = [text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..." for text in (before, after)]
    return f"{what} {verb} {short[0]} and {'are' if verb == 'were' else 'is'} {short[1]}"
