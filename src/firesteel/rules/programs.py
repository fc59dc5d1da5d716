"""Optimizer: from a bound query to its physical plan, program by program (Flink: FlinkStreamProgram)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firesteel.functions.expression.recursion import collector_at_rest
from firesteel.plan.join_condition import push_expressions
from firesteel.plan.nodes.physical import DropUpdateBefore
from firesteel.plan.rel_builder import as_built
from firesteel.plan.tree import LogicalNode, Node, PhaseNode, PhysicalNode
from firesteel.rules.aggregate.choose_retraction import choose_retraction
from firesteel.rules.aggregate.drop_projection import drop_projection
from firesteel.rules.aggregate.incremental_aggregate import incremental_aggregate
from firesteel.rules.aggregate.merge_group_keys import merge_group_keys
from firesteel.rules.aggregate.pandas_aggregates import check_pandas_aggregates
from firesteel.rules.aggregate.prune_aggregate_calls import merge_aggregate_project, prune_aggregate_calls
from firesteel.rules.aggregate.pull_up_constant_keys import pull_up_constant_keys
from firesteel.rules.aggregate.reduce_aggregates import reduce_aggregates
from firesteel.rules.aggregate.remove_aggregates import remove_aggregates
from firesteel.rules.aggregate.split_distinct import split_distinct
from firesteel.rules.aggregate.transpose_aggregate import transpose_aggregate
from firesteel.rules.aggregate.two_stage_aggregate import two_stage_aggregate
from firesteel.rules.changelog.infer_changelog_mode import infer_changelog_mode
from firesteel.rules.changelog.normalize_upserts import filter_in_normalization, normalize_upserts
from firesteel.rules.changelog.note_lookup_keys import note_lookup_keys
from firesteel.rules.changelog.resolve_updates import resolve_updates
from firesteel.rules.correlate.drop_renaming import drop_renaming, keep_padded_names
from firesteel.rules.correlate.keep_times import keep_times
from firesteel.rules.correlate.split_python_calls import split_python_calls
from firesteel.rules.correlate.unnest import correlate_calls, unnest
from firesteel.rules.join.choose_join_state import choose_join_state
from firesteel.rules.join.derive_join_conditions import derive_join_conditions
from firesteel.rules.join.multi_join import multi_join, name_multi_joins
from firesteel.rules.join.refuse_key_types import refuse_key_types
from firesteel.rules.join.simplify_coalesce import simplify_coalesce
from firesteel.rules.join.warn_of_unbounded_times import warn_of_unbounded_times
from firesteel.rules.mini_batch.infer_mini_batch_interval import infer_mini_batch_interval, is_stateless
from firesteel.rules.mini_batch.keep_bundle_order import keep_bundle_order
from firesteel.rules.normalize.check_json_calls import check_json_calls
from firesteel.rules.normalize.check_watermark_calls import check_watermark_calls
from firesteel.rules.normalize.expand_grouping_sets import expand_grouping_sets
from firesteel.rules.normalize.group_window_projects import filter_before_picking
from firesteel.rules.normalize.materialize_time_attributes import (
    materialize_event_time,
    materialize_processing_time,
    materialize_result,
)
from firesteel.rules.normalize.merge_projects import merge_projects, remove_renaming
from firesteel.rules.normalize.prune_empty import prune_empty
from firesteel.rules.normalize.reduce_expressions import reduce_expressions
from firesteel.rules.normalize.share_names import share_names
from firesteel.rules.normalize.simplify_calc import simplify_calc
from firesteel.rules.normalize.sorts import sort_below_projects
from firesteel.rules.normalize.unions import coerce_inputs, merge_distinct, union_to_distinct
from firesteel.rules.normalize.wrap_json_arguments import wrap_json_arguments
from firesteel.rules.physical.sink_row_times import check_sink_row_times
from firesteel.rules.physical.to_physical import to_physical
from firesteel.rules.program import Program, Settings, Trace, each, fixed_point, together, whole
from firesteel.rules.pushdown.push_filter_into_scan import push_filter_into_scan
from firesteel.rules.pushdown.push_filters import push_filters
from firesteel.rules.pushdown.push_limit import push_limit
from firesteel.rules.pushdown.push_projects import push_projects
from firesteel.rules.pushdown.push_semi_joins import push_semi_joins
from firesteel.rules.rank.choose_rank_strategy import choose_rank_strategy
from firesteel.rules.rank.top_n import top_n
from firesteel.rules.reuse.reuse_scans import reuse_scans
from firesteel.rules.set_op.rewrite_sets import rewrite_sets
from firesteel.rules.subquery.rewrite_sub_queries import rewrite_sub_queries
from firesteel.rules.temporal.lower_snapshots import lower_snapshots
from firesteel.rules.temporal.snapshot_join import snapshot_join
from firesteel.rules.temporal.to_temporal_join import merge_plain_times
from firesteel.rules.temporal.version_keys import version_keys
from firesteel.rules.window.group_windows import group_windows
from firesteel.rules.window.over_aggregates import numbered_below_bound, over_aggregates
from firesteel.rules.window.over_windows import check_over_windows
from firesteel.rules.window.pull_up_windows import pull_up_windows
from firesteel.rules.window.two_stage_window_aggregate import two_stage_window_aggregate
from firesteel.rules.window.warn_of_one_border import warn_of_one_border
from firesteel.rules.window.warn_of_window_zones import warn_of_window_zones
from firesteel.rules.window.window_aggregates import name_window_keys, window_aggregates
from firesteel.rules.window.window_emit import window_emit
from firesteel.rules.window.window_times import check_window_times

SUBQUERY_REWRITE = Program(
    "subquery_rewrite",
    (
        (whole(as_built), "expressions as Calcite's builder leaves them, which the AST shows"),
        (each(snapshot_join), "tables as of a time are joins; before others look for what is correlated"),
        (whole(rewrite_sub_queries), "sub-queries become joins, which all other rules know"),
        (each(unnest), "the rules below know only calls of table functions"),
        (each(correlate_calls), "as joins they would keep their rows"),
        (each(keep_padded_names), "before projections above take the names"),
    ),
    leaves=LogicalNode,
)

DEFAULT_REWRITE = Program(
    "default_rewrite",
    (
        (each(union_to_distinct), "the rules below know only the union of all rows"),
        (
            each(reduce_expressions, "configuration"),
            "what is known of a column is seen before filters move away from it",
        ),
        (each(pull_up_constant_keys), "a literal key groups nothing"),
        (each(coerce_inputs), "the rows of a set operation have one type; before filters pass through it"),
        (each(merge_distinct), "while the inputs of a union are what was written"),
        (each(remove_renaming), "before projections meet, which keeps the upper one's names"),
        (each(merge_projects), "one projection between two other operators"),
        (each(numbered_below_bound), "while the window stands in the projection below the filter"),
        (each(over_aggregates), "before filters move: they must not pass a window"),
        (each(group_windows), "while what is asked of a window stands right above its aggregate"),
    ),
    leaves=LogicalNode,
)

PREDICATE_PUSHDOWN = Program(
    "predicate_pushdown",
    (
        (fixed_point(each(push_filters)), "fewer rows as early as can be"),
        (
            each(derive_join_conditions),
            "once, on what met in a join: what it derives goes to the inputs, and it would derive it again",
        ),
        (fixed_point(each(push_filters)), "what a join says about an input goes there"),
        (each(push_expressions), "a join finds partners by columns"),
        (each(lower_snapshots), "what a lookup join computes from its table belongs to the table"),
        (
            each(reduce_expressions, "configuration"),
            "filters that met are one condition now, and hold columns to values",
        ),
        (each(prune_empty), "a condition that cannot hold leaves no rows"),
        (each(pull_up_constant_keys), "keys may have become literals"),
        (
            fixed_point(each(remove_renaming), each(merge_projects)),
            "filters that moved may have left projections side by side; none of reduced calls",
        ),
    ),
    leaves=LogicalNode,
)

AGGREGATE_REWRITE = Program(
    "aggregate_rewrite",
    (
        (each(remove_aggregates), "groups of one row need no state"),
        (each(wrap_json_arguments), "before projections meet: the JSON texts are made in the one below"),
        (each(expand_grouping_sets), "the rules below know only one set of keys"),
        (whole(reduce_aggregates), "variances have no operator of their own; sums and counts may be shared"),
        (each(push_filters), "HAVING goes below the reduced calls' projection"),
        (each(merge_projects), "the reduced calls' projection joins the one above"),
    ),
    leaves=LogicalNode,
)

PROJECT_REWRITE = Program(
    "project_rewrite",
    (
        (each(push_filter_into_scan), "before columns are cut from the scan: the condition reads some"),
        (each(prune_empty), "conditions from above may have met others with which they cannot hold"),
        (each(simplify_coalesce), "joins have their final conditions, and columns are not cut yet"),
        (each(normalize_upserts, "configuration"), "before columns are cut: the key is read all the same"),
        (each(name_multi_joins, "configuration"), "columns that are dropped count in their names"),
        (whole(push_projects), "scans read what is still read; from the root down"),
        (whole(push_semi_joins), "what the inputs of joins read decides which keys are known"),
        (each(drop_renaming), "projections above have their names"),
        (each(split_python_calls), "filters have found their places, and projections may still meet"),
        (each(prune_empty), "projections have come to rows that are none"),
        (each(sort_below_projects), "a projection that no scan has taken"),
    ),
    leaves=LogicalNode,
)

LOGICAL_REWRITE = Program(
    "logical_rewrite",
    (
        (each(prune_aggregate_calls), "after the scans were narrowed, as Flink's plans show"),
        (each(remove_aggregates), "some have no calls left"),
        (each(merge_group_keys), "one column is one key, under whatever names"),
        (each(merge_aggregate_project), "without the dropped calls a projection may only reorder"),
        (each(merge_projects), "projections that moved may have met"),
        (each(drop_projection), "what is read and what it costs is known"),
        (each(filter_before_picking), "with the projection that was between them gone or above"),
        (each(rewrite_sets), "columns are cut and filters moved: none passes its joins"),
        (each(merge_distinct), "the aggregates of sets within a UNION"),
        (each(transpose_aggregate), "what the inputs of joins are, and which columns they have, is known"),
        (each(merge_projects), "a projection is left of some"),
        (whole(top_n), "with all that is read of the numbered rows known"),
        (each(merge_projects), "a projection below a rank joins the one that was there"),
        (each(push_limit), "a limit stands right above its scan"),
        (whole(split_distinct, "configuration"), "over the columns that are left, before windows are formed"),
        (each(window_aggregates), "groups hold both borders of their windows, or never will"),
        (each(merge_projects), "those to the query's columns join the ones above"),
        (each(name_window_keys), "the projections above are those that stay"),
        (each(warn_of_one_border, "configuration"), "what is one of windows, and what is not, is known"),
        (whole(share_names), "projections have found their places"),
        (each(version_keys), "a projection may have dropped a column of a key"),
        (each(refuse_key_types), "all that joins hold equal is known"),
    ),
    leaves=LogicalNode,
)

PHYSICAL = Program(
    "physical",
    (
        (whole(to_physical), "projections and filters have found their places: together they are a Calc"),
        (each(warn_of_unbounded_times, "configuration"), "while the inputs of joins have time attributes"),
        (each(merge_plain_times), "a projection above joins the one that makes plain timestamps of times"),
        (each(check_window_times), "while each node below still tells its times"),
        (each(window_emit, "configuration"), "an error of its options comes before all others"),
        (each(check_pandas_aggregates), "what is aggregated is known, and when windows fire"),
        (each(simplify_calc), "conditions that only changed their order until now take it"),
        (
            each(filter_in_normalization),
            "a row that leaves the filter is a delete then",
        ),
        (each(multi_join, "configuration"), "each join has its final condition and its exchanges"),
        (each(check_watermark_calls), "a row time still differs from a plain timestamp"),
        (each(materialize_event_time), "an aggregate's rows have no event time of their own"),
        (each(materialize_processing_time), "nor have they a processing time"),
        (each(pull_up_windows), "an aggregate of plain timestamps needs the borders beside it"),
        (each(check_json_calls), "where projections have met, JSON() may stand where it is allowed"),
        (each(keep_times), "while each node below still tells its times"),
        (each(choose_rank_strategy, "configuration"), "by the kinds of change below"),
        (each(choose_join_state), "a projection below may drop a key"),
        (each(choose_retraction), "by the kinds of change below; it is part of the node's text in errors"),
        (whole(materialize_result), "what is shown or written has no processing time either"),
    ),
    leaves=PhysicalNode,
    without=(DropUpdateBefore, PhaseNode),
)

CHANGELOG = Program(
    "changelog",
    (
        (whole(infer_changelog_mode, "collect", "configuration"), "from the root's wishes down"),
        (whole(resolve_updates, "configuration"), "which nodes send updates is known"),
        (each(note_lookup_keys), "before mini-batches stand in the plan"),
        (each(check_sink_row_times), "changes that the sink does not take are reported first"),
    ),
    leaves=PhysicalNode,
    without=(PhaseNode,),
    modes=True,
)

PHYSICAL_REWRITE = Program(
    "physical_rewrite",
    (
        (each(check_over_windows), "changes that no window takes are reported first"),
        (whole(infer_mini_batch_interval, "configuration", "stateless"), "marks what bundles rows"),
        (each(two_stage_aggregate, "configuration"), "what bundles rows is known"),
        (each(incremental_aggregate, "configuration"), "two aggregates of two phases one over the other"),
        (each(keep_bundle_order), "all phases of a bundle are known"),
        (each(two_stage_window_aggregate, "configuration"), "needs no mini-batches"),
        (each(warn_of_window_zones, "configuration"), "aggregates of windows have their phases"),
        (together(reuse_scans), "last, as in Flink: mini-batches are placed before scans become one"),
    ),
    leaves=PhysicalNode,
    modes=True,
)

PROGRAMS = (
    SUBQUERY_REWRITE,
    DEFAULT_REWRITE,
    PREDICATE_PUSHDOWN,
    AGGREGATE_REWRITE,
    PROJECT_REWRITE,
    LOGICAL_REWRITE,
    PHYSICAL,
    CHANGELOG,
    PHYSICAL_REWRITE,
)
"""All programs, in order. No other code changes a plan.

Rules of PHYSICAL_REWRITE set the changelog modes of the nodes that they add.
"""


def optimize(logical: Node, configuration: Mapping[str, str], collect: bool = False) -> Node:
    """Return the physical plan of a bound query. Its root is a Sink for an INSERT.

    Args:
        logical: The bound query.
        configuration: Options of the session.
        collect: Whether the rows of a SELECT are shown, which needs UPDATE_BEFORE. EXPLAIN shows no rows.

    Raises:
        ValidationError: A sink cannot accept the query's changes, or mini-batches lack a latency or a size.
    """
    return optimize_all([logical], configuration, collect)[0]


@collector_at_rest()
def optimize_all(
    logical: Sequence[Node],
    configuration: Mapping[str, str],
    collect: bool = False,
    trace: Trace | None = None,
) -> list[Node]:
    """Return the physical plans of the INSERTs of a statement set, which share their scans.

    Arguments and errors: see `optimize`.

    Args:
        trace: Called after each program that changed a plan.
    """
    stateless = all(is_stateless(as_built(node)) for node in logical)
    settings = Settings(configuration, collect, stateless=stateless)
    plans = list(logical)
    for program in PROGRAMS:
        plans = program.run(plans, settings, trace)
    return plans
