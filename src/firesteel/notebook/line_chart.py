"""Line charts as SVG, with one line for each series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]
"""Points of a line: seconds and a value."""
_WIDTH, _HEIGHT = 480, 140
_LEFT, _TOP, _BOTTOM = 64, 22, 20
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""Colours that people with any kind of colour vision can tell apart (Paul Tol's scheme `bright`)."""


def line_chart(title: str, series: Mapping[str, Points]) -> str:
    """Return a line chart of values over seconds, as the text of an SVG element.

    Args:
        title: Text above the chart.
        series: Points of each line by its name, in the order of their seconds.
    """
    points = [point for line in series.values() for point in line]
    first, last = (min(x for x, _ in points), max(x for x, _ in points)) if points else (0.0, 1.0)
    most = max((y for _, y in points), default=0.0) or 1.0
    height = _TOP + _HEIGHT + _BOTTOM + 16 * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 8}" height="{height}" '
        'font-family="sans-serif" font-size="11" fill="currentColor">',
        _text(_LEFT, 12, title),
        *_axes(first, last, most),
    ]
    for number, (name, line) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(_line(line, colour, first, last, most))
        at = _TOP + _HEIGHT + _BOTTOM + 12 + 16 * number
        now = _short(line[-1][1]) if line else "0"
        parts.append(f'<rect x="{_LEFT}" y="{at - 8}" width="10" height="8" fill="{colour}"/>')
        parts.append(_text(_LEFT + 16, at, f"{name}: {now}"))
    return "".join([*parts, "</svg>"])


def _axes(first: float, last: float, most: float) -> list[str]:
    base = _TOP + _HEIGHT
    rule = f'<path d="M{_LEFT} {_TOP}V{base}H{_LEFT + _WIDTH}" fill="none" stroke="currentColor"/>'
    return [
        rule,
        _text(_LEFT - 6, _TOP + 8, _short(most), anchor="end"),
        _text(_LEFT - 6, base, "0", anchor="end"),
        _text(_LEFT, base + 14, f"{first:.0f} s"),
        _text(_LEFT + _WIDTH, base + 14, f"{last:.0f} s", anchor="end"),
    ]


def _line(line: Points, colour: str, first: float, last: float, most: float) -> str:
    wide = (last - first) or 1.0
    places = " ".join(
        f"{_LEFT + _WIDTH * (x - first) / wide:.1f},{_TOP + _HEIGHT * (1 - y / most):.1f}" for x, y in line
    )
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(value: float) -> str:
    """Return a number with three digits and the unit k, M or G if it is large: 12.3 k."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"
