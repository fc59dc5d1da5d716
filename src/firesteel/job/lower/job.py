"""Translation of physical plans to a job: plans are cut at their exchanges into chains.

Plans are also cut below nodes with several readers; EXPLAIN shows these as reused. Operators above a Union
are copied into the chain of each of its inputs, as in Flink: a Union is no operator, it only merges streams.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.catalog.schema import Table
from firesteel.changelog import UPSERT
from firesteel.connectors.filesystem.options import placed
from firesteel.errors import InternalError
from firesteel.job.lower.aggregate import OperatorOptions, mode_of, types_of
from firesteel.job.lower.dead_letters import dead_letter_sinks, with_sinks_of_messages
from firesteel.job.lower.late_rows import with_late_rows
from firesteel.job.lower.literal_rows import inputs_to_read
from firesteel.job.lower.lookup_join import distribution
from firesteel.job.lower.multi_join import as_joins
from firesteel.job.lower.needless_exchanges import needless_exchanges
from firesteel.job.lower.nested_parts import parts_by_scan
from firesteel.job.lower.operators import operator_of
from firesteel.job.lower.row_time_sort import with_row_time
from firesteel.job.lower.scan import connector_of, scan_of, sent_options, values_of
from firesteel.job.lower.sink import persisted_columns, sink_enforcer, sink_materializer
from firesteel.job.lower.unread_columns import unread_columns
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, Partitioning, sink_id
from firesteel.job.watermark_routing import with_watermark_needs
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.reuse import Branches, Reuse, SharedRuns, Use, fingerprint
from firesteel.plan.tree import Node, walk
from firesteel.runtime.spec.operators import (
    CurrentWatermarkSpec,
    GeneratedWatermarksSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
)
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec
from firesteel.types.constraints import constraints_of
from firesteel.types.value_parts import Parts


@dataclass(frozen=True)
class TranslateOptions:
    """Options of the translation to a job.

    Attributes:
        time_zone: Session time zone (table.local-time-zone).
        ttl: State retention in milliseconds, 0 for no expiry (table.exec.state.ttl).
        bundle: Number of rows after which a bundle ends (table.exec.mini-batch.size).
        names: Names of the result's columns, for errors about constraints. None: the names in the plan.
        configuration: Options for the constraints of sinks (types/constraints.py).
        reuse: Whether equal sub-plans of all plans run once (table.optimizer.reuse-sub-plan-enabled).
        reuse_sources: Whether equal scans of a table run once (table.optimizer.reuse-source-enabled).
        watermark_interval: Milliseconds of event time between watermarks (pipeline.auto-watermark-interval).
        idle_timeout: Milliseconds until a silent source is idle (table.exec.source.idle-timeout).
        min_cleanup: Extra time of rows in interval joins (table.exec.interval-join.min-cleanup-interval).
        dead_letters: Table that gets the messages that cannot be read; None if they end the job.
        late_rows: Whether the dead-letter table gets rows that operators drop as late.
        origins: List that receives (operator, its plan node) for each operator; None if it is not needed.
        stateful: Whether checkpoints keep state. If False, a bounded job omits exchanges that move no row.
    """

    time_zone: str = "UTC"
    ttl: int = 0
    bundle: int = 0
    names: tuple[str, ...] | None = None
    configuration: Mapping[str, str] = field(default_factory=dict)
    reuse: bool = True
    reuse_sources: bool = True
    watermark_interval: int = 200
    idle_timeout: int = 0
    min_cleanup: int = 0
    dead_letters: Table | None = None
    late_rows: bool = False
    origins: list[tuple[OperatorSpec, Node]] | None = None
    stateful: bool = True


def translate(roots: Sequence[Node], options: TranslateOptions | None = None) -> JobSpec:
    """Return the job that runs physical plans. If a root is not a Sink, the caller gets its rows.

    Equal parts of the plans run once (plan/reuse.py). Sinks that differ only in changelog mode are merged.

    Raises:
        NotSupportedError: No host can run a node yet.
    """
    options = options or TranslateOptions()
    if options.late_rows and options.origins is None:
        options = replace(options, origins=[])
    roots = [with_row_time(as_joins(root)) for root in roots]
    inputs = [root.input if isinstance(root, physical.Sink) else root for root in roots]
    sinks: list[SinkSpec] = []
    numbers = [_placed(_sink(root, options), sinks) for root in roots]
    bounded = all(map(_is_bounded, inputs))
    ports = _port_exchanges(inputs)
    reuse = Reuse.of(inputs, ports) if options.reuse else Reuse({})
    shared = SharedRuns(reuse, bounded, options.reuse_sources)
    shared.meet(list(zip(numbers, inputs, strict=True)), physical.Union, physical.TableSourceScan)
    needless = needless_exchanges(inputs, ports) if bounded and not options.stateful else set()
    translation = _Translation(
        options, shared, parts_by_scan(inputs), bounded, unread_columns(inputs), needless
    )
    for number, root, below in zip(numbers, roots, inputs, strict=True):
        translation.begin(number, below)
        for open_chain in translation.to_sink(root, translation.chains(below)):
            translation.close(open_chain, [Output(sink_id(number))])
    if options.dead_letters is not None:
        sinks += dead_letter_sinks(_table_sink(options.dead_letters, options))
    job = with_sinks_of_messages(translation.job(tuple(sinks)))
    return with_watermark_needs(with_late_rows(job, options.origins or []) if options.late_rows else job)


def _port_exchanges(roots: Iterable[Node]) -> set[str]:
    """Return the fingerprints of the inputs of operators with several inputs. These inputs stay exchanges."""
    several = (node for root in roots for node in walk(root) if _has_ports(node))
    return {fingerprint(child) for node in several for child in node.children}


def _is_bounded(root: Node) -> bool:
    scans = (node for node in walk(root) if isinstance(node, physical.TableSourceScan))
    return all(scan.table.traits is None or scan.table.traits.bounded for scan in scans)


def _placed(sink: SinkSpec, sinks: list[SinkSpec]) -> int:
    """Return a sink's number in `sinks`. Append it, or add its row kinds to an otherwise equal sink."""
    for number, other in enumerate(sinks):
        if replace(other, mode=sink.mode) == sink:
            sinks[number] = replace(sink, mode=other.mode | sink.mode)
            return number
    sinks.append(sink)
    return len(sinks) - 1


