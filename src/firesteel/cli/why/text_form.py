"""An explanation as text: tables whose columns are aligned, newest rows last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from firesteel.cli.terminal import escaped
from firesteel.session.tableau import display_width
from firesteel.session.why.explanation import place_text

if TYPE_CHECKING:
    from firesteel.session.why.explanation import Explanation, OperatorReport, StepReport

_MANY = 3
"""Most places and rows that one cell lists."""


def as_text(explanation: Explanation, is_terminal: bool) -> str:
    """Return an explanation as lines.

    Args:
        explanation: The explanation.
        is_terminal: Whether control characters are escaped.
    """
    lines = [line.rstrip() for line in _lines(explanation)]
    return "".join(f"{escaped(line) if is_terminal else line}\n" for line in lines)


def _lines(found: Explanation) -> Iterator[str]:
    key = ", ".join(_equal(name, value) for name, value in found.key.items())
    yield f"{found.table} ({', '.join(found.columns)}), {key}, after micro-batch {found.batch}"
    yield f"now: {', '.join(found.rows) or 'no row'}"
    yield ""
    yield f"source rows: {_counted(len(found.sources), found.all_sources)}"
    yield from _table(
        ("batch", "table", "from", "row"),
        [(each.batch, each.table, place_text(each.place), each.row) for each in found.sources],
    )
    for operator in found.operators:
        yield ""
        yield from _operator_lines(operator)
    yield ""
    yield f"changes of {found.table}: {_counted(len(found.changes), found.all_changes)}"
    yield from _table(
        ("batch", "from", "change"),
        [(each.batch, place_text(each.cause), each.row) for each in found.changes],
    )


def _equal(name: str, value: str | None) -> str:
    return f"{name} IS NULL" if value is None else f"{name} = {value}"


def _counted(listed: int, all_: int) -> str:
    return f"{all_:,}" if listed == all_ else f"the last {listed:,} of {all_:,}"


def _operator_lines(operator: OperatorReport) -> Iterator[str]:
    yield operator.operator
    if operator.key:
        yield f"key ({', '.join(operator.key)})"
    if operator.left_out:
        yield f"({operator.left_out:,} earlier steps)"
    has_state = any(step.before or step.after for step in operator.steps)
    names = ("batch", "from", "received", *(("state before", "state after") if has_state else ()), "sent")
    yield from _table(names, [_cells(step, has_state) for step in operator.steps])
    if operator.other_keys:
        yield f"({operator.other_keys:,} more keys)"


def _cells(step: StepReport, has_state: bool) -> tuple[str, ...]:
    states = ("; ".join(step.before), "; ".join(step.after)) if has_state else ()
    sent = " ".join(filter(None, [" ".join(step.sent), f"({step.note})" if step.note else ""]))
    received = f"watermark {step.watermark}" if step.watermark else _few(step.received)
    return (step.batch, _places(step.causes), received, *states, sent)


def _places(places: Sequence[Mapping[str, object]]) -> str:
    return "; ".join(_short([place_text(place) for place in places]))


def _few(texts: Sequence[str]) -> str:
    return " ".join(_short(texts))


def _short(texts: Sequence[str]) -> list[str]:
    """Return the last texts, with the number of those before them."""
    left_out = len(texts) - _MANY
    return [f"({left_out:,} more)", *texts[-_MANY:]] if left_out > 0 else list(texts)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose cells begin at the same column."""
    cells = [tuple(names), *(tuple(map(escaped, row)) for row in rows)]
    widths = [max(display_width(row[at]) for row in cells) for at in range(len(names))]
    for row in cells:
        yield "  " + "  ".join(
            cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)
        )
