"""Physical execution plan: the operators of the job as JSON (Flink: JSONGenerator over the stream graph).

An exchange or a union is no operator; it shows as the ship strategy of the next operator's inputs. Node
numbers count from 1 in each plan. Flink's count on for as long as its process runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firesteel.plan.nodes.physical import Exchange, Sink, TableSourceScan, Union, Values
from firesteel.plan.nodes.text import execution_name, execution_text
from firesteel.plan.reuse import fingerprint
from firesteel.plan.tree import Node, postorder
from firesteel.types.constraints import constraints_of

Inputs = list[tuple[int, str]]
"""Input operators of an operator, each as its number and ship strategy."""


def json_plan(roots: Sequence[Node], configuration: Mapping[str, str] | None = None) -> str:
    """Return all operators of the plans as JSON, each after its inputs.

    Args:
        roots: Roots of the plans.
        configuration: Options of the session. Some of them make a sink check its columns (sink_constraints).
    """
    graph = _Graph(configuration or {})
    for node in (n for root in roots for n in postorder(root)):
        graph.visit(node)
    return _pretty(graph.nodes)


@dataclass
class _Graph:
    configuration: Mapping[str, str]
    nodes: list[dict[str, Any]] = field(default_factory=list)
    exec_nodes: int = 0
    ids: int = 0
    known: dict[str, Inputs] = field(default_factory=dict)

    def visit(self, node: Node) -> Inputs:
        """Return the operators whose output is the rows of a node, each as its number and ship strategy.

        The operators of the node and of its inputs are added to `nodes`. If a node with the same fingerprint
        (an equal subtree) was visited before, its operators are returned and none are added.
        """
        mark = fingerprint(node)
        if mark not in self.known:
            self.known[mark] = self.operator(node)
        return self.known[mark]

    def operator(self, node: Node) -> Inputs:
        below = [source for child in node.children for source in self.visit(child)]
        self.exec_nodes += 1
        number = self.exec_nodes
        if isinstance(node, Exchange):
            self.ids += 1
            return [(i, "HASH" if node.keys else "GLOBAL") for i, _ in below]
        if isinstance(node, Union):
            self.ids += 1
            return below
        contents = f"[{number}]:{execution_text(node)}"
        if isinstance(node, (TableSourceScan, Values)):
            name = node.table.name if isinstance(node, TableSourceScan) else "Values"
            return self.add(f"Source: {name}[{number}]", "Data Source", contents, [])
        if isinstance(node, Sink):
            return self.sink(node, number, contents, below)
        return self.add(f"{execution_name(node)}[{number}]", "Operator", contents, below)

    def sink(self, node: Sink, number: int, contents: str, below: Inputs) -> Inputs:
        """Add the operators of a sink: check of constraints and materializer, if it needs them, and writer.

        Args:
            node: The sink.
            number: Number of the sink in the names of its operators.
            contents: Text that describes the sink.
            below: The operators whose rows the sink gets.

        Returns:
            The sink's last operator, as a list of one entry: its number and the ship strategy FORWARD.
        """
        demanded = sink_constraints(node, self.configuration)
        if demanded:
            enforcer = f"[{number}]:ConstraintEnforcer[{', '.join(demanded)}]"
            below = self.add(f"ConstraintEnforcer[{number}]", "Operator", enforcer, below)
        if node.upsert_materialize:
            keys = ", ".join(node.table.primary_key)
            shown = f"[{number}]:SinkMaterializer(pk=[{keys}])"
            hashed = [(i, "HASH") for i, _ in below]
            below = self.add(f"SinkMaterializer[{number}]", "Operator", shown, hashed)
        connector = dict(node.table.options).get("connector")
        if connector == "filesystem":
            below = self.add("StreamingFileWriter", "Operator", "StreamingFileWriter", below)
            return self.add("end: Writer", "Operator", "end: Writer", below)
        if connector == "blackhole":
            writer = f"{node.table.name}[{number}]: Writer"
            return self.add(writer, "Operator", writer, below)
        return self.add(f"Sink: {node.table.name}[{number}]", "Data Sink", contents, below)

    def add(self, name: str, pact: str, contents: str, inputs: Inputs) -> Inputs:
        self.ids += 1
        entry: dict[str, Any] = {
            "id": self.ids,
            "type": name,
            "pact": pact,
            "contents": contents,
            "parallelism": 1,
        }
        if inputs:
            entry["predecessors"] = [{"id": i, "ship_strategy": ship, "side": "second"} for i, ship in inputs]
        self.nodes.append(entry)
        return [(self.ids, "FORWARD")]


def sink_constraints(node: Sink, configuration: Mapping[str, str]) -> tuple[str, ...]:
    """Return the constraints on a sink's columns, as plans print them.

    Raises:
        ValidationError: The options exclude each other.
    """
    columns = [c for c in node.table.columns if c.computed is None and not c.virtual]
    found = constraints_of([c.name for c in columns], [c.type for c in columns], configuration)
    return () if found is None else found.texts


def _pretty(nodes: list[dict[str, Any]]) -> str:
    """Return the JSON as Jackson's default pretty printer writes it: ` : `, and lists of objects as `[ {`."""
    return _object({"nodes": nodes}, "")


def _object(value: dict[str, Any], indent: str) -> str:
    inner = indent + "  "
    lines = [f'{inner}"{key}" : {_value(item, inner)}' for key, item in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def _value(item: Any, indent: str) -> str:
    if isinstance(item, list):
        return "[ " + ", ".join(_object(entry, indent) for entry in item) + " ]"
    return json.dumps(item, ensure_ascii=False)
