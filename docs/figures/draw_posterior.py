#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws p_T over the distances, a curve per result of `emgnn train --json`, given as NAME=FILE.

    emgnn train --dataset esol --method em-gcn-star --runs 10 --json > esol.json
    docs/figures/draw_posterior.py ESOL=esol.json > docs/figures/radii.svg
"""
import json
import sys

from frame import COLOURS, TOP, Frame

GRID = 0.05  # of probability


def main():
    curves = {}
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        with open(path) as file:
            curves[name] = sorted((point["lambda"][0], point["p"]) for point in json.load(file)["posterior"])
    top = 1.1 * max(p for curve in curves.values() for _, p in curve)
    frame = Frame(320, 20, (1.0, 10.0), (0.0, top))
    frame.axes([(x, x) for x in range(1, 11)], [(k * GRID, f"{k * GRID:.2f}") for k in range(int(top / GRID) + 1)],
               "λ: atoms at most so many Å apart are joined", "p_T(λ)")
    for k, ((name, curve), colour) in enumerate(zip(curves.items(), COLOURS)):
        frame.line(curve, colour)
        frame.label(frame.x(4.0), TOP + 20 + 20 * k, name, colour)
    frame.print()


main()
