"""Pictures and a table of recorded figures: python -m benchmarks.figures FIGURES.csv FOLDER

FIGURES.csv is what `python -m benchmarks --record` writes. FOLDER gets times.svg, throughput.svg, table.md.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.__main__ import FIRESTEEL, FLINK, throughput

_COLORS = {FIRESTEEL: "#d9541e", FLINK: "#8a8f98"}
_ROW, _BAR, _LEFT, _WIDTH, _RIGHT = 46, 16, 170, 460, 90
"""Pixels: of a workload, of a bar, left of the bars, of the longest one, right of it."""


@dataclass(frozen=True)
class Figures:
    """One workload's: by engine the seconds at each size, start-up included."""

    name: str
    sizes: tuple[int, ...]
    seconds: dict[str, list[float]]

    def times(self) -> dict[str, float]:
        """Seconds at the largest size."""
        return {engine: given[-1] for engine, given in self.seconds.items()}

    def rates(self) -> dict[str, float]:
        """Thousand rows a second between the sizes, start-up left out, where there are two."""
        found = {engine: throughput(self.sizes, given) for engine, given in self.seconds.items()}
        return {engine: rate / 1000 for engine, rate in found.items() if rate is not None}


def read(file: Path) -> list[Figures]:
    """The workloads that both engines ran, in the order of the file."""
    by_workload: dict[str, dict[str, dict[int, float]]] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            engines = by_workload.setdefault(line["workload"], {})
            engines.setdefault(line["engine"], {})[int(line["rows"])] = float(line["seconds"])
    return [
        Figures(name, tuple(engines[FIRESTEEL]), {each: list(got.values()) for each, got in engines.items()})
        for name, engines in by_workload.items()
        if {FIRESTEEL, FLINK} <= engines.keys()
    ]


def picture(title: str, bars: Sequence[tuple[str, dict[str, float]]], digits: int) -> str:
    """Horizontal bars, one an engine, the longest in the whole picture as wide as the picture."""
    longest = max(value for _, values in bars for value in values.values())
    height = 60 + _ROW * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + _RIGHT}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="12" y="24" font-size="15">{escape(title)}</text>',
    ]
    for place, (engine, color) in enumerate(_COLORS.items()):
        left = _LEFT + _WIDTH - 120 + 90 * place
        parts.append(f'<rect x="{left}" y="13" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{left + 16}" y="24">{engine.capitalize()}</text>')
    for place, (name, values) in enumerate(bars):
        top = 46 + _ROW * place
        parts.append(f'<text x="{_LEFT - 10}" y="{top + 20}" text-anchor="end">{escape(name)}</text>')
        for nth, (engine, color) in enumerate(_COLORS.items()):
            value, y = values[engine], top + nth * (_BAR + 2)
            wide = max(1.0, value / longest * _WIDTH)
            parts.append(f'<rect x="{_LEFT}" y="{y}" width="{wide:.1f}" height="{_BAR}" fill="{color}"/>')
            parts.append(f'<text x="{_LEFT + wide + 5:.1f}" y="{y + 13}">{value:,.{digits}f}</text>')
    return "\n".join([*parts, "</svg>", ""])


def table(figures: Sequence[Figures]) -> str:
    """A line for each workload, as Markdown."""
    lines = [
        "| workload | rows | Firesteel | Flink | total time | throughput |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for each in figures:
        times, rates = each.times(), each.rates()
        faster = f"{rates[FIRESTEEL] / rates[FLINK]:.1f}x" if len(rates) == len(times) else ""
        lines.append(
            f"| {each.name} | {each.sizes[-1]:,} | {times[FIRESTEEL]:.1f} s | {times[FLINK]:.1f} s "
            f"| {times[FLINK] / times[FIRESTEEL]:.1f}x | {faster} |"
        )
    return "\n".join([*lines, ""])


def main(file: Path, folder: Path) -> None:
    figures = read(file)
    times = [(each.name, each.times()) for each in figures]
    rates = [(each.name, each.rates()) for each in figures if len(each.rates()) == len(each.times())]
    (folder / "times.svg").write_text(picture("Whole process, seconds", times, 1), encoding="utf-8")
    (folder / "throughput.svg").write_text(
        picture("Throughput, thousand rows a second", rates, 0), encoding="utf-8"
    )
    (folder / "table.md").write_text(table(figures), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
