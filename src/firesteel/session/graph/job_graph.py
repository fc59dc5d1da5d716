"""Graph of a job for its web page: chains, operators with their lines in the plan, exchanges, and sinks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from firesteel.explain.sections import physical_line
from firesteel.job.spec import ChainSpec, JobSpec, Output, Partitioning, sink_id
from firesteel.job.steps import step_names
from firesteel.jobs.about import About
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node, walk
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.state_name import state_name
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.sensitive import shown
from firesteel.session.context import Environment
from firesteel.session.launch import CHECKPOINT

Origins = list[tuple[OperatorSpec, Node]]
"""Operators in the order of their translation, each with the plan node that it runs."""


def job_graph(job: JobSpec, plans: Sequence[Node], origins: Origins) -> dict[str, Any]:
    """Return the graph as JSON values (docs/guide/metrics.md).

    Args:
        job: The job.
        plans: The roots of its physical plans.
        origins: Its operators with their plan nodes.
    """
    return _Graph(job, plans, origins).json()


def about_job(environment: Environment, job: JobSpec, plans: Sequence[Node], origins: Origins) -> About:
    """Return the description of a job for its page.

    Args:
        environment: The session.
        job: The job.
        plans: The roots of its physical plans.
        origins: Its operators with their plan nodes.
    """
    return About(
        graph=partial(job_graph, job, plans, origins),
        options=tuple((key, shown(key, value)) for key, value in environment.configuration.to_dict().items()),
        checkpoint=environment.options.get(CHECKPOINT),
        statements=len(plans),
    )


class _Graph:
    def __init__(self, job: JobSpec, plans: Sequence[Node], origins: Origins) -> None:
        self._job = job
        self._names = step_names(job)
        self._plans = plans
        self._origins = origins
        self._nodes = {chain.id: self._nodes_of(chain) for chain in job.chains}

    def json(self) -> dict[str, Any]:
        return {
            "chains": [{"chain": chain.id, "steps": list(self._steps(chain))} for chain in self._job.chains],
            "edges": [self._edge(chain, output) for chain in self._job.chains for output in chain.outputs],
            "sinks": [
                {"sink": number, "table": sink.table, "connector": sink.connector or ""}
                for number, sink in enumerate(self._job.sinks)
            ],
        }

    def _nodes_of(self, chain: ChainSpec) -> list[Node | None]:
        """Return the plan nodes of a chain's steps: its input, its operators in order, and its output.

        The input's node is the table scan; None if the chain reads no table. An operator's node is None if
        `node_of` finds none. The output packs rows for the next chain or writes them to a sink. Its node is
        always None.
        """
        source = chain.source
        scan = self._scan(source) if isinstance(source, ScanSpec) else None
        return [scan, *(node_of(operator, self._origins) for operator in chain.operators), None]

    def _scan(self, source: ScanSpec) -> Node | None:
        read = tuple(source.names[column] for column in source.projection)
        scans = [
            node
            for plan in self._plans
            for node in walk(plan)
            if isinstance(node, physical.TableSourceScan) and ".".join(node.table.path) == source.table
        ]
        exact = (node for node in scans if tuple(field.name for field in node.schema) == read)
        return next(exact, scans[0] if scans else None)

    def _steps(self, chain: ChainSpec) -> Iterator[dict[str, Any]]:
        operators: list[OperatorSpec | None] = [None, *chain.operators, None]
        for name, node, operator in zip(self._names[chain.id], self._nodes[chain.id], operators, strict=True):
            yield {
                "operator": name,
                "plan": None if node is None else physical_line(node),
                "changelog_mode": _mode(node),
                "state": None if operator is None else state_name(operator) or None,
            }

    def _edge(self, chain: ChainSpec, output: Output) -> dict[str, Any]:
        nodes = [node for node in self._nodes[chain.id] if node is not None]
        last = nodes[-1] if nodes else None
        names = [] if last is None else [field.name for field in last.schema]
        keys = [names[key] if key < len(names) else f"f{key}" for key in output.keys]
        return {
            "from": chain.id,
            "to": output.to if output.to >= 0 else None,
            "sink": sink_id(output.to) if output.to < 0 else None,
            "port": output.port,
            "partitioning": output.partitioning.name,
            "keys": keys if output.partitioning is Partitioning.HASH else [],
            "changelog_mode": _mode(last),
        }


def node_of(operator: OperatorSpec, origins: Origins) -> Node | None:
    """Return the plan node of an operator; None if `origins` has no operator of its class.

    `origins` may lack the operator itself, because watermark routing replaces some operators with copies in
    which one field is changed. The node is then that of the first operator of the same class.
    """
    same = (node for spec, node in origins if spec is operator)
    alike = (node for spec, node in origins if type(spec) is type(operator))
    return next(same, None) or next(alike, None)


def _mode(node: Node | None) -> str | None:
    mode = getattr(node, "mode", None)
    return None if mode is None else str(mode)