@dataclass(frozen=True)
class _Open:
    """Chain under construction: operators can be added, and no other chain reads it yet.

    `feeds` has an (id, output) for each chain that this chain reads: `output` must be added to chain `id`.
    """

    inputs: tuple[Input, ...]
    feeds: tuple[tuple[int, Output], ...] = ()
    operators: tuple[OperatorSpec, ...] = ()

    @classmethod
    def reading(cls, chains: Iterable[int], how: Partitioning, keys: tuple[int, ...] = ()) -> _Open:
        numbers = tuple(chains)
        return cls(tuple(map(Input, numbers)), tuple((n, Output(0, how, keys)) for n in numbers))

    def then(self, operator: OperatorSpec) -> _Open:
        return replace(self, operators=(*self.operators, operator))

    def joined(self, other: _Open, port: int) -> _Open:
        """Return this chain with the inputs of `other`, a chain without operators, added at `port`."""
        if other.operators or not other.feeds:
            raise InternalError("an input of an operator of several is not behind an exchange")
        inputs = tuple(replace(each, port=port) for each in other.inputs)
        feeds = tuple((producer, replace(output, port=port)) for producer, output in other.feeds)
        return replace(self, inputs=(*self.inputs, *inputs), feeds=(*self.feeds, *feeds))


@dataclass
class _Closed:
    """Chain with all inputs and operators. `outputs` grows: each chain that reads it adds an output."""

    id: int
    inputs: tuple[Input, ...]
    operators: tuple[OperatorSpec, ...]
    outputs: list[Output]


@dataclass
class _Shared:
    """Chains with several readers. Their rows come from the sources number `source` to source + sources - 1.

    `first` is the number of the sink whose plan is the first to have these chains.
    """

    chains: list[int]
    source: int
    sources: int
    first: int


_Walk = Generator[tuple[Node, Branches], list[_Open], list[_Open]]
"""Generator that translates a node. It yields (input, branches) for each input and is sent the input's open
chains. At the end it returns the node's open chains. `branches` is the path to the input through Unions."""


