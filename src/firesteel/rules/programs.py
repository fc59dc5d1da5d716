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
        (
            whole(as_built),
            "all later rules start from the tree that the AST shows, with expressions as Calcite's builder "
            "rewrites them",
        ),
        (
            each(snapshot_join),
            "turns FOR SYSTEM_TIME AS OF into joins, before rewrite_sub_queries treats the remaining "
            "Correlate nodes as LATERAL",
        ),
        (whole(rewrite_sub_queries), "no later rule handles sub-queries"),
        (each(unnest), "later rules handle calls of table functions, but not UNNEST"),
        (
            each(correlate_calls),
            "as joins, they would store the rows of both inputs; a Correlate calls the function for each "
            "row and stores nothing",
        ),
        (
            each(keep_padded_names),
            "must see the projection with the query's names, before merge_projects removes it",
        ),
    ),
    leaves=LogicalNode,
)

DEFAULT_REWRITE = Program(
    "default_rewrite",
    (
        (each(union_to_distinct), "the rules below know only the union of all rows"),
        (
            each(reduce_expressions, "configuration"),
            "filters are still next to the projections whose columns they fix to a value",
        ),
        (
            each(pull_up_constant_keys),
            "a literal group key can be removed, once reduce_expressions has made literals",
        ),
        (each(coerce_inputs), "the rows of a set operation have one type; before filters pass through it"),
        (each(merge_distinct), "the inputs of a union are still those of the query"),
        (each(remove_renaming), "before merge_projects, which would keep the names of the upper projection"),
        (each(merge_projects), "one projection between two other operators"),
        (
            each(numbered_below_bound),
            "the filter on the row number is still right above the projection with its OVER call",
        ),
        (each(over_aggregates), "filters must not move below an OVER window, so windows become nodes first"),
        (each(group_windows), "auxiliary functions such as TUMBLE_END are still right above the aggregate"),
    ),
    leaves=LogicalNode,
)

PREDICATE_PUSHDOWN = Program(
    "predicate_pushdown",
    (
        (fixed_point(each(push_filters)), "filters drop rows as near to the sources as possible"),
        (
            each(derive_join_conditions),
            "runs once, after filters have reached the joins; in a loop it would derive the same conditions "
            "again and again",
        ),
        (fixed_point(each(push_filters)), "moves the derived conditions to the inputs of joins"),
        (
            each(push_expressions),
            "joins compare plain columns only, so computed operands become columns of the inputs",
        ),
        (
            each(lower_snapshots),
            "a lookup join expects projections and filters of its table below the Snapshot",
        ),
        (
            each(reduce_expressions, "configuration"),
            "merged filters may fix further columns to values",
        ),
        (each(prune_empty), "conditions that are always FALSE have become empty Values"),
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
        (
            each(wrap_json_arguments),
            "adds a projection below the aggregate, which merge_projects then merges with others",
        ),
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
        (
            each(push_filter_into_scan),
            "before columns are cut, so that the scan keeps those that its condition reads",
        ),
        (each(prune_empty), "conditions from above may have met others with which they cannot hold"),
        (each(simplify_coalesce), "joins have their final conditions, and columns are not cut yet"),
        (
            each(normalize_upserts, "configuration"),
            "before columns are cut, so that a normalized scan keeps its primary key",
        ),
        (
            each(name_multi_joins, "configuration"),
            "before columns are cut: dropped columns affect the numbers in output names",
        ),
        (
            whole(push_projects),
            "filters are in place, so the columns that are read are known; walks from the root down",
        ),
        (
            whole(push_semi_joins),
            "keys, and so costs, depend on the columns that the inputs of joins still have",
        ),
        (each(drop_renaming), "the projections above already have the query's names"),
        (each(split_python_calls), "filters have found their places, and projections may still meet"),
        (each(prune_empty), "projections may now be right above an empty Values"),
        (each(sort_below_projects), "moves only projections that push_projects could not push into a scan"),
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
        (
            each(filter_before_picking),
            "drop_projection and merge_projects may have removed the projection between the filter and the "
            "picking one",
        ),
        (each(rewrite_sets), "as in Flink, no filter or projection moves below the joins that it creates"),
        (each(merge_distinct), "rewrite_sets has added DISTINCT aggregates below a UNION"),
        (each(transpose_aggregate), "what the inputs of joins are, and which columns they have, is known"),
        (each(merge_projects), "transpose_aggregate replaces some aggregates by projections"),
        (whole(top_n), "the columns that are read of the ranked rows are known"),
        (each(merge_projects), "a projection below a rank joins the one that was there"),
        (each(push_limit), "a limit stands right above its scan"),
        (whole(split_distinct, "configuration"), "over the columns that are left, before windows are formed"),
        (each(window_aggregates), "no later rule adds a window border to the group keys"),
        (each(merge_projects), "window_aggregates adds projections that restore the query's columns"),
        (each(name_window_keys), "no later logical rule replaces the projection whose names it takes"),
        (each(warn_of_one_border, "configuration"), "all aggregates of windows have been recognized"),
        (whole(share_names), "projections have found their places"),
        (each(version_keys), "a projection may have dropped a column of a key"),
        (each(refuse_key_types), "no later logical rule changes join conditions"),
    ),
    leaves=LogicalNode,
)

