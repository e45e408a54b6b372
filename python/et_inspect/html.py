"""A trace in a notebook: bars and a flame graph, in one piece of HTML without scripts or anything from elsewhere."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Optional

if TYPE_CHECKING:
    from .trace import Trace

_ROWS = 15
_WIDTH = 900
_LINE = 18
# Boxes narrower than this many pixels are left out.
_LEAST = 0.6


def page(trace: "Trace") -> str:
    report = json.loads(trace.report("json"))
    info = report["trace"]
    executions, total = info["executions"] or 0, info["execute_ns"] or 0
    title = escape(str(info["dump_path"] or info["record_path"] or info["program_path"] or "trace").rpartition("/")[2])
    mean = f", {_time(total / executions, info['unit'])} each" if executions else ""
    head = f"<b>{title}</b>: {info['events']:,} events, {executions:,} executions{mean}"
    worst = [f for f in report["findings"] if f["severity"] in ("error", "data-loss", "warning")]
    notes = "".join(f"<div><b>{escape(f['severity'])}</b>: {escape(f['text'])}</div>" for f in worst[:5])
    return (
        '<div style="font-family:sans-serif;font-size:13px;max-width:920px">'
        f"<div>{head}</div>{notes}{_table(report['ops'], info['unit'])}{_flames(report['ops'], info['unit'])}</div>"
    )


def _time(value: float, unit: str) -> str:
    if unit != "ns":
        return f"{value:,.0f} {unit}"
    for limit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(value) >= limit:
            return f"{value / limit:.3g} {name}" if value < 1000 * limit else f"{value / limit:,.0f} {name}"
    return f"{value:.0f} ns"


def _own(ops: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Ops with time of their own on the trace's clock, in executions, the costliest first."""
    found = [op for op in ops if op["clock"] is None and (op["self_share"] or 0) > 0 and op["block"] != "Default"]
    return sorted(found, key=lambda op: -op["self_ns"])


def _what(op: Dict[str, Any]) -> str:
    types = ", ".join(op["op_types"][:3]) + (" …" if len(op["op_types"]) > 3 else "")
    return f"{op['name']} ({types})" if types and types != op["name"] else op["name"]


def _where(op: Dict[str, Any]) -> str:
    nodes = op["nodes"]
    if not nodes or not nodes[0]["file"]:
        return ""
    return f"{nodes[0]['file'].rpartition('/')[2]}:{nodes[0]['line']}"


def _table(ops: List[Dict[str, Any]], unit: str) -> str:
    rows = _own(ops)
    if not rows:
        return "<div>no times</div>"
    most = rows[0]["self_ns"]
    body = []
    for op in rows[:_ROWS]:
        share = op["self_share"] or 0
        bar = (
            f'<div style="background:#4c8bf5;height:10px;width:{100 * op["self_ns"] / most:.1f}%;min-width:1px"></div>'
        )
        body.append(
            f'<tr><td style="text-align:left">{escape(_what(op))}</td><td style="text-align:left">{escape(_where(op))}</td>'
            f"<td>{op['count']:,}</td><td>{_time(op['self_ns'], unit)}</td><td>{100 * share:.1f} %</td>"
            f'<td style="width:200px">{bar}</td></tr>'
        )
    rest = len(rows) - _ROWS
    if rest > 0:
        left = sum(op["self_ns"] for op in rows[_ROWS:])
        body.append(f'<tr><td style="text-align:left">{rest} more</td><td></td><td></td><td>{_time(left, unit)}</td></tr>')
    return (
        '<table style="border-collapse:collapse"><tr><th style="text-align:left">op</th><th style="text-align:left">line</th>'
        f"<th>count</th><th>self</th><th>share</th><th></th></tr>{''.join(body)}</table>"
    )


def _flames(ops: List[Dict[str, Any]], unit: str) -> str:
    """Ops below those that enclose them, as wide as their time."""
    children: Dict[Optional[int], List[Dict[str, Any]]] = {}
    key = {(op["block_index"], op["order"]): op for op in ops}
    for op in ops:
        if op["clock"] is not None or op["block"] == "Default":
            continue
        parent = key.get((op["block_index"], op["parent_order"])) if op["parent_order"] is not None else None
        children.setdefault(parent["op_id"] if parent else None, []).append(op)
    roots = children.get(None, [])
    total = sum(op["sum_ns"] for op in roots)
    if total <= 0:
        return ""
    boxes: List[str] = []
    stack = []
    x = 0.0
    for op in roots:
        stack.append((op, x, 0))
        x += op["sum_ns"] * _WIDTH / total
    depth = 0
    while stack:
        op, left, level = stack.pop()
        width = op["sum_ns"] * _WIDTH / total
        if width < _LEAST:
            continue
        depth = max(depth, level)
        text = _what(op)
        room = int(width / 7)
        label = text if len(text) <= room else (text[: room - 1] + "…" if room > 3 else "")
        hue = sum(map(ord, op["name"])) * 37 % 50 + 10
        tip = escape(f"{text} {_where(op)}: {_time(op['sum_ns'], unit)}, {100 * op['sum_ns'] / total:.1f} %")
        boxes.append(
            f'<g><title>{tip}</title><rect x="{left:.1f}" y="{level * _LINE}" width="{max(width - 0.5, 0.3):.1f}" '
            f'height="{_LINE - 1}" fill="hsl({hue},75%,65%)"/>'
            f'<text x="{left + 3:.1f}" y="{level * _LINE + 13}" font-size="11" fill="#222">{escape(label)}</text></g>'
        )
        at = left
        for child in children.get(op["op_id"], []):
            stack.append((child, at, level + 1))
            at += child["sum_ns"] * _WIDTH / total
    height = (depth + 1) * _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'style="max-width:100%;margin-top:8px">{"".join(boxes)}</svg>'
    )