@dataclass
class _Translation:
    options: TranslateOptions
    reuse: SharedRuns
    parts: Mapping[str, tuple[Parts, ...]]
    bounded: bool
    unread: Mapping[str, tuple[int, ...]]
    needless: set[str]
    done: list[_Closed] = field(default_factory=list)
    sink: int = 0
    shared: dict[Use, _Shared] = field(default_factory=dict)
    sources: int = 0
    shifted: bool = False
    joins: bool = False

    def __post_init__(self) -> None:
        self.operators = OperatorOptions(
            self.options.time_zone, self.options.ttl, self.options.bundle, _StateNames(),
            self.options.watermark_interval, self.options.idle_timeout, self.unread,
            self.options.min_cleanup, self.options.origins,
        )  # fmt: skip

    def begin(self, sink: int, root: Node) -> None:
        """Begin the translation of a sink's plan. `root` is the node below the sink."""
        self.sink = sink
        self.joins = any(_has_ports(node) for node in walk(root))

    def chains(self, root: Node) -> list[_Open]:
        """Return the open chains that give a node's rows. Sources are numbered depth first, by input."""
        stack: list[_Walk] = [self._open(root, ())]
        found: list[_Open] | None = None
        while stack:
            try:
                asked = next(stack[-1]) if found is None else stack[-1].send(found)
            except StopIteration as end:
                stack.pop()
                found = end.value
            else:
                stack.append(self._open(*asked))
                found = None
        assert found is not None
        return found

    def _open(self, node: Node, branches: Branches) -> _Walk:
        use = self.reuse.use(self.sink, node, branches)
        if use is None:
            return (yield from self._opened(node, branches))
        if use in self.shared:
            return self._read_again(self.shared[use])
        start = self.sources
        closed = [self.close(chain) for chain in (yield from self._opened(node, branches))]
        self.shared[use] = _Shared(closed, start, self.sources - start, self.sink)
        return [_Open.reading([chain], Partitioning.FORWARD) for chain in closed]

    def _read_again(self, shared: _Shared) -> list[_Open]:
        """Return chains that read shared chains again. Rows are renumbered if two readers' rows can meet."""
        chains = [_Open.reading([chain], Partitioning.FORWARD) for chain in shared.chains]
        if shared.first != self.sink and not self.joins:  # No operator gets rows of both uses.
            return chains
        places = self.sources - shared.source
        self.sources += shared.sources
        self.shifted = True
        return [chain.then(SequenceShiftSpec(places)) for chain in chains]

    def _opened(self, node: Node, branches: Branches) -> _Walk:
        if isinstance(node, physical.TableSourceScan):
            return [self._read(scan_of(node, self.options.time_zone, self.parts.get(fingerprint(node), ())))]
        if isinstance(node, physical.Values):
            return [self._read(values_of(node, self.options.time_zone))]
        if isinstance(node, physical.Union):
            found = []
            for number, child in inputs_to_read(node):
                found += yield child, (*branches, number)
            return found
        if isinstance(node, physical.Exchange) and fingerprint(node) in self.needless:
            return (yield node.input, branches)
        if isinstance(node, physical.Exchange):
            how = Partitioning.SINGLE if node.one_task or not node.keys else Partitioning.HASH
            keys = node.keys if how is Partitioning.HASH else ()
            return [_Open.reading([self.close(chain) for chain in (yield node.input, branches)], how, keys)]
        if _has_ports(node):
            return (yield from self._with_ports(node, branches))
        below = yield node.children[0], branches
        operator = operator_of(node, self.operators)
        if operator is None:
            return below
        if isinstance(operator, (CurrentWatermarkSpec, GeneratedWatermarksSpec)):
            below = self._in_one_task(below)
        if isinstance(node, LookupJoin) and node.upsert_materialize:
            keys = distribution(node)
            how = Partitioning.HASH if keys else Partitioning.SINGLE
            below = [_Open.reading([self.close(chain) for chain in below], how, keys)]
        return [chain.then(operator) for chain in below]

    def _read(self, source: ScanSpec | ValuesSpec) -> _Open:
        self.sources += 1
        return _Open((Input(source, source=self.sources - 1),))

    def _with_ports(self, node: Node, branches: Branches) -> _Walk:
        """Return a chain with one operator of several inputs. The chain reads them in `port_order`."""
        operator = operator_of(node, self.operators)
        if operator is None:
            raise InternalError(f"{type(node).__name__} has several inputs and no operator")
        found = _Open(())
        for port in operator.port_order:
            for chain in (yield node.children[port], branches):
                found = found.joined(chain, port)
        return [found.then(operator)]

    def job(self, sinks: tuple[SinkSpec, ...]) -> JobSpec:
        """Return the job, once the plans of all sinks are translated."""
        chains = []
        for each in self.done:
            inputs, operators = each.inputs, each.operators
            if self.shifted:
                operators = tuple(self._among_all(operator) for operator in operators)
            else:  # Each source is numbered by its position in the job.
                inputs = tuple(replace(one, source=None) for one in inputs)
            chains.append(ChainSpec(each.id, inputs, operators, tuple(each.outputs)))
        return JobSpec(tuple(chains), sinks, self.bounded, self.sources if self.shifted else 0)

    def _among_all(self, operator: OperatorSpec) -> OperatorSpec:
        if isinstance(operator, SequenceShiftSpec):
            return replace(operator, sources=self.sources)
        return operator

    def to_sink(self, root: Node, chains: list[_Open]) -> list[_Open]:
        """Return the open chains before a sink: `chains`, or the sink's materializer if there is one."""
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
        """Return the chains, or one chain in one task if a chain reads a source without clock watermarks.

        A task of a source sees only the watermarks of its own split. The clock's are the same in all tasks.
        """
        if all(_is_by_clock(chain) or not self._reads_source(chain) for chain in chains):
            return chains
        return [_Open.reading([self.close(chain) for chain in chains], Partitioning.SINGLE)]

    def _reads_source(self, chain: _Open) -> bool:
        return all(output.partitioning is Partitioning.FORWARD for _, output in chain.feeds)

    def close(self, chain: _Open, outputs: Sequence[Output] = ()) -> int:
        """Give a chain an id, add the chain to the outputs of the chains that it reads, and return the id."""
        number = len(self.done)
        self.done.append(_Closed(number, chain.inputs, chain.operators, list(outputs)))
        for producer, output in chain.feeds:
            self.done[producer].outputs.append(replace(output, to=number))
        return number


