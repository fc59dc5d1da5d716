"""Normalize a source of upserts, or one that may repeat changes, to a full changelog by its primary key.

    Calc(k > 1 AND v > 2)  ChangelogNormalize(k)  Scan
        ->  ChangelogNormalize(k, condition: v > 2)  Calc(k > 1)  Scan

Flink: StreamPhysicalTableSourceScanRule and PushCalcPastChangelogNormalizeRule. A filter above moves below
the normalization if it reads key columns only, else into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.catalog.schema import Table
from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import conjunction, conjuncts, identity, input_refs, is_identity
from firesteel.plan.nodes.logical import Scan
from firesteel.plan.nodes.physical import Calc, ChangelogNormalize
from firesteel.plan.properties.changelog_modes import source_mode
from firesteel.plan.tree import Node

DUPLICATES = "table.exec.source.cdc-events-duplicate"


def needs_normalization(table: Table, configuration: Mapping[str, str]) -> bool:
    """Return whether the changes of a table must be normalized.

    Raises:
        ValidationError: The changes must be normalized, but the table has no primary key.
    """
    mode = source_mode(table)
    name = ".".join(table.path)
    if mode.update_after and not mode.update_before:
        if not table.primary_key:
            raise ValidationError(
                f"Table '{name}' produces a changelog stream that contains UPDATE_AFTER but no "
                "UPDATE_BEFORE. This requires defining a primary key constraint on the table."
            )
        return True
    if mode.is_insert_only or str(configuration.get(DUPLICATES, "false")).lower() != "true":
        return False
    if not table.primary_key:
        raise ValidationError(
            f"Configuration '{DUPLICATES}' is enabled which requires the changelog sources to define a "
            f"PRIMARY KEY. However, table '{name}' doesn't have a primary key."
        )
    return True


def normalize_upserts(node: Node, configuration: Mapping[str, str]) -> Node:
    """Mark a scan whose changes must be normalized. The scan still reads every column."""
    if isinstance(node, Scan) and needs_normalization(node.table, configuration):
        return replace(node, normalized=True)
    return node


def filter_in_normalization(node: Node) -> Node:
    """Move the condition of a Calc into the normalization below it, or below the normalization."""
    if isinstance(node, Calc) and isinstance(node.input, ChangelogNormalize) and node.condition is not None:
        return _filtered(node, node.input)
    return node


def _filtered(calc: Calc, normalize: ChangelogNormalize) -> Node:
    below: list[Expr] = []
    inside: list[Expr] = []
    for term in conjuncts(calc.condition):
        (below if set(input_refs(term)) <= set(normalize.keys) else inside).append(term)
    exchange = normalize.input
    source = exchange.children[0]
    if below:
        names = tuple(f.name for f in source.schema)
        source = Calc(source, identity(f.type for f in source.schema), names, conjunction(below))
    condition = conjunction([*conjuncts(normalize.condition), *inside])
    normalized = replace(normalize, input=exchange.with_children((source,)), condition=condition)
    if is_identity(calc.exprs, len(normalized.schema)):
        return normalized
    return replace(calc, input=normalized, condition=None)
