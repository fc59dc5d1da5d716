"""Inline the bodies of functions into row handlers.

Linters and type checkers can check an aggregate that is written as functions. But a row handler that called
these functions would be slower, and they could not assign the fields of its accumulator. So the row handler
gets their statements.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable
from functools import cache
from typing import Any


def statements(function: Callable[..., Any], **texts: str) -> str:
    """Return the body of a function as statements of a HandWritten aggregate (declaration.py).

    A parameter stands for the field, view, argument or function with its name. If the function ends with a
    return statement, which returns the fields that it has assigned, this statement is left out. The function
    must not use braces.

    Args:
        function: Function of a module.
        texts: For each parameter that stands for something else, its Python text. Examples are the constant
            `True`, or `x2`, the name of input column 2 in a row handler.

    Example:
        def add(total: int, x: int) -> int:
            total += x
            return total

        statements(add)  # "{total} += {x}"
    """
    lines, definitions = _source(function.__code__.co_filename, function.__module__)
    definition = definitions[function.__name__]
    body = definition.body[ast.get_docstring(definition) is not None :]
    body = body[:-1] if isinstance(body[-1], ast.Return) else body
    nodes = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)]
    names = {each.arg: f"{{{each.arg}}}" for each in definition.args.args} | texts
    for node in nodes:
        if isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, f"_{node.id}")
    first = body[0].lineno
    found = list(lines[first - 1 : body[-1].end_lineno])
    for line, start, name in sorted(((n.lineno - first, n.col_offset, n.id) for n in nodes), reverse=True):
        text = found[line]
        found[line] = text[:start] + names.get(name, name) + text[start + len(name) :]
    return "".join(text[body[0].col_offset :] or "\n" for text in found).rstrip()


@cache
def _source(path: str, module: str) -> tuple[list[str], dict[str, ast.FunctionDef]]:
    """Return the source lines of a module, and the syntax trees of its functions by name.

    The module may be in an archive, such as a zip file.
    """
    lines = linecache.getlines(path, vars(sys.modules[module]))
    found = ast.parse("".join(lines)).body
    return lines, {each.name: each for each in found if isinstance(each, ast.FunctionDef)}
