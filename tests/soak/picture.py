"""A picture of a soak: memory of its jobs, messages behind and entries of state over the time.

usage: python -m tests.soak.picture DIR PICTURE.svg

DIR is what `python -m tests.soak --out` has written.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from tests.recovery.restarts import KINDS as KILLS
from tests.soak.samples import EVENTS, SAMPLES, Event, Sample, read
from tests.soak.summary import WITH_TTL

_COLORS = ("#d9541e", "#2b6cb0", "#8a8f98")
_LEFT, _WIDTH, _RIGHT, _TOP, _HEIGHT, _GAP = 70, 620, 20, 64, 110, 44
"""Pixels: left of the panels, of a panel's width, right of it, above, of a panel's height, between two."""
_POINTS = 310
"""Points of a line, each the greatest of its samples."""
_LETTERS = {"worker": "w", "jvm": "J", "broker": "b", "database": "d", "network": "n"}
_LETTERS |= {"upgrade": "U", "rescale": "R"}


@dataclass(frozen=True)
class Panel:
    """A part of the picture.

    Attributes:
        title: Its title.
        lines: The samples' job and value of each line, by its name.
    """

    title: str
    lines: dict[str, tuple[str, Callable[[Sample], float]]]


def _memory(job: str) -> Panel:
    return Panel(
        f"memory of {job}, MiB",
        {
            "JVM": (job, lambda each: each.jvm or math.nan),
            "workers": (job, lambda each: each.workers or math.nan),
            "driver": (job, lambda each: each.driver or math.nan),
        },
    )


def picture(samples: Sequence[Sample], events: Sequence[Event]) -> str:
    """Return the picture as SVG."""
    jobs = sorted({each.job for each in samples}, reverse=True)
    panels = [
        *map(_memory, jobs),
        Panel("messages behind", {job: (job, lambda each: each.lag) for job in jobs}),
        Panel(f"entries of state of {WITH_TTL}", {WITH_TTL: (WITH_TTL, lambda each: each.entries)}),
    ]
    end = max(each.seconds for each in samples)
    height = _TOP + len(panels) * (_HEIGHT + _GAP)
    letters = ", ".join(f"{_LETTERS[kind]} {kind}" for kind in (*KILLS, "upgrade", "rescale"))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + _RIGHT}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="12" y="20" font-size="15">{end / 60:.0f} minutes under churn</text>',
        f'<text x="12" y="38" fill="#555">{escape(letters)}</text>',
    ]
    for number, panel in enumerate(panels):
        parts += _drawn(panel, _TOP + number * (_HEIGHT + _GAP), samples, events, end)
    return "\n".join([*parts, "</svg>", ""])


def _drawn(
    panel: Panel, top: int, samples: Sequence[Sample], events: Sequence[Event], end: float
) -> list[str]:
    """Return the elements of a panel whose upper edge is at `top`."""
    bottom = top + _HEIGHT
    lines = {
        name: _peaks([(each.seconds, value(each)) for each in samples if each.job == job], end)
        for name, (job, value) in panel.lines.items()
    }
    most = _ceiling(max((y for line in lines.values() for _, y in line if not math.isnan(y)), default=1.0))
    parts = [f'<text x="{_LEFT}" y="{top - 6}">{escape(panel.title)}</text>']
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * _HEIGHT
        parts.append(f'<path d="M{_LEFT} {y:.0f}h{_WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{share * most:,.0f}</text>')
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, minute = _LEFT + share * _WIDTH, share * end / 60
        parts.append(f'<text x="{x:.0f}" y="{bottom + 15}" text-anchor="middle">{minute:,.0f} min</text>')
    for event in events:
        x = _LEFT + event.seconds / end * _WIDTH
        parts.append(f'<path d="M{x:.1f} {top}v{_HEIGHT}" stroke="#bbb" stroke-dasharray="2 3"/>')
        letter = _LETTERS.get(event.kind, "?")
        parts.append(f'<text x="{x:.1f}" y="{top + 9}" font-size="9" fill="#555">{letter}</text>')
    for number, (name, line) in enumerate(lines.items()):
        color = _COLORS[number]
        parts.append(f'<path d="{_path(line, end, most, bottom)}" fill="none" stroke="{color}"/>')
        x = _LEFT + _WIDTH - 90 * (len(lines) - number)
        parts.append(f'<rect x="{x}" y="{top - 16}" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{x + 16}" y="{top - 6}">{escape(name)}</text>')
    return parts


def _peaks(values: Sequence[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Return the greatest value of each of _POINTS parts of the time; NaN for a part that lacks one."""
    found: dict[int, float] = {}
    for seconds, value in values:
        number = min(_POINTS - 1, int(seconds / end * _POINTS))
        known = found.get(number, math.nan)
        found[number] = value if math.isnan(known) else known if math.isnan(value) else max(known, value)
    return [((number + 0.5) / _POINTS * end, value) for number, value in sorted(found.items())]


def _path(line: Sequence[tuple[float, float]], end: float, most: float, bottom: int) -> str:
    """Return a line as the data of a path, with a gap at each NaN."""
    parts, begins = [], True
    for seconds, value in line:
        if not math.isnan(value):
            x, y = _LEFT + seconds / end * _WIDTH, bottom - value / most * _HEIGHT
            parts.append(f"{'M' if begins else 'L'}{x:.1f} {y:.1f}")
        begins = math.isnan(value)
    return "".join(parts)


def _ceiling(value: float) -> float:
    """Return a round number that is not less."""
    size = 10 ** math.floor(math.log10(max(value, 1.0)))
    return next(size * factor for factor in (1, 2, 3, 4, 5, 6, 8, 10) if size * factor >= value)


def main(folder: Path, file: Path) -> None:
    text = picture(read(folder, SAMPLES, Sample), read(folder, EVENTS, Event))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
