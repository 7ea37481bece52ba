#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a table of columns NAME-NUMBER as curves over the numbers, one per row of the table.

    emgnn reproduce perturbation --json | docs/figures/draw_curve.py "percent of edges replaced" > docs/figures/perturbation.svg
"""
import json
import sys

from frame import COLOURS, Frame


def main():
    curves = {}
    for cell in json.load(sys.stdin)["cells"]:
        if cell["metric"] != "accuracy":
            continue
        x = float(cell["column"].rsplit("-", 1)[1])
        curves.setdefault(cell["row"], []).append((x, 100 * cell["mean"], 100 * cell["std"]))
    points = [p for curve in curves.values() for p in curve]
    low = 5 * int(min(m - s for _, m, s in points) // 5)
    high = 5 * (int(max(m + s for _, m, s in points) // 5) + 1)
    frame = Frame(380, 110, (0.0, max(p[0] for p in points) or 1.0), (low, high))
    frame.axes([(x, f"{x:g}") for x in sorted({p[0] for p in points})],
               [(y, y) for y in range(low, high + 1, 5)], sys.argv[1], "test accuracy in %")
    for (name, curve), colour in zip(curves.items(), COLOURS):
        curve.sort()
        frame.band([(x, m + s) for x, m, s in curve] + [(x, m - s) for x, m, s in reversed(curve)], colour)
        frame.line([(x, m) for x, m, _ in curve], colour)
        x, m, _ = curve[-1]
        frame.label(frame.x(x) + 8, frame.y(m) + 4, name, colour)
    frame.print()


main()
