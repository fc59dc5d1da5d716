"""Lines of a tree: `+- ` before a last child, `:- ` before the others, `:  ` beside their subtrees."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.plan.tree import Node

Describe = Callable[[Node], tuple[str, bool]]
"""Function that returns the text of a node's line, and whether the nodes below this node are printed, too."""


def tree_text(root: Node, describe: Describe) -> str:
    """Return the text of the tree below `root`, with one line for each node."""
    lines: list[str] = []
    pending = [(root, "", "")]
    while pending:
        node, head, rest = pending.pop()
        text, whole = describe(node)
        lines.append(head + text)
        marks = ("+- ", "   ")
        for child in reversed(node.children if whole else ()):
            pending.append((child, rest + marks[0], rest + marks[1]))
            marks = (":- ", ":  ")
    return "\n".join(lines)


def whole_tree(root: Node, line: Callable[[Node], str]) -> str:
    """Return the text of the whole tree below `root`."""
    return tree_text(root, lambda node: (line(node), True))
