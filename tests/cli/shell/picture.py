"""Picture of the shell for the README, as an SVG: a session in a terminal of its own.

usage: pip install pyte; python -m tests.cli.shell.picture docs/guide/shell.svg
"""

from __future__ import annotations

import sys
import tempfile
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pyte

from firesteel.cache_folder import cache_folder
from tests.cli.terminal import Terminal
from tests.recovery.runs import ROOT

COLUMNS, ROWS = 98, 33
CELL, LINE, EDGE = 8.43, 18, 14
"""Pixels: width of a character, height of a line, distance to the edge."""
BACKGROUND, FOREGROUND = "#1e2127", "#d7dae0"
COLORS = {
    "black": "#5c6370", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b", "blue": "#61afef",
    "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#d7dae0", "brightblack": "#7f848e",
}  # fmt: skip
DEMO = ROOT / "examples" / "demo" / "table1.json"
INPUTS = [
    (
        "CREATE TABLE table1 (id BIGINT, name STRING, cnt INT, PRIMARY KEY (id) NOT ENFORCED)\r"
        "WITH ('connector' = 'filesystem', 'path' = 'table1.json', 'format' = 'canal-json');\r",
        "Execute statement succeeded",
    ),
    ("SELECT name, SUM(cnt) AS total, MAX(cnt) AS most FROM table1 GROUP BY name;\r", "in set"),
    ("SELECT name, ST", "STDDEV"),
]
"""Keys, and the text after which the next ones are typed."""


def session() -> Any:
    """Type the inputs into a shell. Return its screen at the end, with the menu of completion open."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    with tempfile.TemporaryDirectory() as name:
        (folder := Path(name)).joinpath("table1.json").symlink_to(DEMO)
        fixed = {"HOME": name, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
        command = ["sh", "-c", f"cd {folder}; exec {sys.executable} -m firesteel.cli.main shell"]
        with Terminal(command, {**fixed, "FIRESTEEL_CACHE_DIR": str(cache_folder())}) as terminal:
            terminal.resize(COLUMNS, ROWS)
            stream.feed(terminal.wait_for("Firesteel SQL>"))
            for keys, shown in INPUTS:
                terminal.type(keys)
                stream.feed(terminal.wait_for(shown))
                stream.feed(terminal.rest(1.0))
    return screen


def color(name: str, default: str) -> str:
    """Return a color of SVG for one of pyte."""
    if name == "default":
        return default
    return COLORS.get(name, f"#{name}" if len(name) == 6 else default)


def drawn(screen: Any) -> str:
    """Return a screen as SVG."""
    width, height = COLUMNS * CELL + 2 * EDGE, ROWS * LINE + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        "<title>A session of the shell: a table, a query with its changes, completion</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
    ]
    for row in range(ROWS):
        cells = [(column, screen.buffer[row][column]) for column in range(COLUMNS)]
        for style, run in groupby(
            cells, key=lambda cell: (cell[1].fg, cell[1].bg, cell[1].bold, cell[1].reverse)
        ):
            parts += _run(row, list(run), *style)
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _run(row: int, cells: list[tuple[int, Any]], fg: str, bg: str, bold: bool, reverse: bool) -> list[str]:
    """Return the SVG of neighboring characters of one style."""
    front, back = color(fg, FOREGROUND), color(bg, BACKGROUND)
    if reverse:
        front, back = back, front
    x, y = EDGE + cells[0][0] * CELL, EDGE + row * LINE
    parts, text = [], "".join(cell.data for _, cell in cells)
    if back != BACKGROUND:
        size = f'width="{len(cells) * CELL:.1f}" height="{LINE}"'
        parts.append(f'<rect x="{x:.1f}" y="{y}" {size} fill="{back}"/>')
    if text.strip():
        weight = ' font-weight="bold"' if bold else ""
        length = f'textLength="{len(text.rstrip()) * CELL:.1f}" xml:space="preserve"'
        where = f'x="{x:.1f}" y="{y + 14}"'
        parts.append(f'<text {where} fill="{front}"{weight} {length}>{escape(text.rstrip())}</text>')
    return parts


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawn(session()), encoding="utf-8")
