# SPDX-License-Identifier: Apache-2.0
"""The frame of a plot as SVG: axes, grid, labels, lines."""

COLOURS = ["#c2571a", "#1a6fc2", "#3a8a3a", "#7a4fa3"]
WIDTH, LEFT, TOP, BOTTOM = 640, 64, 20, 52


class Frame:
    def __init__(self, height, right, x_range, y_range):
        self.height, self.right, self.x_range, self.y_range = height, right, x_range, y_range
        self.svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
                    'font-family="sans-serif" font-size="13">',
                    f'<rect width="{WIDTH}" height="{height}" fill="white"/>']

    def x(self, value):
        low, high = self.x_range
        return LEFT + (WIDTH - LEFT - self.right) * (value - low) / (high - low)

    def y(self, value):
        low, high = self.y_range
        return TOP + (self.height - TOP - BOTTOM) * (high - value) / (high - low)

    def axes(self, x_ticks, y_ticks, x_label, y_label):
        for value, text in y_ticks:
            y = self.y(value)
            self.svg.append(f'<line x1="{LEFT}" x2="{WIDTH - self.right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        for value, text in x_ticks:
            self.svg.append(f'<text x="{self.x(value):.1f}" y="{self.height - BOTTOM + 20}" '
                            f'text-anchor="middle">{text}</text>')
        self.svg.append(f'<text x="{(LEFT + WIDTH - self.right) / 2}" y="{self.height - 10}" '
                        f'text-anchor="middle">{x_label}</text>')
        middle = (TOP + self.height - BOTTOM) / 2
        self.svg.append(f'<text x="16" y="{middle}" text-anchor="middle" '
                        f'transform="rotate(-90 16 {middle})">{y_label}</text>')

    def _points(self, points):
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)

    def line(self, points, colour):
        self.svg.append(f'<polyline points="{self._points(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def band(self, points, colour):
        self.svg.append(f'<polygon points="{self._points(points)}" fill="{colour}" opacity="0.15"/>')

    def label(self, x, y, text, colour):
        self.svg.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}">{text}</text>')

    def print(self):
        print("\n".join(self.svg + ["</svg>"]))