PHYSICAL = Program(
    "physical",
    (
        (
            whole(to_physical),
            "projections and filters do not move any more, so adjacent ones become one Calc",
        ),
        (each(warn_of_unbounded_times, "configuration"), "while the inputs of joins have time attributes"),
        (each(merge_plain_times), "a projection above joins the one that makes plain timestamps of times"),
        (each(check_window_times), "while each node below still tells its times"),
        (each(window_emit, "configuration"), "errors in its options are reported first, as in Flink"),
        (each(check_pandas_aggregates), "what is aggregated is known, and when windows fire"),
        (each(simplify_calc), "no later rule reorders the terms of conditions"),
        (
            each(filter_in_normalization),
            "with the filter in ChangelogNormalize, a row that no longer passes it becomes a delete",
        ),
        (each(multi_join, "configuration"), "each join has its final condition and its exchanges"),
        (each(check_watermark_calls), "a row time still differs from a plain timestamp"),
        (each(materialize_event_time), "an aggregate's rows have no event time of their own"),
        (each(materialize_processing_time), "an aggregate's rows have no processing time of their own"),
        (
            each(pull_up_windows),
            "the materialize rules have made timestamps of times that are aggregated, for which the "
            "function must stay below",
        ),
        (each(check_json_calls), "where projections have met, JSON() may stand where it is allowed"),
        (each(keep_times), "while each node below still tells its times"),
        (each(choose_rank_strategy, "configuration"), "by the kinds of change below"),
        (each(choose_join_state), "the inputs are final: a projection below may have dropped a key"),
        (
            each(choose_retraction),
            "depends on the kinds of change below; the text of a node in changelog errors contains it",
        ),
        (whole(materialize_result), "what is shown or written has no processing time either"),
    ),
    leaves=PhysicalNode,
    without=(DropUpdateBefore, PhaseNode),
)

CHANGELOG = Program(
    "changelog",
    (
        (
            whole(infer_changelog_mode, "collect", "configuration"),
            "all physical nodes are chosen; the root's required form of updates is passed down",
        ),
        (whole(resolve_updates, "configuration"), "which nodes send updates is known"),
        (each(note_lookup_keys), "the nodes of mini-batches have no keys"),
        (each(check_sink_row_times), "changes that the sink does not take are reported first"),
    ),
    leaves=PhysicalNode,
    without=(PhaseNode,),
    modes=True,
)

PHYSICAL_REWRITE = Program(
    "physical_rewrite",
    (
        (each(check_over_windows), "the changelog program reports unsupported changes first, as in Flink"),
        (
            whole(infer_mini_batch_interval, "configuration", "stateless"),
            "marks the operators that bundle rows, which the next rules split",
        ),
        (each(two_stage_aggregate, "configuration"), "the operators that bundle rows are marked"),
        (
            each(incremental_aggregate, "configuration"),
            "finds two aggregates on top of each other that two_stage_aggregate has both split",
        ),
        (each(keep_bundle_order), "all phases of a bundle are known"),
        (
            each(two_stage_window_aggregate, "configuration"),
            "independent of mini-batches; as late as in Flink",
        ),
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
        collect: Whether the user gets the changes of a SELECT. The plan then sends UPDATE_BEFORE. False for
            EXPLAIN and INSERT.

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
