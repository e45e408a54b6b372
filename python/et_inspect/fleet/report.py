"""One page about a data set, in a file that asks the network for nothing: builds over time, regressions with evidence,
the matrix of devices and ops, and what the other questions of fleet/queries answer."""

from __future__ import annotations

import html
import math
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ..errors import NotFoundError
from .ask import ask, questions
from .views import duckdb

PathLike = Union[str, "os.PathLike[str]"]
Rows = List[Dict[str, Any]]

MATRIX_OPS = 40
TABLE_ROWS = 100

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--dim:#777;--bad:#c0392b;--good:#1e8449}
body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}
p.about{color:var(--dim);max-width:60rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}
th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid var(--line)}td.n,th.n{text-align:right}
th{position:sticky;top:0;background:Canvas}.wide{overflow-x:auto}.bad{color:var(--bad)}.good{color:var(--good)}
td.cell{text-align:right;color:#000}td.none{background:repeating-linear-gradient(45deg,#8883 0 4px,transparent 4px 8px)}
svg text{font-size:11px;fill:currentColor}.tiles{display:flex;gap:2rem;flex-wrap:wrap}.tiles b{display:block;font-size:1.4rem}
"""


def write_report(folder: PathLike, out: PathLike) -> None:
    """Asks all questions of the data set and writes the page; the file appears whole or not at all."""
    if not os.path.isdir(os.path.join(os.fspath(folder), "traces")):
        raise NotFoundError(
            f"{os.fspath(folder)}: expected a data set of `et-inspect export --format parquet`, found no folder traces", 0x20, "NotFound"
        )
    con = duckdb(folder)
    answers = {name: ask(con, name) for name in questions()}
    page = _page(os.path.basename(os.path.abspath(os.fspath(folder))), answers, con)
    unfinished = f"{os.fspath(out)}.{os.getpid()}.tmp"
    with open(unfinished, "w", encoding="utf-8") as file:
        file.write(page)
    os.replace(unfinished, os.fspath(out))


def _page(title: str, answers: Dict[str, Rows], con: Any) -> str:
    about = questions()
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{_text(title)}: fleet</title><style>{_STYLE}</style><h1>Fleet: {_text(title)}</h1>",
        _tiles(con, answers),
        _section("Builds over time", "Median warm execution of each build by device, with the middle half of its traces.", _builds(con)),
        _section("Regressions", about["regressions"], _regressions(answers["regressions"])),
        _section(
            "Devices and ops",
            f"p50 of each op in the newest build of a device, against the median of all devices: the {MATRIX_OPS} costliest "
            "ops. Hatched: no data. An op that is slow on one device alone stands out in its row.",
            _matrix(con, answers["percentiles"]),
        ),
        _section("Throttling", about["throttling"], _table(answers["throttling"], bad="throttles")),
        _section("Outliers", about["outlier_devices"], _table(answers["outlier_devices"], bad="is_outlier")),
        _section("Ops that fall out of delegates", about["delegation"], _table(answers["delegation"])),
        _section("Slowest lines", about["slowest_lines"], _table(answers["slowest_lines"])),
        _section("Coverage", about["coverage"], _coverage(answers["coverage"])),
        "</html>\n",
    ]
    return "\n".join(parts)


def _text(value: Any) -> str:
    return html.escape(str(value))


def _section(title: str, about: str, body: str) -> str:
    return f"<h2>{_text(title)}</h2><p class=about>{_text(about)}</p><div class=wide>{body}</div>"


def _duration(ns: Optional[float]) -> str:
    if ns is None:
        return ""
    for limit, unit, scale in ((1e3, "ns", 1.0), (1e6, "µs", 1e3), (1e9, "ms", 1e6)):
        if abs(ns) < limit:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def _shown(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name.endswith("_ns") or name == "ns":
        return _duration(float(value))
    if name.endswith("share"):
        return f"{100 * value:.1f} %"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def _table(rows: Rows, bad: str = "") -> str:
    if not rows:
        return "<p>None.</p>"
    names = list(rows[0])
    numbers = {n for n in names if all(isinstance(r[n], (int, float)) or r[n] is None for r in rows)}
    head = "".join(f"<th{' class=n' if n in numbers else ''}>{_text(n.replace('_ns', '').replace('_', ' '))}" for n in names)
    lines = []
    for row in rows[:TABLE_ROWS]:
        mark = " class=bad" if bad and row[bad] else ""
        lines.append(
            f"<tr{mark}>" + "".join(f"<td{' class=n' if n in numbers else ''}>{_text(_shown(n, row[n]))}" for n in names)
        )
    rest = f"<p>{len(rows) - TABLE_ROWS} more rows: et-inspect's queries give all of them.</p>" if len(rows) > TABLE_ROWS else ""
    return f"<table><thead><tr>{head}</thead><tbody>{''.join(lines)}</tbody></table>{rest}"


def _tiles(con: Any, answers: Dict[str, Rows]) -> str:
    traces, devices, builds, first, last, executions = con.execute(
        "SELECT count(*), count(DISTINCT device), count(DISTINCT build), min(date), max(date), sum(executions) FROM fleet_traces"
    ).fetchone()
    tiles: Sequence[Tuple[Any, str]] = [
        (f"{traces:,}", "traces"),
        (f"{executions or 0:,}", "executions"),
        (f"{devices:,}", "devices"),
        (f"{builds:,}", "builds"),
        (f"{first} – {last}", "days"),
        (f"{len(answers['regressions']):,}", "ops slower"),
        (f"{sum(1 for r in answers['throttling'] if r['throttles']):,}", "devices throttle"),
        (f"{sum(1 for r in answers['coverage'] if not r['traces']):,}", "gaps in coverage"),
    ]
    return "<div class=tiles>" + "".join(f"<div><b>{_text(v)}</b>{_text(t)}</div>" for v, t in tiles) + "</div>"


def _builds(con: Any) -> str:
    rows = con.execute(
        "SELECT f.device, f.build, min(f.date) AS day, quantile_cont(t.ns, 0.25), median(t.ns), quantile_cont(t.ns, 0.75), count(*) "
        "FROM (SELECT trace_id, sum(warm_p50_ns) AS ns FROM blocks WHERE kind = 'execute' GROUP BY trace_id HAVING sum(warm_p50_ns) > 0) t "
        "JOIN fleet_traces f ON f.trace_id = t.trace_id GROUP BY f.device, f.build ORDER BY day, f.build"
    ).fetchall()
    if not rows:
        return "<p>No trace has warm executions.</p>"
    builds = list(dict.fromkeys(r[1] for r in rows))
    devices = sorted({r[0] for r in rows})
    low, high = min(r[3] for r in rows), max(r[5] for r in rows)
    span = math.log(high / low) or 1.0
    width, height, left = max(480, 70 * len(builds)), 260, 70

    def x(build: str) -> float:
        return left + (builds.index(build) + 0.5) * (width - left) / len(builds)

    def y(ns: float) -> float:
        return 15 + (height - 60) * (1 - math.log(ns / low) / span)

    parts = [f"<svg width={width + 260} height={max(height, 18 * len(devices[:20]) + 30)} role=img>"]
    for i in range(5):
        ns = low * math.exp(span * i / 4)
        parts.append(f"<path d='M{left} {y(ns):.1f}H{width}' stroke='#8884'/><text x={left - 6} y={y(ns) + 4:.1f} text-anchor=end>{_text(_duration(ns))}</text>")
    for build in builds:
        parts.append(f"<text x={x(build):.1f} y={height - 25} text-anchor=middle>{_text(build[:12])}</text>")
    for i, device in enumerate(devices[:20]):
        colour = f"hsl({i * 137 % 360} 65% 50%)"
        mine = [r for r in rows if r[0] == device]
        points = " ".join(f"{x(r[1]):.1f},{y(r[4]):.1f}" for r in mine)
        parts.append(f"<polyline points='{points}' fill=none stroke='{colour}' stroke-width=1.5 />")
        for r in mine:
            about = _text(f"{device}, {r[1]}, {r[2]}: {_duration(r[4])} ({_duration(r[3])} – {_duration(r[5])}), {r[6]} traces")
            parts.append(
                f"<g><title>{about}</title><path d='M{x(r[1]):.1f} {y(r[3]):.1f}V{y(r[5]):.1f}' stroke='{colour}' stroke-opacity=.5 stroke-width=4 />"
                f"<circle cx={x(r[1]):.1f} cy={y(r[4]):.1f} r=3.5 fill='{colour}'/></g>"
            )
        parts.append(f"<circle cx={width + 20} cy={20 + 18 * i} r=4 fill='{colour}'/><text x={width + 30} y={24 + 18 * i}>{_text(device[:36])}</text>")
    rest = f"<p>{len(devices) - 20} more devices are in the tables.</p>" if len(devices) > 20 else ""
    return "".join(parts) + "</svg>" + rest


def _regressions(rows: Rows) -> str:
    shown = []
    for r in rows:
        shown.append(
            {
                "build": r["build"],
                "against": r["against"],
                "device": r["device"],
                "op": r["op_key"],
                "slower by": f"{100 * (r['ratio'] - 1):.1f} %",
                "95 % interval": f"{100 * (r['ratio_low'] - 1):+.1f} … {100 * (r['ratio_high'] - 1):+.1f} %",
                "median_ns": r["median_ns"],
                "before_ns": r["median_against_ns"],
                "traces": f"{r['traces']} against {r['traces_against']}",
                "p, adjusted": f"{r['p_adjusted']:.2g}",
            }
        )
    return _table(shown)


def _matrix(con: Any, percentiles: Rows) -> str:
    newest = dict(con.execute("SELECT device, max_by(build, date || build) FROM fleet_traces GROUP BY device").fetchall())
    cells: Dict[str, Dict[str, float]] = {}
    weight: Dict[str, float] = {}
    for r in percentiles:
        if newest.get(r["device"]) == r["build"] and r["p50_ns"]:
            cells.setdefault(r["op_key"], {})[r["device"]] = r["p50_ns"]
            weight[r["op_key"]] = max(weight.get(r["op_key"], 0.0), r["p50_ns"])
    ops = sorted(cells, key=lambda op: (-weight[op], op))[:MATRIX_OPS]
    devices = sorted(newest)
    if not ops:
        return "<p>None.</p>"
    head = "<tr><th>op<th class=n>median" + "".join(f"<th class=n>{_text(d)}" for d in devices)
    lines = []
    for op in ops:
        values = sorted(cells[op].values())
        middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
        line = f"<tr><td>{_text(op)}<td class=n>{_text(_duration(middle))}"
        for device in devices:
            ns = cells[op].get(device)
            if ns is None:
                line += "<td class='cell none'>"
                continue
            ratio = ns / middle
            heat = max(-1.0, min(1.0, math.log2(ratio) / 1.5))
            colour = f"hsl({10 if heat > 0 else 140} 70% {95 - 40 * abs(heat):.0f}%)"
            line += f"<td class=cell style='background:{colour}' title='{_text(_duration(ns))}'>{ratio:.2f}"
        lines.append(line)
    rest = f"<p>{len(cells) - len(ops)} cheaper ops are left out.</p>" if len(cells) > len(ops) else ""
    return f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>{rest}"


def _coverage(rows: Rows) -> str:
    builds = list(dict.fromkeys(r["build"] for r in rows))
    devices = sorted({r["device"] for r in rows})
    traces = {(r["build"], r["device"]): r["traces"] for r in rows}
    head = "<tr><th>build" + "".join(f"<th class=n>{_text(d)}" for d in devices)
    lines = []
    for build in builds:
        line = f"<tr><td>{_text(build)}"
        for device in devices:
            n = traces[build, device]
            line += f"<td class=n>{n}" if n else "<td class='cell none'>"
        lines.append(line)
    return f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"
