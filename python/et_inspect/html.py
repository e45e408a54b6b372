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
_CODE = 50
# Boxes narrower than this many pixels are left out.
_LEAST = 0.6


def page(trace: "Trace") -> str:
    info = trace.info
    costs = trace._core.op_costs(trace.basis)
    ops = _ops(trace, costs)
    executions = info["executions"] or 0
    title = escape(str(info["dump_path"] or info["record_path"] or info["program_path"] or "trace").rpartition("/")[2])
    took = f", {_time(costs['total'], costs['unit'])}: {escape(costs['text'])}" if costs["total"] else ""
    head = f"<b>{title}</b>: {info['events']:,} events, {executions:,} executions{took}"
    worst = [f for f in trace._core.findings() if f["severity"] in ("error", "data-loss", "warning")]
    notes = "".join(f"<div><b>{escape(f['severity'])}</b>: {escape(f['text'])}</div>" for f in worst[:5])
    return (
        '<div style="font-family:sans-serif;font-size:13px;max-width:920px">'
        f"<div>{head}</div>{notes}{_table(ops, costs)}{_flames(ops, costs['unit'])}</div>"
    )


class _Op:
    """What ran: its cost on the trace's basis, by itself and with the ops inside."""

    def __init__(self, row: Dict[str, Any], parent: Optional[int], cost: float, samples: int) -> None:
        self.id: int = row["op_id"]
        self.parent, self.cost, self.whole = parent, cost, cost
        self.samples = samples
        types = json.loads(row["op_types"] or "[]")
        text = ", ".join(types[:3]) + (" …" if len(types) > 3 else "")
        self.name: str = row["name"]
        self.what = f"{self.name} ({text})" if text and text != self.name else self.name
        self.where = f"{row['file'].rpartition('/')[2]}:{row['line']}" if row["file"] else ""
        self.code = (row["code"] or "").strip()


def _ops(trace: "Trace", costs: Dict[str, Any]) -> List[_Op]:
    rows = {row["op_id"]: row for row in trace._ops().to_rows()}
    ops = {op: _Op(rows[op], parent, cost, samples) for op, parent, cost, _, samples in costs["ops"] if op in rows}
    for op in ops.values():
        at, seen = op.parent, 0
        while at in ops and seen < len(ops):
            ops[at].whole += op.cost
            at, seen = ops[at].parent, seen + 1
    return list(ops.values())


def _time(value: float, unit: str) -> str:
    if unit != "ns":
        return f"{value:,.0f} {unit}"
    for limit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(value) >= limit:
            return f"{value / limit:.3g} {name}" if value < 1000 * limit else f"{value / limit:,.0f} {name}"
    return f"{value:.0f} ns"


def _line(op: _Op) -> str:
    """The code, where it is known: files of a notebook's cells have names that say nothing."""
    text = op.code if len(op.code) <= _CODE else op.code[: _CODE - 1] + "…"
    return f'<td style="text-align:left;font-family:monospace" title="{escape(op.where)}">{escape(text or op.where)}</td>'


def _table(ops: List[_Op], costs: Dict[str, Any]) -> str:
    rows = sorted((op for op in ops if op.cost > 0), key=lambda op: -op.cost)
    unit, total = costs["unit"], costs["total"]
    if not rows or total <= 0:
        return "<div>no times</div>"
    most = rows[0].cost
    body = []
    for op in rows[:_ROWS]:
        bar = f'<div style="background:#4c8bf5;height:10px;width:{100 * op.cost / most:.1f}%;min-width:1px"></div>'
        body.append(
            f'<tr><td style="text-align:left">{escape(op.what)}</td>{_line(op)}'
            f"<td>{op.samples:,}</td><td>{_time(op.cost, unit)}</td><td>{100 * op.cost / total:.1f} %</td>"
            f'<td style="width:200px">{bar}</td></tr>'
        )
    rest = len(rows) - _ROWS
    if rest > 0:
        left = sum(op.cost for op in rows[_ROWS:])
        body.append(f'<tr><td style="text-align:left">{rest} more</td><td></td><td></td><td>{_time(left, unit)}</td></tr>')
    return (
        '<table style="border-collapse:collapse"><tr><th style="text-align:left">op</th><th style="text-align:left">line</th>'
        f"<th>samples</th><th>self</th><th>share</th><th></th></tr>{''.join(body)}</table>"
    )


def _flames(ops: List[_Op], unit: str) -> str:
    """Ops below those that enclose them, as wide as their time."""
    known = {op.id for op in ops}
    children: Dict[Optional[int], List[_Op]] = {}
    for op in ops:
        children.setdefault(op.parent if op.parent in known else None, []).append(op)
    roots = children.get(None, [])
    total = sum(op.whole for op in roots)
    if total <= 0:
        return ""
    boxes: List[str] = []
    stack = []
    x = 0.0
    for op in roots:
        stack.append((op, x, 0))
        x += op.whole * _WIDTH / total
    depth = 0
    while stack:
        op, left, level = stack.pop()
        width = op.whole * _WIDTH / total
        if width < _LEAST:
            continue
        depth = max(depth, level)
        text = op.what
        room = int(width / 7)
        label = text if len(text) <= room else (text[: room - 1] + "…" if room > 3 else "")
        hue = sum(map(ord, op.name)) * 37 % 50 + 10
        tip = escape(f"{text} {op.where}: {_time(op.whole, unit)}, {100 * op.whole / total:.1f} %")
        boxes.append(
            f'<g><title>{tip}</title><rect x="{left:.1f}" y="{level * _LINE}" width="{max(width - 0.5, 0.3):.1f}" '
            f'height="{_LINE - 1}" fill="hsl({hue},75%,65%)"/>'
            f'<text x="{left + 3:.1f}" y="{level * _LINE + 13}" font-size="11" fill="#222">{escape(label)}</text></g>'
        )
        at = left
        for child in children.get(op.id, []):
            stack.append((child, at, level + 1))
            at += child.whole * _WIDTH / total
    height = (depth + 1) * _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'style="max-width:100%;margin-top:8px">{"".join(boxes)}</svg>'
    )
