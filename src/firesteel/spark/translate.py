"""From the physical plan to a job: the tree is cut at its exchanges into chains.

Operators above a Union are copied into the chain of each of its inputs, as Flink's operators are: a
Union is no operator, only several streams into one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from firesteel.catalog.schema import Table
from firesteel.errors import InternalError, NotSupportedError
from firesteel.expr.deep import from_below
from firesteel.expr.nodes import Expr, InputRef, Literal
from firesteel.expr.to_duckdb import compile_calc
from firesteel.plan import physical
from firesteel.plan.expressions import expand_search
from firesteel.plan.tree import Node
from firesteel.plan.unsupported import refuse_execution
from firesteel.runtime.spec import (
    CalcSpec,
    ChainSpec,
    ChangelogNormalizeSpec,
    DropUpdateBeforeSpec,
    ExpandSpec,
    JobSpec,
    OperatorSpec,
    ScanSpec,
    SinkSpec,
    ValuesSpec,
)
from firesteel.spark.translate_aggregates import AggregateOptions, aggregate_operator, mode_of, types_of
from firesteel.types.constraints import constraints_of


@dataclass(frozen=True)
class TranslateOptions:
    """time_zone: of the session (table.local-time-zone). ttl: milliseconds that state is kept, 0 for
    ever (table.exec.state.ttl). bundle: rows after which a bundle ends (table.exec.mini-batch.size).
    names: of a collected query's columns, where the plan may have lost them. configuration: for what a sink
    demands of rows (types/constraints.py)."""

    time_zone: str = "UTC"
    ttl: int = 0
    bundle: int = 0
    names: tuple[str, ...] | None = None
    configuration: Mapping[str, str] = field(default_factory=dict)


def translate(root: Node, options: TranslateOptions | None = None) -> JobSpec:
    """The job that runs a physical plan. A root that is no Sink is collected.

    Raises NotSupportedError for what no host can run yet.
    """
    refuse_execution(root)
    translation = _Translation(options or TranslateOptions())
    sink = _sink(root, translation.options)
    below = root.input if isinstance(root, physical.Sink) else root
    for open_chain in translation.chains(below):
        translation.close(open_chain, None)
    return JobSpec(tuple(translation.done), sink, translation.bounded)


@dataclass(frozen=True)
class _Open:
    """A chain whose end is not known yet."""

    head: ScanSpec | ValuesSpec | tuple[int, ...]
    operators: tuple[OperatorSpec, ...] = ()

    def then(self, operator: OperatorSpec) -> _Open:
        return replace(self, operators=(*self.operators, operator))


@dataclass
class _Translation:
    options: TranslateOptions
    done: list[ChainSpec] = field(default_factory=list)
    bounded: bool = True
    states: int = 0

    def chains(self, node: Node) -> list[_Open]:
        """The open chains whose outputs together are the node's."""
        return _chains(node, self)

    def open(self, node: Node) -> list[_Open]:
        if isinstance(node, physical.TableSourceScan):
            traits = node.table.traits
            self.bounded = self.bounded and (traits is None or traits.bounded)
            return [_Open(self._scan(node))]
        if isinstance(node, physical.Values):
            return [_Open(self._values(node))]
        if isinstance(node, physical.Union):
            return [chain for child in node.inputs for chain in self.chains(child)]
        if isinstance(node, physical.Exchange):
            keys = () if node.one_task else node.keys
            writers = [self.close(chain, keys) for chain in self.chains(node.input)]
            return [_Open(tuple(writers))]
        below = self.chains(node.children[0])
        operator = self._operator(node)
        return below if operator is None else [chain.then(operator) for chain in below]

    def close(self, chain: _Open, partition_by: tuple[int, ...] | None) -> int:
        """End a chain; its id."""
        self.done.append(ChainSpec(len(self.done), chain.head, chain.operators, partition_by))
        return len(self.done) - 1

    def _operator(self, node: Node) -> OperatorSpec | None:
        """The operator that a node is; None for one that only passes rows on."""
        if isinstance(node, physical.Calc):
            return self._calc(node)
        aggregate = aggregate_operator(
            node, AggregateOptions(self.options.ttl, self.options.bundle, self._state_id)
        )
        if aggregate is not None:
            return aggregate
        if isinstance(node, physical.ChangelogNormalize):
            return self._changelog_normalize(node)
        if isinstance(node, physical.DropUpdateBefore):
            return DropUpdateBeforeSpec()
        if isinstance(node, physical.Expand):
            return _expand(node)
        if isinstance(node, (physical.WatermarkAssigner, physical.MiniBatchAssigner)):
            return None  # a micro-batch ends its bundles, and no operator that runs looks at watermarks
        raise NotSupportedError(f"{type(node).__name__} cannot run yet")

    def _scan(self, node: physical.TableSourceScan) -> ScanSpec:
        table = node.table
        columns = [c for c in table.columns if c.is_physical]
        columns += [c for c in table.columns if c.metadata is not None]
        return ScanSpec(
            connector=_connector(table),
            options=table.options,
            names=tuple(c.name for c in columns),
            types=tuple(c.type for c in columns),
            projection=tuple(range(len(columns))) if node.project is None else node.project,
            metadata=tuple(c.metadata for c in columns),
            time_zone=self.options.time_zone,
            table=".".join(table.path),
        )

    def _values(self, node: physical.Values) -> ValuesSpec:
        types = tuple(f.type for f in node.fields)
        rows = [compile_calc(row, None, (), types, self.options.time_zone) for row in node.rows]
        functions = dict.fromkeys(name for row in rows for name in row.functions)
        return ValuesSpec(types, tuple(row.projection for row in rows), tuple(functions))

    def _calc(self, node: physical.Calc) -> CalcSpec:
        exprs = [expand_search(expr, lists=True) for expr in node.exprs]
        condition = None if node.condition is None else expand_search(node.condition, lists=True)
        return compile_calc(exprs, condition, types_of(node.input), None, self.options.time_zone)

    def _changelog_normalize(self, node: physical.ChangelogNormalize) -> ChangelogNormalizeSpec:
        types = types_of(node.input)
        condition = None
        if node.condition is not None:
            condition = compile_calc(
                (), expand_search(node.condition, lists=True), types, None, self.options.time_zone
            )
        return ChangelogNormalizeSpec(
            keys=node.keys,
            input_types=types,
            emit_update_before=mode_of(node).update_before,
            condition=condition,
            ttl=self.options.ttl,
            state_id=self._state_id("changelog-normalize"),
            bundle=self.options.bundle if node.mini_batch else 0,
        )

    def _state_id(self, operator: str) -> str:
        self.states += 1
        return f"{operator}-{self.states}"


