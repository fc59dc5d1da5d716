"""The order of the rules: from a bound query to the physical plan, as Flink's stream program has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from firesteel.plan.converted import converted
from firesteel.plan.tree import Node, transform_up
from firesteel.rules.check_json_calls import check_json_calls
from firesteel.rules.choose_retraction import choose_retraction
from firesteel.rules.coerce_union_inputs import coerce_union_inputs
from firesteel.rules.expand_grouping_sets import expand_grouping_sets
from firesteel.rules.group_window_projects import filter_before_picking
from firesteel.rules.group_windows import group_windows
from firesteel.rules.incremental_aggregate import incremental_aggregate
from firesteel.rules.infer_changelog_mode import infer_changelog_mode
from firesteel.rules.infer_mini_batch_interval import infer_mini_batch_interval, is_stateless
from firesteel.rules.keep_bundle_order import keep_bundle_order
from firesteel.rules.materialize_time_attributes import (
    materialize_event_time,
    materialize_processing_time,
    materialize_result,
)
from firesteel.rules.merge_projects import merge_projects
from firesteel.rules.mini_batch_options import PHASES, mini_batch_options, parsed
from firesteel.rules.normalize_upserts import filter_in_normalization, normalize_upserts
from firesteel.rules.prune_aggregate_calls import merge_aggregate_project, prune_aggregate_calls
from firesteel.rules.prune_empty import prune_empty
from firesteel.rules.pull_up_constant_keys import pull_up_constant_keys
from firesteel.rules.pull_up_windows import pull_up_windows
from firesteel.rules.push_filter_into_scan import push_filter_into_scan
from firesteel.rules.push_filters import push_filters
from firesteel.rules.push_projects import push_projects
from firesteel.rules.reduce_aggregates import reduce_aggregates
from firesteel.rules.reduce_expressions import reduce_expressions
from firesteel.rules.remove_aggregates import remove_aggregates
from firesteel.rules.reuse_scans import reuse_scans
from firesteel.rules.simplify_calc import simplify_calc
from firesteel.rules.split_distinct import split_distinct
from firesteel.rules.to_physical import scan_to_physical, to_physical
from firesteel.rules.two_stage_aggregate import two_stage_aggregate
from firesteel.rules.two_stage_window_aggregate import two_stage_window_aggregate
from firesteel.rules.union_to_distinct import union_to_distinct
from firesteel.rules.window_aggregates import window_aggregates
from firesteel.rules.window_emit import window_emit
from firesteel.rules.wrap_json_arguments import wrap_json_arguments

Rule = Callable[[Node], Node]

LOGICAL_RULES: tuple[tuple[Rule, str], ...] = (
    (union_to_distinct, "the rules below know only the union of all rows"),
    (reduce_expressions, "what is known of a column is seen before filters move away from it"),
    (pull_up_constant_keys, "a literal key groups nothing"),
    (coerce_union_inputs, "the rows of a union have one type; before filters pass through it"),
    (merge_projects, "one projection between two other operators"),
    (group_windows, "while what is asked of a window stands right above its aggregate"),
    (push_filters, "fewer rows as early as can be"),
    (reduce_expressions, "filters that met are one condition now, and hold columns to values"),
    (prune_empty, "a condition that cannot hold leaves no rows"),
    (pull_up_constant_keys, "keys may have become literals"),
    (merge_projects, "filters that moved may have left projections side by side"),
    (remove_aggregates, "groups of one row need no state"),
    (wrap_json_arguments, "before projections meet: the JSON texts are made in the one below"),
    (expand_grouping_sets, "the rules below know only one set of keys"),
    (reduce_aggregates, "the variances have no operator of their own; sums and counts may be shared"),
    (push_filters, "HAVING goes below the reduced calls' projection"),
    (merge_projects, "the reduced calls' projection joins the one above"),
    (scan_to_physical, "what is pushed into a scan is kept by its physical form"),
    (push_filter_into_scan, "before columns are cut from the scan: the condition reads some"),
)
"""Applied one after the other, each to the whole tree from the leaves up."""

PRUNING_RULES: tuple[tuple[Rule, str], ...] = (
    (prune_aggregate_calls, "after the scans were narrowed, as Flink's plans show"),
    (merge_aggregate_project, "without the dropped calls a projection may only reorder"),
)
"""Applied after the projections were pushed."""

PHYSICAL_RULES: tuple[tuple[Rule, str], ...] = (
    (simplify_calc, "conditions that only changed their order until now take it"),
    (filter_in_normalization, "a row that leaves the filter is then a delete, and needs no UPDATE_BEFORE"),
    (materialize_event_time, "an aggregate's rows have no event time of their own"),
    (materialize_processing_time, "nor have they a processing time"),
    (pull_up_windows, "an aggregate of plain timestamps needs the borders beside it"),
    (check_json_calls, "where projections have met, JSON() may stand where it is allowed"),
    (choose_retraction, "needs the kinds of change below, and decides what an error calls the node"),
)
"""Applied after the projections were pushed and the tree made physical. The changelog mode comes next, and
last the rules of mini-batches."""


def optimize(logical: Node, configuration: Mapping[str, str], collect: bool = False) -> Node:
    """The physical plan of a bound query; its root is a Sink for an INSERT.

    collect: the rows of a bare SELECT are shown, which takes UPDATE_BEFORE; EXPLAIN of one does not.
    Raises ValidationError in Flink's words where a sink cannot take what the query emits, and where
    mini-batches are on without latency or size.
    """
    return optimize_all([logical], configuration, collect)[0]


def optimize_all(
    logical: Sequence[Node], configuration: Mapping[str, str], collect: bool = False
) -> list[Node]:
    """The physical plans of the INSERTs of a statement set, which share their scans."""
    stateless = all(map(is_stateless, logical))
    planned = reuse_scans([_to_physical(converted(root), configuration) for root in logical])
    finished: list[Node] = []
    for node in planned:
        node = transform_up(node, partial(window_emit, configuration=configuration))
        for rule, _ in PHYSICAL_RULES:
            node = transform_up(node, rule)
        node = infer_changelog_mode(materialize_result(node), collect, configuration)
        finished.append(_in_phases(node, configuration, stateless))
    return finished


def _in_phases(node: Node, configuration: Mapping[str, str], stateless: bool) -> Node:
    """The plan as the options of mini-batches and phases want it; these rules keep the changelog modes."""
    options = mini_batch_options(configuration)
    if stateless:
        return node
    node = infer_mini_batch_interval(node, options)
    if options is not None and options.two_phase:
        node = transform_up(node, two_stage_aggregate)
        node = transform_up(node, partial(incremental_aggregate, configuration=configuration))
    if options is not None:
        node = transform_up(node, keep_bundle_order)
    if parsed(configuration).get(PHASES) != "ONE_PHASE":
        node = transform_up(node, two_stage_window_aggregate)
    return node


def _to_physical(node: Node, configuration: Mapping[str, str]) -> Node:
    for rule, _ in LOGICAL_RULES:
        node = transform_up(node, rule)
    node = transform_up(node, partial(normalize_upserts, configuration=configuration))
    node = push_projects(node)
    for rule, _ in PRUNING_RULES:
        node = transform_up(node, rule)
    node = transform_up(transform_up(node, merge_projects), filter_before_picking)
    node = split_distinct(node, configuration)
    node = transform_up(node, window_aggregates)
    return to_physical(transform_up(node, merge_projects))
