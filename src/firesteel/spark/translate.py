"""From physical plans to a job: the trees are cut at their exchanges into chains, and where a part of them
is used more than once, which EXPLAIN shows as reused.

Operators above a Union are copied into the chain of each of its inputs, as Flink's operators are: a
Union is no operator, only several streams into one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.catalog.schema import Table
from firesteel.changelog import UPSERT
from firesteel.connectors.filesystem_options import placed
from firesteel.connectors.registry import secret_keys
from firesteel.expr.deep import from_below
from firesteel.expr.to_duckdb import compile_calc
from firesteel.plan import physical
from firesteel.plan.facts.changes import source_mode
from firesteel.plan.logical import scanned_columns
from firesteel.plan.reuse import Reuse, fingerprint
from firesteel.plan.tree import Node
from firesteel.runtime.mark_paths import with_marks
from firesteel.runtime.spec import (
    ChainSpec,
    CurrentWatermarkSpec,
    GeneratedWatermarksSpec,
    Input,
    JobSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
    Output,
    Partitioning,
    ScanSpec,
    SinkSpec,
    ValuesSpec,
    sink_id,
)
from firesteel.secrets import referenced
from firesteel.spark.translate_aggregates import OperatorOptions, mode_of, types_of
from firesteel.spark.translate_operators import operator_of
from firesteel.spark.translate_parts import parts_by_scan
from firesteel.spark.translate_sinks import persisted_columns, sink_enforcer, sink_materializer
from firesteel.types.constraints import constraints_of
from firesteel.types.value_parts import Parts


@dataclass(frozen=True)
class TranslateOptions:
    """time_zone: of the session (table.local-time-zone). ttl: milliseconds that state is kept, 0 for
    ever (table.exec.state.ttl). bundle: rows after which a bundle ends (table.exec.mini-batch.size).
    names: of a collected query's columns, where the plan may have lost them. configuration: for what a sink
    demands of rows (types/constraints.py). reuse: whether equal parts run once
    (table.optimizer.reuse-sub-plan-enabled), and reuse_sources: whether they may be scans
    (table.optimizer.reuse-source-enabled). watermark_interval: milliseconds of event time between marks
    (pipeline.auto-watermark-interval). idle_timeout: milliseconds (table.exec.source.idle-timeout)."""

    time_zone: str = "UTC"
    ttl: int = 0
    bundle: int = 0
    names: tuple[str, ...] | None = None
    configuration: Mapping[str, str] = field(default_factory=dict)
    reuse: bool = True
    reuse_sources: bool = True
    watermark_interval: int = 200
    idle_timeout: int = 0


def translate(roots: Sequence[Node], options: TranslateOptions | None = None) -> JobSpec:
    """The job that runs physical plans. What goes to several sinks runs once, and equal sinks are one; what
    comes together again within a query is computed for each branch, as Flink gives the rows of one branch
    before those of the next. A root that is no Sink is collected.

    Raises NotSupportedError for what no host can run yet.
    """
    options = options or TranslateOptions()
    inputs = [root.input if isinstance(root, physical.Sink) else root for root in roots]
    sinks: list[SinkSpec] = []
    numbers = [_placed(_sink(root, options), sinks) for root in roots]
    reuse = Reuse.across(list(zip(numbers, inputs, strict=True))) if options.reuse else Reuse({})
    translation = _Translation(options, reuse, parts_by_scan(inputs))
    for number, root, below in zip(numbers, roots, inputs, strict=True):
        translation.sink = number
        for open_chain in translation.to_sink(root, translation.chains(below)):
            translation.close(open_chain, [Output(sink_id(number))])
    chains = (
        ChainSpec(chain.id, chain.inputs, chain.operators, tuple(chain.outputs)) for chain in translation.done
    )
    return with_marks(JobSpec(tuple(chains), tuple(sinks), translation.bounded))


def _placed(sink: SinkSpec, sinks: list[SinkSpec]) -> int:
    """The number of a sink among those of the job. Equal ones are one, and get what comes to any of them."""
    for number, other in enumerate(sinks):
        if replace(other, mode=sink.mode) == sink:
            sinks[number] = replace(sink, mode=other.mode | sink.mode)
            return number
    sinks.append(sink)
    return len(sinks) - 1


@dataclass(frozen=True)
class _Open:
    """A chain whose end is not known yet. feeds: the chains that it reads, each with the output that is to
    lead here."""

    inputs: tuple[Input, ...]
    feeds: tuple[tuple[int, Output], ...] = ()
    operators: tuple[OperatorSpec, ...] = ()

    @classmethod
    def reading(cls, chains: Iterable[int], how: Partitioning, keys: tuple[int, ...] = ()) -> _Open:
        numbers = tuple(chains)
        return cls(tuple(map(Input, numbers)), tuple((n, Output(0, how, keys)) for n in numbers))

    def then(self, operator: OperatorSpec) -> _Open:
        return replace(self, operators=(*self.operators, operator))


@dataclass
class _Closed:
    """A chain whose readers are being found."""

    id: int
    inputs: tuple[Input, ...]
    operators: tuple[OperatorSpec, ...]
    outputs: list[Output]


@dataclass
class _Translation:
    options: TranslateOptions
    reuse: Reuse
    parts: Mapping[str, tuple[Parts, ...]]
    done: list[_Closed] = field(default_factory=list)
    sink: int = 0
    uses: Counter[tuple[int, int]] = field(default_factory=Counter)
    shared: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    bounded: bool = True

    def __post_init__(self) -> None:
        self.operators = OperatorOptions(
            self.options.time_zone, self.options.ttl, self.options.bundle, _StateNames(),
            self.options.watermark_interval, self.options.idle_timeout,
        )  # fmt: skip

    def chains(self, node: Node) -> list[_Open]:
        """The open chains whose outputs together are the node's."""
        return _chains(node, self)

    def open(self, node: Node) -> list[_Open]:
        """The same for a node that is met for the first time, or is used once."""
        number = self.reuse.number(node)
        is_scan = isinstance(node, physical.TableSourceScan)
        if number is None or (is_scan and not self.options.reuse_sources):
            return self._opened(node)
        use = (number, self.uses[self.sink, number])  # each use on the way to a sink has chains of its own
        self.uses[self.sink, number] += 1
        if use not in self.shared:
            self.shared[use] = [self.close(chain) for chain in self._opened(node)]
        return [_Open.reading([chain], Partitioning.FORWARD) for chain in self.shared[use]]

    def _opened(self, node: Node) -> list[_Open]:
        if isinstance(node, physical.TableSourceScan):
            traits = node.table.traits
            self.bounded = self.bounded and (traits is None or traits.bounded)
            parts = self.parts.get(fingerprint(node), ())
            return [_Open((Input(_scan(node, self.options, parts)),))]
        if isinstance(node, physical.Values):
            return [_Open((Input(_values(node, self.options)),))]
        if isinstance(node, physical.Union):
            return [chain for child in node.inputs for chain in self.chains(child)]
        if isinstance(node, physical.Exchange):
            how = Partitioning.SINGLE if node.one_task or not node.keys else Partitioning.HASH
            keys = node.keys if how is Partitioning.HASH else ()
            return [_Open.reading([self.close(chain) for chain in self.chains(node.input)], how, keys)]
        below = self.chains(node.children[0])
        operator = operator_of(node, self.operators)
        if operator is None:
            return below
        if isinstance(operator, (CurrentWatermarkSpec, GeneratedWatermarksSpec)):
            below = self._in_one_task(below)
        return [chain.then(operator) for chain in below]

    def to_sink(self, root: Node, chains: list[_Open]) -> list[_Open]:
        """The chains that end in a root's sink. Behind a materializer, rows are by its primary key."""
        if not isinstance(root, physical.Sink) or not root.upsert_materialize:
            return chains
        enforcer = sink_enforcer(root, self.options.configuration)
        if enforcer is not None:
            chains = [chain.then(enforcer) for chain in chains]
        materializer = sink_materializer(root, self.operators)
        by_key = _Open.reading(
            [self.close(chain) for chain in chains], Partitioning.HASH, materializer.primary_key
        )
        return [by_key.then(materializer)]

    def _in_one_task(self, chains: list[_Open]) -> list[_Open]:
        """The chains; what reads a source goes through an exchange, as no split knows the watermark of those
        before. Marks of the clock stay where they are."""
        if all(_is_by_clock(chain) or not self._reads_source(chain) for chain in chains):
            return chains
        return [_Open.reading([self.close(chain) for chain in chains], Partitioning.SINGLE)]

    def _reads_source(self, chain: _Open) -> bool:
        return all(output.partitioning is Partitioning.FORWARD for _, output in chain.feeds)

    def close(self, chain: _Open, outputs: Sequence[Output] = ()) -> int:
        """End a chain; its id."""
        number = len(self.done)
        self.done.append(_Closed(number, chain.inputs, chain.operators, list(outputs)))
        for producer, output in chain.feeds:
            self.done[producer].outputs.append(replace(output, to=number))
        return number