def _is_by_clock(chain: _Open) -> bool:
    return any(isinstance(each, MiniBatchAssignerSpec) and not each.row_time for each in chain.operators)


class _StateNames:
    """Function that returns a unique name for a state: an operator's name and the next number."""

    def __init__(self) -> None:
        self._given = 0

    def __call__(self, operator: str) -> str:
        self._given += 1
        return f"{operator}-{self._given}"


def _has_ports(node: Node) -> bool:
    """Return whether a node is an operator of several inputs. A Union is not."""
    return len(node.children) > 1 and not isinstance(node, physical.Union)


def _sink(root: Node, options: TranslateOptions) -> SinkSpec:
    if not isinstance(root, physical.Sink):
        names, types = tuple(f.name for f in root.schema), types_of(root)
        constraints = constraints_of(options.names or names, types, options.configuration)
        return SinkSpec(None, (), names, types, constraints=constraints)
    spec = _table_sink(root.table, options)
    if root.upsert_materialize:
        return replace(spec, constraints=None, mode=UPSERT)
    return replace(spec, mode=mode_of(root.input))


def _table_sink(table: Table, options: TranslateOptions) -> SinkSpec:
    """Return the sink that writes to a table."""
    columns = persisted_columns(table)
    names, types = tuple(c.name for c in columns), tuple(c.type for c in columns)
    return SinkSpec(
        connector=connector_of(table),
        options=placed(sent_options(table)),
        names=names,
        types=types,
        table=".".join(table.path),
        constraints=constraints_of(names, types, options.configuration),
        primary_key=tuple(map(names.index, table.primary_key)),
        metadata=tuple(c.metadata for c in columns),
        partition_keys=table.partition_keys,
    )
