"""Flink's internal aggregate $WELFORD_M2$1, and the variances and standard deviations computed from it."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.avg import BITS
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, HandWritten
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, DOUBLE, SqlType, TypeRoot


def _accumulate(n: int, mean: float, m2: float, double: float) -> tuple[int, float, float]:
    n += 1
    if n > 0:
        number = double
        delta = number - mean
        mean += delta / n
        m2 += delta * (number - mean)
    return n, mean, m2


def _retract(n: int, mean: float, m2: float, double: float) -> tuple[int, float, float]:
    n -= 1
    if n > 0:
        number = double
        delta = number - mean
        mean -= delta / n
        m2 -= (number - mean) * delta
    elif n == 0:
        mean = m2 = 0.0
    return n, mean, m2


def _merge(
    n: int, mean: float, m2: float, other_n: int, other_mean: float, other_m2: float
) -> tuple[int, float, float]:
    # An accumulator with n <= 0 (as many rows retracted as added, or more) has no mean. So only the counts
    # are added if the other accumulator has n <= 0, or if both counts together are 0.
    if other_n <= 0 or n + other_n == 0:
        n += other_n
    elif n == 0:
        n = other_n
        mean = other_mean
        m2 = other_m2
    else:
        both = n + other_n
        delta = other_mean - mean
        m2 = m2 + other_m2 + float(n) * float(other_n) / both * delta * delta
        mean = mean + float(other_n) / both * delta
        n = both
    if n <= 0:
        mean = m2 = 0.0
    return n, mean, m2


def welford_m2(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the sum of squared distances from the mean.

    Welford's method adds and retracts rows. Flink: WelfordM2AggFunction. The order of operations is Flink's,
    so that the last digit agrees.
    """
    return _welford(call, "({m2} if {n} > 0 and not {m2} < 0 else None)")


def var_pop(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for VAR_POP: m2 / n."""
    return _welford(call, _value("{m2} / {n}", "{n} > 0 and not {m2} < 0", call.type))


def var_samp(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for VAR_SAMP: m2 / (n - 1), NULL for a single value."""
    return _welford(call, _value("{m2} / ({n} - 1)", "{n} > 1 and not {m2} < 0", call.type))


def stddev_pop(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for STDDEV_POP: the square root of VAR_POP."""
    return _welford(call, _value("square_root({m2} / {n})", "{n} > 0 and not {m2} < 0", call.type))


def stddev_samp(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for STDDEV_SAMP: the square root of VAR_SAMP."""
    condition = "{n} > 1 and not {m2} < 0"
    return _welford(call, _value("square_root({m2} / ({n} - 1))", condition, call.type))


def _welford(call: AggregateSpec, value: str) -> Aggregate:
    argument = call.arg_types[0]
    double = f"from_scaled({{x}}, {argument.scale})" if argument.root is TypeRoot.DECIMAL else "float({x})"
    return HandWritten(
        state_id="welford.v1",
        fields=(
            AccumulatorField("n", BIGINT, 0),
            AccumulatorField("mean", DOUBLE, 0.0),
            AccumulatorField("m2", DOUBLE, 0.0),
        ),
        views=(),
        accumulate=statements(_accumulate, double=double),
        retract=statements(_retract, double=double),
        merge=statements(_merge),
        value=value,
    )


def _value(number: str, condition: str, result: SqlType) -> str:
    """Return an expression as text: `number` (DOUBLE) in type `result`, or None if `condition` is false."""
    if result.is_integer:
        number = f"to_integer({number}, {BITS[result.root]})"
    elif result.root is TypeRoot.DECIMAL:
        number = f"to_scaled({number}, {result.scale}, {result.precision})"
    elif result.root is TypeRoot.FLOAT:
        number = f"float32({number})"
    return f"({number} if {condition} else None)"