def _is_by_clock(chain: _Open) -> bool:
    return any(isinstance(each, MiniBatchAssignerSpec) and not each.row_time for each in chain.operators)


class _StateNames:
    """A name for the state of each operator, as they are met."""

    def __init__(self) -> None:
        self._given = 0

    def __call__(self, operator: str) -> str:
        self._given += 1
        return f"{operator}-{self._given}"


@from_below
def _chains(node: Node, translation: _Translation) -> list[_Open]:
    return translation.open(node)


def _scan(node: physical.TableSourceScan, options: TranslateOptions, parts: tuple[Parts, ...]) -> ScanSpec:
    table, mode = node.table, source_mode(node.table)
    columns = scanned_columns(table)
    return ScanSpec(
        connector=_connector(table),
        options=_sent(table),
        names=tuple(c.name for c in columns),
        types=tuple(c.type for c in columns),
        projection=tuple(range(len(columns))) if node.project is None else node.project,
        metadata=tuple(c.metadata for c in columns),
        time_zone=options.time_zone,
        table=".".join(table.path),
        upsert_key=table.primary_key if mode.update_after and not mode.update_before else (),
        partition_keys=table.partition_keys,
        parts=parts,
    )


def _values(node: physical.Values, options: TranslateOptions) -> ValuesSpec:
    types = tuple(f.type for f in node.fields)
    rows = [compile_calc(row, None, (), types, options.time_zone) for row in node.rows]
    functions = dict.fromkeys(name for row in rows for name in row.functions)
    return ValuesSpec(types, tuple(row.projection for row in rows), tuple(functions))


def _sink(root: Node, options: TranslateOptions) -> SinkSpec:
    if not isinstance(root, physical.Sink):
        names, types = tuple(f.name for f in root.schema), types_of(root)
        constraints = constraints_of(options.names or names, types, options.configuration)
        return SinkSpec(None, (), names, types, constraints=constraints)
    columns = persisted_columns(root.table)
    names, types = tuple(c.name for c in columns), tuple(c.type for c in columns)
    constraints = constraints_of(names, types, options.configuration)
    return SinkSpec(
        connector=_connector(root.table),
        options=placed(_sent(root.table)),
        names=names,
        types=types,
        table=".".join(root.table.path),
        constraints=None if root.upsert_materialize else constraints,
        primary_key=tuple(map(names.index, root.table.primary_key)),
        mode=UPSERT if root.upsert_materialize else mode_of(root.input),
        metadata=tuple(c.metadata for c in columns),
        partition_keys=root.table.partition_keys,
    )


def _sent(table: Table) -> tuple[tuple[str, str], ...]:
    """The options as they may travel."""
    return referenced(".".join(table.path), table.options, secret_keys(dict(table.options)))


def _connector(table: Table) -> str:
    return dict(table.options)["connector"]
