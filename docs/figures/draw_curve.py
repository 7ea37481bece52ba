#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a table of columns NAME-NUMBER as curves over the numbers, one per row of the table.

    emgnn reproduce perturbation --json | docs/figures/draw_curve.py "percent of edges replaced" > docs/figures/perturbation.svg
"""
import json
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 64, 110, 20, 52
COLOURS = ["#c2571a", "#1a6fc2", "#3a8a3a", "#7a4fa3"]


def main():
    table = json.load(sys.stdin)
    curves = {}
    for cell in table["cells"]:
        x = float(cell["column"].rsplit("-", 1)[1])
        curves.setdefault(cell["row"], []).append((x, 100 * cell["mean"], 100 * cell["std"]))
    points = [p for curve in curves.values() for p in curve]
    x_end = max(p[0] for p in points) or 1.0
    low = 5 * int(min(p[1] - p[2] for p in points) // 5)
    high = 5 * (int(max(p[1] + p[2] for p in points) // 5) + 1)
    at_x = lambda x: LEFT + (WIDTH - LEFT - RIGHT) * x / x_end
    at_y = lambda y: TOP + (HEIGHT - TOP - BOTTOM) * (high - y) / (high - low)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for y in range(low, high + 1, 5):
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at_y(y):.1f}" y2="{at_y(y):.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{at_y(y) + 4:.1f}" text-anchor="end">{y}</text>')
    for x in sorted({p[0] for p in points}):
        svg.append(f'<text x="{at_x(x):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{x:g}</text>')
    svg.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{sys.argv[1]}</text>')
    svg.append(f'<text x="16" y="{(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" '
               f'transform="rotate(-90 16 {(TOP + HEIGHT - BOTTOM) / 2})">test accuracy in %</text>')
    for (name, curve), colour in zip(curves.items(), COLOURS):
        curve.sort()
        up = [f"{at_x(x):.1f},{at_y(m + s):.1f}" for x, m, s in curve]
        down = [f"{at_x(x):.1f},{at_y(m - s):.1f}" for x, m, s in reversed(curve)]
        svg.append(f'<polygon points="{" ".join(up + down)}" fill="{colour}" opacity="0.15"/>')
        line = " ".join(f"{at_x(x):.1f},{at_y(m):.1f}" for x, m, s in curve)
        svg.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, m, _ = curve[-1]
        svg.append(f'<text x="{at_x(x) + 8:.1f}" y="{at_y(m) + 4:.1f}" fill="{colour}">{name}</text>')
    svg.append("</svg>")
    print("\n".join(svg))


main()
