"""How an aggregate function is declared: accumulator fields, and what changes them.

Flink: `DeclarativeAggregateFunction`. A declared aggregate says with small expression trees what
accumulate, retract, merge and the value are; the row handler (runtime/aggregate/row_engine/handler.py) turns
them into Python, the running forms (runtime/aggregate/scan/) into NumPy. An aggregate that needs a map view
is written by hand, as statements for the row handler.

Laws, which tests/runtime/aggregate/functions/test_aggregate_laws.py holds for each of them:
- merge(a, b) is as if the rows of b had come after those of a. For functions that depend on order only
  where b takes nothing back (a retraction takes the first equal value, which may be a's) and without
  DISTINCT (a map of values seen does not say when each call saw them): Flink has no local phase for them;
- where `retract` exists, retract(row) after accumulate(row) leaves a value equal to the one before;
- the value changes nothing and depends on the accumulator alone.
A row whose argument is NULL changes nothing, unless `takes_nulls` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from firesteel.types.sql import SqlType


class Form(Enum):
    """What kind of columnar form an aggregate has.

    LINEAR: each field is the sum of what each row contributes, a retraction contributes the negative.
    Integers wrap at the width of the field's type, FLOAT adds in float32. A DECIMAL field that overflows
    its precision becomes NULL; one whose initial value is NULL (SUM) starts again with the next row,
    any other stays NULL. A field whose initial value is NULL is NULL until the first contribution.
    EXTREME: the one field is the least or greatest argument so far (`least` says which), insert-only.
    OTHER: row by row.
    """

    LINEAR = "linear"
    EXTREME = "extreme"
    OTHER = "other"


@dataclass(frozen=True)
class Field:
    """A field of this accumulator."""

    name: str


@dataclass(frozen=True)
class Other:
    """The same field of the accumulator that is merged in."""

    name: str


@dataclass(frozen=True)
class Argument:
    """Argument `index` of the call, never NULL unless the aggregate takes nulls."""

    index: int = 0


@dataclass(frozen=True)
class Constant:
    """A number, True, False or None (NULL)."""

    value: int | float | bool | None


@dataclass(frozen=True)
class Arithmetic:
    """left `operator` right, neither of them NULL; operator is one of + - * /.

    type: whose overflow rule holds (integers wrap, DECIMAL gives NULL, FLOAT rounds to float32);
    None: plain. `/` on integers truncates towards zero. Operands of DECIMAL have the type's scale.
    """

    operator: str
    left: Expression
    right: Expression
    type: SqlType | None = None


@dataclass(frozen=True)
class Compare:
    """left `operator` right; operator is one of < > <= >= == !=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class IsNull:
    """operand IS NULL."""

    operand: Expression


@dataclass(frozen=True)
class If:
    """then where the condition holds, else otherwise."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Convert:
    """A function of the row handler's run time (types/numbers.py) by name, with constants after the
    operands: casts, decimal division, roots."""

    function: str
    operands: tuple[Expression, ...]
    constants: tuple[int, ...] = ()


Expression = Field | Other | Argument | Constant | Arithmetic | Compare | IsNull | If | Convert

NULL = Constant(None)


@dataclass(frozen=True)
class AccumulatorField:
    """One column of the accumulator. initial is in internal form (types/internal_values.py)."""

    name: str
    type: SqlType
    initial: int | float | bool | list[object] | None


@dataclass(frozen=True)
class MapView:
    """A map beside the accumulator (Flink: `MapView`). Keys are equal where their bytes are; NULL is one.

    ordered: its keys ascend in the order of insertion, and both ends are looked at.
    whole: every result reads all of its entries. sorted: its least or its greatest key is asked for, always
    the one or always the other (map_view.py: SortedMap); in keyed state it is an ordered map.
    """

    name: str
    key: SqlType
    value: SqlType
    ordered: bool = False
    whole: bool = False
    sorted: bool = False


Assignments = Mapping[str, Expression]
"""New values of fields, made in this order: each sees those before it. A field not named stays."""


@dataclass(frozen=True)
class Declared:
    """An aggregate call, declared by expressions.

    state_id names the saved layout of the fields ("sum.v1") and changes when they do.
    contributions: for LINEAR, what an accumulated row adds to each field (an Argument or a Constant).
    least: for EXTREME, whether the least is kept. retract None: retractions do nothing here (Flink
    plans the plain variant only where none can matter).
    """

    state_id: str
    fields: tuple[AccumulatorField, ...]
    accumulate: Assignments
    merge: Assignments
    value: Expression
    retract: Assignments | None = None
    form: Form = Form.OTHER
    contributions: Assignments = field(default_factory=dict)
    least: bool = False
    takes_nulls: bool = False
    views: tuple[MapView, ...] = ()


@dataclass(frozen=True)
class HandWritten:
    """An aggregate call, written as Python statements over its fields and map views.

    The texts name fields and views as {name}, the argument as {x}, its key in a map as {k} (equal keys,
    equal bytes), and, in merge, the other accumulator's as {other_name}. Local names begin with `_`.
    value is an expression. A view is a mapping: get, item assignment, del, len is not to be used (entries
    may have expired), iteration over live keys.
    constants: the fields that keep the arguments after the first, which are the same in every row.
    functions: what the texts call as {name}; each the same object whenever the call is declared.
    in_order: whether the result depends on the order of the rows.
    """

    state_id: str
    fields: tuple[AccumulatorField, ...]
    views: tuple[MapView, ...]
    accumulate: str
    retract: str | None
    merge: str
    value: str
    takes_nulls: bool = False
    form: Form = Form.OTHER
    constants: tuple[str, ...] = ()
    functions: tuple[tuple[str, Callable[..., Any]], ...] = ()
    in_order: bool = False


Aggregate = Declared | HandWritten
