"""Memory of host and device while 2,000 networks take each other's place and 20,000 steps are taken in one process, and a
figure of it."""

import re

# The network, and what is done.
SETTINGS = {
    "cuda": ["--network", "9x9b6c96", "--batch", "256"],
    "cpu": ["--network", "3x3b1c8", "--batch", "16", "--swaps", "20", "--steps", "20"],
}
SECONDS_MAX = 540
COLOURS = {"host": "#1f77b4", "device": "#d62728"}
WIDTH, HEIGHT, LEFT, TOP, BELOW = 640, 220, 70, 30, 40


def measure(results, args, child):
    command = [args.binary, "bench", "soak", "--device", args.device, "--json"]
    rows, error = child(args, command + SETTINGS[args.device], SECONDS_MAX)
    series = {}
    for row in rows:
        found = re.search(r": (\w+) memory after (\d+) (\w+)$", row["name"])
        if found:
            memory, done, what = found.groups()
            series.setdefault(what, {}).setdefault(memory, []).append((int(done), row["value"]))
            results.add(what=row["name"], who="dagzero", value=row["value"], unit=row["unit"])
    if error:
        results.add(what="soak", who="dagzero", error=error)
    for what, curves in series.items():
        for memory, points in curves.items():
            # What a first quarter took may be caches that fill; what comes after it should be nothing.
            late = points[len(points) // 4 :]
            grown = late[-1][1] - late[0][1]
            name = f"{memory} memory, growth over the last three quarters of {late[-1][0]} {what}"
            results.add(what=name, who="dagzero", value=grown, unit="MiB")
    if series:
        path = re.sub(r"\.json$", "", args.out) + ".svg"
        with open(path, "w") as file:
            file.write(figure(series))
        print(f"drawn in {path}", flush=True)


def figure(series):
    """A panel for each thing that was done, as SVG: MiB over how often."""
    panels = [panel(what, curves, i * HEIGHT) for i, (what, curves) in enumerate(series.items())]
    size = f'width="{WIDTH}" height="{HEIGHT * len(panels)}"'
    font = 'font-family="sans-serif" font-size="12"'
    sheet = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>{sheet}{"".join(panels)}</svg>\n'


def panel(what, curves, top):
    done_max = max(done for points in curves.values() for done, _ in points)
    most = 1.1 * max(value for points in curves.values() for _, value in points)
    wide, high = WIDTH - LEFT - 90, HEIGHT - TOP - BELOW

    def place(done, value):
        return f"{LEFT + wide * done / done_max:.1f},{top + TOP + high * (1 - value / most):.1f}"

    parts = [f'<text x="{LEFT}" y="{top + 18}">MiB after so many {what}</text>']
    for share in (0, 0.5, 1):
        y = top + TOP + high * (1 - share)
        parts.append(f'<path d="M{LEFT} {y}h{wide}" stroke="#ccc"/>')
        label = f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{most * share:,.0f}</text>'
        parts.append(label)
        x, y = LEFT + wide * share, top + HEIGHT - BELOW + 16
        text = f"{done_max * share:,.0f}"
        parts.append(f'<text x="{x}" y="{y}" text-anchor="middle">{text}</text>')
    for memory, points in curves.items():
        path = " ".join(place(*point) for point in points)
        colour = COLOURS[memory]
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = place(*points[-1]).split(",")
        parts.append(f'<text x="{float(x) + 6}" y="{float(y) + 4}" fill="{colour}">{memory}</text>')
    return "".join(parts)
