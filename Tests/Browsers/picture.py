"""A picture of the music's level over time, with a lane for each situation."""

from html import escape

WIDTH, LANE, GAP, LEFT, TOP = 960, 90, 34, 150, 70
#: What is drawn, in dBFS; what is quieter lies at the bottom.
LOUDEST, QUIETEST = -10, -80
STYLE = (
    "text{font:12px sans-serif;fill:#222}.small{font-size:10px;fill:#666}.lane{fill:#fafafa;stroke:#ccc}"
    ".page{fill:#cfe2f3}.call{fill:#f4b6b6}.stopped{fill:#c0392b}.music{fill:none;stroke:#1a1a1a;stroke-width:1.5}"
    ".film{fill:none;stroke:#3a7d44;stroke-width:1;stroke-dasharray:3 2}"
)


class Lane:
    """One situation: its title and result; curves of (seconds, dBFS); when the page
    was so far, whether that is a call, and when the module had stopped the music."""

    def __init__(self, title, result, music, film, page, is_call, stops):
        self.title, self.result, self.music, self.film = title, result, music, film
        self.page, self.is_call, self.stops = page, is_call, stops


def draw(path, title, lanes):
    length = max(moment for lane in lanes for moment, _ in lane.music) or 1
    scale = WIDTH / length

    def x(moment):
        return LEFT + min(max(moment, 0), length) * scale

    def bar(kind, span, y, height):
        begin, end = span
        return f'<rect class="{kind}" x="{x(begin):.1f}" y="{y:.1f}" width="{max(x(end) - x(begin), 1):.1f}" height="{height}"/>'

    def curve(kind, points, y):
        places = []
        for moment, level in points:
            part = (LOUDEST - min(max(level, QUIETEST), LOUDEST)) / (LOUDEST - QUIETEST)
            places.append(f"{x(moment):.1f},{y + part * LANE:.1f}")
        return f'<polyline class="{kind}" points="{" ".join(places)}"/>'

    height = TOP + len(lanes) * (LANE + GAP) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}">', f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="22" font-weight="bold">{escape(title)}</text>',
    ]
    legend = [(10, "call", "call"), (90, "page", "another page"), (220, "stopped", "the module stops the music"),
              (430, "music", "level of the music"), (600, "film", "level of the film"), (760, None, "dBFS and seconds")]
    for place, kind, text in legend:
        mark = (f'<line class="{kind}" x1="{place}" y1="43" x2="{place + 18}" y2="43"/>' if kind in ("music", "film")
                else f'<rect class="{kind}" x="{place}" y="37" width="18" height="12"/>' if kind else "")
        parts.append(f'{mark}<text x="{place + 24}" y="47">{text}</text>')
    for number, lane in enumerate(lanes):
        y = TOP + number * (LANE + GAP)
        parts += [
            f'<text x="10" y="{y + 16}">{escape(lane.title)}</text>',
            f'<text class="small" x="10" y="{y + 32}">{escape(lane.result)}</text>',
            f'<rect class="lane" x="{LEFT}" y="{y}" width="{WIDTH}" height="{LANE}"/>',
            bar("call" if lane.is_call else "page", lane.page, y, LANE),
            *(bar("stopped", span, y, 5) for span in lane.stops),
        ]
        for level in range(-20, QUIETEST, -20):
            place = y + (LOUDEST - level) / (LOUDEST - QUIETEST) * LANE
            parts.append(f'<text class="small" x="{LEFT - 6}" y="{place + 3:.1f}" text-anchor="end">{level}</text>')
        parts += [curve("film", lane.film, y), curve("music", lane.music, y)]
        for second in range(0, int(length) + 1, 5):
            parts.append(f'<text class="small" x="{x(second):.1f}" y="{y + LANE + 12}" text-anchor="middle">{second}</text>')
    parts.append("</svg>")
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
