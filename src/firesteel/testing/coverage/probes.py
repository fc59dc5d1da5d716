"""Probes in a job, which are operators that count rows, and what each of them observes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.plan.expressions.operations import expand_search, is_null
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.tree import Node
from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.runtime.spec.probe import ProbeSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.testing.coverage.column_texts import column_texts
from firesteel.testing.coverage.decisions import Decision, decisions_of, has_user_function
from firesteel.testing.coverage.points import Point, kind_points
from firesteel.testing.coverage.written_text import WrittenText
from firesteel.testing.script import Planned
from firesteel.types.sql import INT

_MATCHED, _LEFT_ALONE, _RIGHT_ALONE = range(3)


@dataclass
class Probes:
    """A job with probes: operators that count the rows which take each branch.

    Args:
        planned: The job without probes.
        run: Id of the run, by which the counts of its probes are found (`counts_of`).
        zone: Time zone of the session.
    """

    planned: Planned
    run: str
    zone: str

    def __post_init__(self) -> None:
        self.points: list[Point] = []
        self._probes = 0
        self._written = WrittenText(self.planned.target.statement, self.planned.target.text)
        chains = tuple(map(self._chain, self.planned.job.chains))
        self.job: JobSpec = replace(self.planned.job, chains=chains)

    def _chain(self, chain: ChainSpec) -> ChainSpec:
        operators: list[OperatorSpec] = []
        if isinstance(chain.source, ScanSpec):
            operators += self._source(chain.source)
        for operator in chain.operators:
            node = self._node(operator)
            operators += self._before(operator, node)
            operators.append(operator)
            operators += self._behind(node)
        return replace(chain, operators=tuple(operators))

    def _node(self, operator: OperatorSpec) -> Node | None:
        return next((node for spec, node in self.planned.origins if spec is operator), None)

    def _source(self, scan: ScanSpec) -> Iterator[OperatorSpec]:
        table = scan.table.rpartition(".")[2]
        number = self._next()
        self.points += kind_points(number, f"table {table}", self.planned.modes.get(scan.table))
        yield ProbeSpec(self.run, number)

    def _before(self, operator: OperatorSpec, node: Node | None) -> Iterator[OperatorSpec]:
        """Yield a probe of an operator's input rows, if they show which branches are taken.

        They do for a Calc with decisions and without user-defined functions, and for an aggregate whose input
        may retract rows. For another operator, yield nothing.
        """
        if isinstance(node, physical.Calc) and isinstance(operator, CalcSpec) and not operator.user:
            yield from self._calc(node)
        elif isinstance(operator, GroupAggregateSpec) and operator.input_retracts and node is not None:
            number = self._next()
            texts = column_texts(node.children[0])
            keys = [texts[key] for key in operator.keys]
            name = f"GROUP BY {', '.join(keys)}" if keys else "aggregate of all rows"
            self.points.append(Point(name, "gets a retraction", number, kinds=(1, 3)))
            yield ProbeSpec(self.run, number)

    def _behind(self, node: Node | None) -> Iterator[OperatorSpec]:
        """Yield a probe of an operator's output rows, if they show which branches are taken.

        They do for a GROUP BY that may delete rows, and for a join that sends the columns of both inputs. For
        another operator, yield nothing.
        """
        if isinstance(node, physical.GroupAggregate | physical.GlobalGroupAggregate):
            if node.keys and node.mode is not None and node.mode.delete:
                number = self._next()
                names = ", ".join(column_texts(node)[: len(node.keys)])
                self.points.append(Point(f"GROUP BY {names}", "loses a group", number, kinds=(3,)))
                yield ProbeSpec(self.run, number)
        elif isinstance(node, Join | IntervalJoin) and node.join_type.has_right_columns:
            yield from self._join(node)

    def _calc(self, node: physical.Calc) -> Iterator[OperatorSpec]:
        exprs = [expand_search(expr, lists=True) for expr in node.exprs]
        condition = None if node.condition is None else expand_search(node.condition, lists=True)
        names = column_texts(node.input)
        found = decisions_of(exprs, condition, names, self._written)
        if not found or has_user_function([each.branch for each in found]):
            return
        yield self._decisions(found, node.input)

    def _join(self, node: Join | IntervalJoin) -> Iterator[OperatorSpec]:
        """Yield the probe of a join: it counts the matched pairs, and the padded rows of each side.

        For the first equality a = b of the join condition, b is NULL in a padded left row, and a is NULL in a
        padded right row. Yield nothing if the condition has no equality. Yield nothing either if the first
        one is IS NOT DISTINCT FROM, by which also two NULLs match.
        """
        keys = node.equal_columns
        if not keys.left or keys.null_safe[0]:
            return
        width = len(node.inputs[0].schema)
        schema = node.schema
        left, right = schema[keys.left[0]], schema[width + keys.right[0]]
        alone: list[Expr] = []
        branches = ["sends a matched pair"]
        if node.join_type.pads_right:
            alone += [is_null(InputRef(width + keys.right[0], right.type)), Literal(len(branches), INT)]
            branches.append("sends a left row without a match")
        if node.join_type.pads_left:
            alone += [is_null(InputRef(keys.left[0], left.type)), Literal(len(branches), INT)]
            branches.append("sends a right row without a match")
        first: Expr = Literal(_MATCHED, INT)
        branch = Call("CASE", (*alone, first), INT) if alone else first
        texts = column_texts(node)
        on = f"{texts[keys.left[0]]} = {texts[width + keys.right[0]]}"
        name = f"{node.join_type.name} JOIN ON {on}"
        yield self._decisions([Decision(branch, name, tuple(branches))], node)

    def _decisions(self, found: list[Decision], rows: Node) -> OperatorSpec:
        number = self._next()
        types = [column.type for column in rows.schema]
        calc = compile_calc([each.branch for each in found], None, types, None, self.zone)
        self.points += [
            Point(each.name, text, number, decision, branch)
            for decision, each in enumerate(found)
            for branch, text in enumerate(each.branches)
        ]
        return ProbeSpec(self.run, number, calc)

    def _next(self) -> int:
        self._probes += 1
        return self._probes
