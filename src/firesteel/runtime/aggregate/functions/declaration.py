"""Declarations of aggregate functions: accumulator fields, and the expressions that change them.

Flink: `DeclarativeAggregateFunction`. A declared aggregate describes accumulate, retract, merge and the value
with small expression trees. The row handler (runtime/aggregate/row_engine/handler.py) turns them into Python,
the prefix scans (runtime/aggregate/scan/) into NumPy. An aggregate that needs a map view is written by hand,
as statements for the row handler.

tests/runtime/aggregate/functions/test_aggregate_laws.py checks these laws for each aggregate:

- merge(a, b) equals the accumulator of all rows of a, followed by all rows of b. For functions that depend on
  the order of rows (FIRST_VALUE), this law has two exceptions. First, b has retracted a value: applied after
  the rows of a, this retraction may remove an equal value of a instead. Second, the call has DISTINCT: b then
  has its distinct values, but not the order in which they came. Flink has no local phase for such functions.
- If `retract` exists, retract(row) after accumulate(row) restores a result equal to the one before.
- Computing the value changes nothing. The value depends on the accumulator alone.

A row with a NULL argument changes nothing, unless `takes_nulls` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from firesteel.types.sql import SqlType


class Form(Enum):
    """Kind of columnar form of an aggregate.

    Attributes:
        LINEAR: Each field is the sum of the rows' contributions. A retraction contributes the negative.
            Integers wrap at the width of the field's type, and FLOAT adds in float32. A field whose initial
            value is NULL (SUM) is NULL until the first contribution. A DECIMAL field becomes NULL when its
            sum overflows. What the next row does depends on the field's initial value. If it is NULL (SUM
            without retraction), the next row's contribution becomes the sum. If it is 0, the sum stays NULL.
        EXTREME: The one field is the least or greatest argument so far (`least`). Insert-only.
        OTHER: There is no columnar form. The row handler processes the rows one by one.
    """

    LINEAR = "linear"
    EXTREME = "extreme"
    OTHER = "other"


@dataclass(frozen=True)
class Field:
    """A field of an aggregate's own accumulator. In a merge, `Other` is a field of the second accumulator."""

    name: str


@dataclass(frozen=True)
class Other:
    """In a merge: a field of the other accumulator, which is merged into the aggregate's own (`Field`)."""

    name: str


@dataclass(frozen=True)
class Argument:
    """Argument `index` of the aggregate call. It is never NULL unless the aggregate takes nulls."""

    index: int = 0


@dataclass(frozen=True)
class Constant:
    """A constant: a number, True, False or None (NULL)."""

    value: int | float | bool | None


@dataclass(frozen=True)
class Arithmetic:
    """The result of `left operator right`, both not NULL.

    Attributes:
        operator: One of + - * /. On integers, `/` truncates towards zero.
        left: First operand. If `type` is a DECIMAL, both operands are unscaled integers with its scale.
        right: Second operand.
        type: Type of the result. It determines what happens to a result that does not fit: an integer wraps,
            a DECIMAL becomes NULL, a FLOAT is rounded to float32. None if the result is kept as it is.
    """

    operator: str
    left: Expression
    right: Expression
    type: SqlType | None = None


@dataclass(frozen=True)
class Compare:
    """The comparison `left operator right`. The operator is one of < > <= >= == !=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class IsNull:
    """The test `operand IS NULL`."""

    operand: Expression


@dataclass(frozen=True)
class If:
    """The value `then` if the condition holds, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Convert:
    """Call of a function of types/numbers.py, such as a cast, a decimal division or a root.

    Attributes:
        function: Name of the function.
        operands: Expressions whose values are the first arguments of the function.
        constants: Further arguments, which follow the operands, such as a scale.
    """

    function: str
    operands: tuple[Expression, ...]
    constants: tuple[int, ...] = ()


Expression = Field | Other | Argument | Constant | Arithmetic | Compare | IsNull | If | Convert

NULL = Constant(None)


@dataclass(frozen=True)
class AccumulatorField:
    """One column of the accumulator. `initial` is in internal form (types/internal_values.py)."""

    name: str
    type: SqlType
    initial: int | float | bool | list[object] | None


@dataclass(frozen=True)
class MapView:
    """Map beside the accumulator (Flink: `MapView`). Keys are compared by their bytes, and NULL is a key.

    Attributes:
        name: Name in the aggregate's statements and expressions.
        key: Type of the keys.
        value: Type of the values.
        ordered: Whether each new key is greater than all keys before it, for example if the keys are arrival
            numbers. Entries stay in ascending order of keys. A result reads the first entry or the last one.
        whole: Whether every result reads all entries.
        sorted: Whether a result reads only the least key (MIN) or only the greatest key (MAX). Keys come in
            any order. In the row handler, the view may be a SortedMap (map_state.py), which finds this
            key fast. In keyed state, the entries are sorted by ascending key.
    """

    name: str
    key: SqlType
    value: SqlType
    ordered: bool = False
    whole: bool = False
    sorted: bool = False


Assignments = Mapping[str, Expression]
"""New values of fields, assigned one after the other: each expression sees the assignments before it."""


@dataclass(frozen=True)
class Declared:
    """Aggregate call declared by expressions.

    Attributes:
        state_id: Name of the stored layout of the fields, such as "sum.v1". It changes when the layout does.
        fields: Fields of the accumulator.
        accumulate: Assignments for an added row.
        merge: Assignments for another accumulator.
        value: Expression of the result.
        retract: Assignments for a retracted row. None if the call ignores retracted rows. Flink plans such a
            call if the input has no retractions, or if they cannot change the result of the call.
        form: Kind of columnar form.
        contributions: For LINEAR, what an added row adds to each field (an Argument or a Constant).
        least: For EXTREME, whether the least value is kept.
        takes_nulls: Whether rows with a NULL argument count.
        views: Maps beside the accumulator.
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
    """Aggregate call written as Python statements over its fields and map views (see statements.py).

    The texts name fields and views as {name}, and the argument as {x}. {k} is the argument in the form of a
    map key, in which two values are equal if their bytes are equal. In merge, {other_name} is a field or view
    of the other accumulator. Local names begin with `_`. A view supports get, item assignment, del and
    iteration over live keys. Do not use its len, since entries may have expired.

    Attributes:
        state_id: Name of the stored layout.
        fields: Fields of the accumulator.
        views: Map views.
        accumulate: Statements for an added row.
        retract: Statements for a retracted row, None if retractions change nothing.
        merge: Statements for another accumulator.
        value: Expression of the result.
        takes_nulls: Whether rows with a NULL argument count.
        form: Kind of columnar form.
        constants: Names of the fields that keep the arguments after the first one. These arguments have the
            same value in every row, like the separator of LISTAGG.
        functions: Functions that the texts call as {name}. Each declaration of an equal call must have the
            same function objects.
        in_order: Whether the result depends on the order of rows.
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
