"""ChangelogNormalize, one row at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Row = tuple[Any, ...]


def normalize(
    rows: Iterable[Row],
    key: Callable[[Row], Any],
    update_before: bool,
    condition: Callable[[Row], bool] | None = None,
) -> list[Row]:
    """rows: (kind, value, ...); key and condition take the values. No time to live."""
    state: dict[Any, Row] = {}
    out: list[Row] = []
    for kind, *values in rows:
        row = tuple(values)
        name = key(row)
        previous = state.get(name)
        if kind in ("+I", "+U") and (condition is None or condition(row)):
            if previous is None:
                out.append(("+I", *row))
            elif repr(row) == repr(previous):  # NaN is NaN, 0.0 is not -0.0
                continue
            else:
                out += [("-U", *previous)] if update_before else []
                out.append(("+U", *row))
            state[name] = row
        elif previous is not None:
            out.append(("-D", *previous))
            del state[name]
    return out
