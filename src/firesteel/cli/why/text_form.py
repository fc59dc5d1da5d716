"""An explanation as text: tables whose columns are aligned, newest rows last.

On a terminal, a table that is wider than the terminal becomes a list: one column of a row on each line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from firesteel.cli.terminal import escaped
from firesteel.counted import counted
from firesteel.session.tableau import display_width
from firesteel.session.why.explanation import place_text

if TYPE_CHECKING:
    from firesteel.session.why.explanation import Explanation, OperatorReport, StepReport

_MANY = 3
"""Limit of the source positions, or of the received rows, that one cell lists."""
_SEPARATORS = {"from": "; ", "state before": "; ", "state after": "; "}
"""Text between the values of a cell, by heading of the column. Other columns have a space."""
_LEAST_ROOM = 20
"""Smallest width to which `_list` wraps values, in columns, even if the terminal is narrower."""
Cell = Sequence[str]
"""Values that stand in one cell of a table."""


def as_text(explanation: Explanation, is_terminal: bool, width: int | None = None) -> str:
    """Return an explanation as lines.

    Args:
        explanation: The explanation.
        is_terminal: Whether to escape control characters in all lines. In tables they are always escaped.
        width: Number of columns of the terminal; None if tables may have any width.
    """
    lines = [line.rstrip() for line in _lines(explanation, width)]
    return "".join(f"{escaped(line) if is_terminal else line}\n" for line in lines)


def _lines(found: Explanation, width: int | None) -> Iterator[str]:
    key = ", ".join(_equal(name, value) for name, value in found.key.items())
    yield f"{found.table} ({', '.join(found.columns)}), {key}, after micro-batch {found.batch}"
    yield f"now: {', '.join(found.rows) or 'no row'}"
    yield ""
    yield f"source rows: {_listed(len(found.sources), found.all_sources)}"
    yield from _table(
        ("batch", "table", "from", "row"),
        [([each.batch], [each.table], [place_text(each.place)], [each.row]) for each in found.sources],
        width,
    )
    for operator in found.operators:
        yield ""
        yield from _operator_lines(operator, width)
    yield ""
    yield f"changes of {found.table}: {_listed(len(found.changes), found.all_changes)}"
    yield from _table(
        ("batch", "from", "change"),
        [([each.batch], [place_text(each.cause)], [each.row]) for each in found.changes],
        width,
    )


def _equal(name: str, value: str | None) -> str:
    return f"{name} IS NULL" if value is None else f"{name} = {value}"


def _listed(listed: int, all_: int) -> str:
    return f"{all_:,}" if listed == all_ else f"the last {listed:,} of {all_:,}"


def _operator_lines(operator: OperatorReport, width: int | None) -> Iterator[str]:
    yield operator.operator
    if operator.key:
        yield f"key ({', '.join(operator.key)})"
    if operator.left_out:
        yield f"({counted(operator.left_out, 'earlier step')})"
    has_state = any(step.before or step.after for step in operator.steps)
    names = ("batch", "from", "received", *(("state before", "state after") if has_state else ()), "sent")
    yield from _table(names, [_cells(step, has_state) for step in operator.steps], width)
    if operator.other_keys:
        yield f"({counted(operator.other_keys, 'more key')})"


def _cells(step: StepReport, has_state: bool) -> tuple[Cell, ...]:
    states = (step.before, step.after) if has_state else ()
    sent = [*step.sent, *([f"({step.note})"] if step.note else [])]
    received = [f"watermark {step.watermark}"] if step.watermark else _short(step.received)
    return ([step.batch], _places(step.causes), received, *states, sent)


def _places(places: Sequence[Mapping[str, object]]) -> Cell:
    return _short([place_text(place) for place in places])


def _short(texts: Sequence[str]) -> Cell:
    """Return the last _MANY texts. If there are more, the first value says how many are left out."""
    left_out = len(texts) - _MANY
    return [f"({left_out:,} more)", *texts[-_MANY:]] if left_out > 0 else texts


def _table(names: Sequence[str], rows: Sequence[Sequence[Cell]], width: int | None) -> Iterator[str]:
    """Yield the lines of a table with aligned columns. A table wider than the terminal becomes a list.

    Args:
        names: Headings of the columns.
        rows: The rows, each with one cell for each column.
        width: Number of columns of the terminal; None if the table may have any width.
    """
    shown = [[[escaped(value) for value in cell] for cell in row] for row in rows]
    joined = (
        [_SEPARATORS.get(name, " ").join(cell) for name, cell in zip(names, row, strict=True)]
        for row in shown
    )
    cells = [list(names), *joined]
    widths = [max(display_width(row[at]) for row in cells) for at in range(len(names))]
    if width is not None and sum(widths) + 2 * len(widths) > width:
        yield from chain.from_iterable(_list(names, row, width) for row in shown)
        return
    for row in cells:
        yield "  " + "  ".join(
            cell + " " * (room - display_width(cell)) for cell, room in zip(row, widths, strict=True)
        )


def _list(names: Sequence[str], row: Sequence[Cell], width: int) -> Iterator[str]:
    """Yield the lines of one row of a table that is shown as a list.

    The first line has the micro-batch and the positions of the source rows (column "from"). Below come the
    other columns, one value a line. A value that is too long for its line continues on the lines below:

        batch 7, sales/1.json, line 3
          received  +I[Tom, 12]
          sent      -U[Tom, 30]
                    +U[Tom, 42]
    """
    cells = dict(zip(names, row, strict=True))
    (batch,) = cells.pop("batch")
    yield f"  batch {batch}" + "".join(f", {place}" for place in ["; ".join(cells.pop("from"))] if place)
    label = max(map(len, names)) + 2
    for name, values in cells.items():
        lines = [line for value in values for line in _wrapped(value, max(_LEAST_ROOM, width - label - 4))]
        for number, line in enumerate(lines):
            yield f"    {'' if number else name:{label}}{line}"


def _wrapped(text: str, room: int) -> Iterator[str]:
    """Yield the lines of a text, broken at spaces, the second and later ones indented. Words stay whole."""
    line = ""
    for number, word in enumerate(text.split(" ")):
        longer = f"{line} {word}" if number else word
        if number and display_width(longer) > room:
            yield line
            longer = f"  {word}"
        line = longer
    yield line
