#!/usr/bin/env python3
"""Draws a report of `pattn bench` or `pattn tune` as an SVG: median and quartiles of each schedule.

    docs/plot.py RUN.json > plot.svg
"""
import json
import math
import sys
from xml.sax.saxutils import escape

PANEL, LABELS, FIGURES = 300, 74, 120  # widths of a panel's plot, and of the text beside it
ROW, HEAD, AXIS, GAP, MARGIN = 26, 46, 36, 20, 20
TITLE = 64
INK, FAINT, PLAIN, BEST = "#222222", "#bbbbbb", "#0072b2", "#d55e00"  # Okabe and Ito's colours


def text(x, y, words, anchor="start", size=13, colour=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{colour}" font-weight="{weight}">{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width, extra=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}" {extra}/>')


def ticks(most):
    """Round steps that give four to eight of them."""
    step = 10 ** math.floor(math.log10(most / 4))
    step *= max(k for k in (1, 2, 2.5, 5) if k * step <= most / 4)
    return [i * step for i in range(int(most / step) + 1)]


class Panel:
    """One type, window and pass: its timed schedules, quickest first."""

    def __init__(self, report, place):
        self.place = place
        timed = [r for r in report["results"] if place_of(r) == place and r["statistics"]]
        decided = [w for w in report["winners"] if place_of(w) == place]
        self.results = sorted(timed, key=lambda r: r["statistics"]["median"])
        self.decisions = {w["schedule"]: w["decision"] for w in decided}
        self.floor = self.results[0]["floor_seconds"]
        self.most = 1.04 * max(r["statistics"]["third_quartile"] for r in self.results)
        self.height = HEAD + ROW * len(self.results) + AXIS

    def draw(self, left, top):
        dtype, window, direction = self.place
        title = f"{dtype}, {'no window' if window is None else f'window {window}'}, {direction}"
        x0, bottom = left + LABELS, top + HEAD + ROW * len(self.results)
        scale = PANEL / self.most
        yield text(left, top + 14, title, size=14, weight="bold")
        for tick in ticks(1e3 * self.most):
            x = x0 + tick * 1e-3 * scale
            yield line(x, top + HEAD - 4, x, bottom, FAINT, 0.6)
            yield text(x, bottom + 15, f"{tick:g}", "middle", 11)
        yield text(x0 + PANEL, bottom + 30, "milliseconds a pass", "end", 11)
        if self.floor:
            x = x0 + self.floor * scale
            yield line(x, top + HEAD - 4, x, bottom, INK, 1.2, 'stroke-dasharray="4 3"')
            yield text(x, top + HEAD - 7, "floor", "middle", 11)
        for i, result in enumerate(self.results):
            yield from self.draw_row(result, x0, top + HEAD + ROW * (i + 0.5), scale)

    def draw_row(self, result, x0, y, scale):
        times, name = result["statistics"], result["schedule"]
        decided = self.decisions.get(name)
        colour, weight = (BEST, "bold") if decided else (PLAIN, "normal")
        low, median, high = (x0 + scale * times[key]
                             for key in ("first_quartile", "median", "third_quartile"))
        yield text(x0 - 8, y + 4, name, "end", weight=weight)
        yield line(low, y, high, y, colour, 9, 'stroke-opacity="0.35"')
        yield line(median, y - 8, median, y + 8, colour, 3)
        figures = f"{1e3 * times['median']:#.3g}".rstrip(".") + " ms"
        if decided:
            figures += f", {decided}"
        yield text(x0 + PANEL + 8, y + 4, figures, weight=weight)


def place_of(row):
    return row["dtype"], row["window"], row["pass"]


def draw(report):
    places = list(dict.fromkeys(place_of(r) for r in report["results"] if r["statistics"]))
    panels = [Panel(report, place) for place in places]
    device, problem, tool = report["device"], report["problem"], report["tool"]
    column = LABELS + PANEL + FIGURES + GAP
    body, y = [], TITLE
    for i in range(0, len(panels), 2):
        pair = panels[i:i + 2]
        for k, panel in enumerate(pair):
            body += panel.draw(MARGIN + k * column, y)
        y += max(panel.height for panel in pair) + GAP
    width = 2 * MARGIN + 2 * column - GAP
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" '
           f'viewBox="0 0 {width} {y}" font-family="DejaVu Sans, Verdana, sans-serif">')
    yield f'<rect width="{width}" height="{y}" fill="white"/>'
    units = f"{device['units']} unit{'' if device['units'] == 1 else 's'}"
    yield text(MARGIN, 26, f"{device['model']}, {device['architecture']}, {units}: "
               f"{problem['spec']}, {problem['tokens']} tokens, {problem['heads']} heads",
               size=16, weight="bold")
    yield text(MARGIN, 46, "Tick: median. Bar: first to third quartile. Dashed: the least time "
               "that the measured rates of the device allow. "
               f"pattn {tool['version']} ({tool['commit']}).", size=12)
    yield from body
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    if not report["device"]:
        sys.exit(f"{sys.argv[1]} is a report of a store; give one of a run")
    print("\n".join(draw(report)))
