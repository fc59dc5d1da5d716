"""Translate the table functions of a physical plan to specs."""

from __future__ import annotations

from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.job.lower.aggregate import OperatorOptions, types_of
from firesteel.job.lower.join import condition_of
from firesteel.plan.expressions.operations import expand_search
from firesteel.plan.expressions.sub_query import over_outer_row
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.correlate.functions import REPLICATE, UNNEST_WITH_ORDINALITY
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.reuse import fingerprint
from firesteel.plan.tree import walk
from firesteel.runtime.spec.correlate import CorrelateSpec

_NAMES = {REPLICATE: "REPLICATE"}


def correlate(node: Correlate, options: OperatorOptions) -> CorrelateSpec:
    """Return the spec of a join of each row with the rows that a table function returns for it."""
    exchanged = any(isinstance(below, physical.Exchange) for below in walk(node.input))
    user = node.call.user
    terms = () if node.condition is None else (node.condition,)
    args = [expand_search(over_outer_row(arg), lists=True) for arg in node.call.args]
    return CorrelateSpec(
        function=_NAMES.get(node.call.function, "UNNEST") if user is None else "USER",
        args=compile_calc(args, None, types_of(node.input), None, options.time_zone, exchanged),
        types=tuple(field.type for field in node.fields),
        pads=node.join_type is JoinType.LEFT,
        ordinality=node.call.function == UNNEST_WITH_ORDINALITY,
        condition=condition_of(terms, [field.type for field in node.fields], options, exchanged),
        user=None if user is None else user.function,
        unread=options.unread.get(fingerprint(node), ()),
    )
