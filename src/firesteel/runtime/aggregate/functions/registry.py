"""Registry of aggregate functions by name."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import NotSupportedError
from firesteel.runtime.aggregate.functions.array_agg import array_agg
from firesteel.runtime.aggregate.functions.avg import avg
from firesteel.runtime.aggregate.functions.bitmap import bitmap_and, bitmap_build, bitmap_or, bitmap_xor
from firesteel.runtime.aggregate.functions.collect import collect
from firesteel.runtime.aggregate.functions.count import count
from firesteel.runtime.aggregate.functions.declaration import Aggregate
from firesteel.runtime.aggregate.functions.first_last import first_value, last_value, single_value
from firesteel.runtime.aggregate.functions.json_aggregates import json_array_agg, json_object_agg
from firesteel.runtime.aggregate.functions.lag import lag
from firesteel.runtime.aggregate.functions.listagg import listagg
from firesteel.runtime.aggregate.functions.min_max import max_, min_
from firesteel.runtime.aggregate.functions.percentile import percentile
from firesteel.runtime.aggregate.functions.sum import sum0, sum_
from firesteel.runtime.aggregate.functions.welford import (
    stddev_pop,
    stddev_samp,
    var_pop,
    var_samp,
    welford_m2,
)
from firesteel.runtime.spec.operators import AggregateSpec

AGGREGATES: dict[str, Callable[[AggregateSpec], Aggregate]] = {
    "COUNT": count,
    "SUM": sum_,
    "$SUM0": sum0,
    "AVG": avg,
    "MIN": min_,
    "MAX": max_,
    "FIRST_VALUE": first_value,
    "LAST_VALUE": last_value,
    "SINGLE_VALUE": single_value,
    "LAG": lag,
    "LISTAGG": listagg,
    "COLLECT": collect,
    "ARRAY_AGG": array_agg,
    "PERCENTILE": percentile,
    **{
        f"BITMAP_{name}{suffix}_AGG": make
        for name, make in (
            ("BUILD", bitmap_build),
            ("AND", bitmap_and),
            ("OR", bitmap_or),
            ("XOR", bitmap_xor),
        )
        for suffix in ("", "_CARDINALITY")
    },
    "JSON_ARRAYAGG": json_array_agg,
    "JSON_OBJECTAGG": json_object_agg,
    "$WELFORD_M2$1": welford_m2,
    "STDDEV_POP": stddev_pop,
    "STDDEV_SAMP": stddev_samp,
    "STDDEV": stddev_samp,
    "VAR_POP": var_pop,
    "VAR_SAMP": var_samp,
    "VARIANCE": var_samp,
}
"""Declarations by name. To add an aggregate, add a file to this folder and a line here."""


def declare(call: AggregateSpec) -> Aggregate:
    """Return the declaration of a call.

    Raises:
        NotSupportedError: The function is unknown.
    """
    if call.user is not None and call.user.is_pandas:
        from firesteel.runtime.aggregate.functions.over_pandas import over_pandas

        return over_pandas(call)
    if call.user is not None:
        from firesteel.runtime.aggregate.functions.user_defined import user_defined

        return user_defined(call)
    make = AGGREGATES.get(call.function)
    if make is None:
        raise NotSupportedError(
            f"Aggregate function {call.function} is not supported yet.",
            hint=f"Supported are {', '.join(name for name in AGGREGATES if name[0] != '$')}.",
        )
    return make(call)