@from_below
def _chains(node: Node, translation: _Translation) -> list[_Open]:
    return translation.open(node)


def _expand(node: physical.Expand) -> ExpandSpec:
    """A column shows one field of the input, or NULL; one column shows the number of the copy.

    Raises InternalError for any other Expand.
    """
    columns: list[int | None] = [None] * len(node.names)
    shown = []
    for cells in node.projects:
        fields = {place: cell.index for place, cell in enumerate(cells) if isinstance(cell, InputRef)}
        for place, index in fields.items():
            if columns[place] not in (None, index):
                raise InternalError(f"column {place} of an Expand shows more than one field")
            columns[place] = index
        shown.append(tuple(fields))
    at = next(i for i, e in enumerate(node.projects[0]) if isinstance(e, Literal) and e.value is not None)
    numbers = tuple(_number(cells[at]) for cells in node.projects)
    return ExpandSpec(tuple(columns), types_of(node), tuple(shown), at, numbers)


def _number(cell: Expr) -> int:
    if not isinstance(cell, Literal) or not isinstance(cell.value, int):
        raise InternalError("a copy of an Expand has no number")
    return cell.value


def _sink(root: Node, options: TranslateOptions) -> SinkSpec:
    if not isinstance(root, physical.Sink):
        names, types = tuple(f.name for f in root.schema), types_of(root)
        constraints = constraints_of(options.names or names, types, options.configuration)
        return SinkSpec(None, (), names, types, constraints=constraints)
    if root.upsert_materialize:
        raise NotSupportedError(
            f"the sink {'.'.join(root.table.path)} needs SinkUpsertMaterialize, which cannot run yet",
            hint="set 'table.exec.sink.upsert-materialize' = 'NONE', or group by the sink's primary key",
        )
    columns = [c for c in root.table.columns if c.computed is None and not c.virtual]
    names, types = tuple(c.name for c in columns), tuple(c.type for c in columns)
    return SinkSpec(
        connector=_connector(root.table),
        options=root.table.options,
        names=names,
        types=types,
        table=".".join(root.table.path),
        constraints=constraints_of(names, types, options.configuration),
    )


def _connector(table: Table) -> str:
    return dict(table.options)["connector"]
