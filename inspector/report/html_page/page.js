'use strict';
// Everything that came from a trace is put into the page with textContent: a name can never become markup.
const D = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);

function el(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (v === undefined || v === null) continue;
    if (k === 'on') for (const [name, f] of Object.entries(v)) e.addEventListener(name, f);
    else if (k === 'style') Object.assign(e.style, v);
    else e.setAttribute(k, v);
  }
  for (const c of children) if (c !== null && c !== undefined) e.append(c);
  return e;
}
const SVG = 'http://www.w3.org/2000/svg';
function svg(tag, attrs, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const withDigits = [0, 1, 2].map((n) => new Intl.NumberFormat('en', { minimumFractionDigits: n, maximumFractionDigits: n }));
function time(v, clock) {
  if (v === null || v === undefined) return '';
  if (clock) return number.format(v) + ' ' + clock;
  if (D.unit !== 'ns') return number.format(v) + ' ' + D.unit;
  // Three significant digits, in the unit in which they stand before the first thousand.
  const a = Math.abs(v);
  if (a < 999.5 && Number.isInteger(v)) return v + ' ns';
  const [divisor, unit] = a >= 0.9995e9 ? [1e9, 's'] : a >= 0.9995e6 ? [1e6, 'ms'] : a >= 999.5 ? [1e3, 'µs'] : [1, 'ns'];
  const x = a / divisor, digits = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
  return withDigits[digits].format(v / divisor) + ' ' + unit;
}
function bytes(v) {
  if (v === null || v === undefined) return '';
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let i = 0;
  for (; v >= 1024 && i < 3; ++i) v /= 1024;
  return number.format(v) + ' ' + units[i];
}
function percent(v) { return v === null || v === undefined ? '' : (100 * v).toFixed(1) + '%'; }
function bar(share) {
  const w = Math.max(0, Math.min(1, share || 0)) * 84;
  return el('span', { class: 'barbox' }, el('span', { class: 'bar', style: { width: w + 'px' } }));
}
function table(columns, rows) {
  return el('div', { class: 'scroll' }, el('table', {},
    el('thead', {}, el('tr', {}, ...columns.map((c) => el('th', { class: c.num ? 'num' : null }, c.title)))),
    el('tbody', {}, ...rows.map((r) => el('tr', {}, ...r.map((v, i) => el('td', { class: columns[i].num ? 'num' : null }, v)))))));
}

// ---- summary
$('title').textContent = D.title;
$('subtitle').textContent = D.subtitle;
document.title = D.title + ' – et-inspect';
for (const text of D.errors) $('notes').append(el('p', { class: 'sev-error' }, 'error: ' + text));
for (const text of D.notes) $('notes').append(el('p', { class: 'note' }, '! ' + text));
for (const [name, value] of D.cards) $('cards').append(el('div', { class: 'card' }, el('b', {}, value), el('span', {}, name)));
$('blocks').append(el('h3', {}, 'Runs'), table(
  [{ title: 'block' }, { title: 'method' }, { title: 'runs', num: 1 }, { title: 'total', num: 1 }, { title: 'cold', num: 1 }, { title: 'warm median', num: 1 }],
  D.blocks.map((b) => [b.name, b.method, number.format(b.runs), time(b.total), time(b.cold), time(b.warm_p50)])));
if (D.diagnostics.length) {
  const t = table([{ title: 'severity' }, { title: 'count', num: 1 }, { title: 'what' }, { title: 'help' }],
    D.diagnostics.map((d) => [el('span', { class: 'sev-' + d.severity.replace(/[^a-z-]/g, '') }, d.severity), number.format(d.count), d.message, d.help]));
  t.classList.add('diag');
  for (const td of t.querySelectorAll('td')) td.style.whiteSpace = 'normal';
  $('diagnostics').append(el('h3', {}, 'Diagnostics'), t);
}

// ---- ops
// A statistic of the trace's list: key, title and kind.
function statistic(s) {
  const value = (o) => o[s.key];
  if (s.kind === 'share') return { ...s, value, cls: 'share', node: (o) => o.clock ? 'separate clock' : [percent(value(o)), bar(value(o))] };
  return { ...s, value, num: 1, node: (o) => s.kind === 'time' ? time(value(o), o.clock) : number.format(value(o)) };
}
const FACTS = D.facts.map(statistic);
// What times are of, as everywhere in et-inspect: the usual one is the first.
let basis = 0;
for (const [op, ...costs] of D.ranking.costs) D.ops[op].costs = costs;
const cost = (o) => o.costs ? o.costs[basis] : null;
const whole = () => D.ranking.totals[basis];
const COLUMNS = [
  { key: 'name', title: 'op', text: (o) => o.name },
  { key: 'types', title: 'operator', text: (o) => o.types.join(', '), short: (o) => o.types.slice(0, 2).join(', ') + (o.types.length > 2 ? ' +' + (o.types.length - 2) : '') },
  { key: 'block', title: 'block', text: (o) => D.blocks[o.block].label },
  { key: 'cost', title: 'time', num: 1, value: cost, node: (o) => time(cost(o)) },
  { key: 'part', title: 'of it', value: cost, cls: 'share', node: (o) => cost(o) === null || !(whole() > 0) ? '' : [percent(cost(o) / whole()), bar(cost(o) / whole())] },
  ...D.columns.map(statistic),
  { key: 'source', title: 'source', text: (o) => o.source, short: (o) => o.source.replace(/^.*[\\/]/, '') },
];
let sortKey = 'cost', descending = true;
const openOps = new Set();

function histogram(o) {
  const q = o.q;
  const W = 460, H = 130, top = 8, bottom = 22, left = 4;
  const s = svg('svg', { width: W, height: H, role: 'img', 'aria-label': 'distribution of the samples' });
  if (!q.length) return s;
  // The last percent of a long tail would press everything else into one bin.
  const lo = q[0], hi = Math.max(q[Math.min(q.length - 1, Math.floor(q.length * 0.99))], lo + 1);
  const n = Math.min(46, Math.max(6, q.length)), bins = new Array(n).fill(0);
  for (const v of q) bins[Math.min(n - 1, Math.floor((v - lo) / (hi - lo) * n))]++;
  const most = Math.max(...bins), w = (W - 2 * left) / n;
  bins.forEach((c, i) => {
    const h = c / most * (H - top - bottom);
    const r = svg('rect', { class: 'h', x: left + i * w, y: H - bottom - h, width: Math.max(1, w - 1), height: h });
    r.append(svg('title', {}, time(lo + (hi - lo) * i / n, o.clock) + ' … ' + (i === n - 1 ? time(q[q.length - 1], o.clock) : time(lo + (hi - lo) * (i + 1) / n, o.clock)) + ': ' + (100 * c / q.length).toFixed(1) + '%'));
    s.append(r);
  });
  s.append(svg('text', { x: left, y: H - 6 }, time(lo, o.clock)), svg('text', { x: W - left, y: H - 6, 'text-anchor': 'end' }, (q[q.length - 1] > hi ? '≥ ' : '') + time(hi, o.clock)));
  return s;
}
function facts(pairs) {
  const dl = el('dl', { class: 'facts' });
  for (const [k, v] of pairs) if (v !== '' && v !== null && v !== undefined) dl.append(el('dt', {}, k), el('dd', {}, v));
  return dl;
}
function detail(o) {
  const left = facts([['event', o.event], ['kind', o.kind], ['instruction', o.instruction], ['backend', o.backend], ['role', o.role], ['source', o.source],
    ['code', o.code], ['module', o.module], ['nodes', o.nodes.join(', ')], ['debug handles', o.handles]]);
  const right = facts(FACTS.map((s) => [s.title, s.node(o)]));
  const note = (o.stride > 1 ? 'every ' + o.stride + 'th sample' : 'all samples') + (o.coarse ? '; the clock ticks in whole µs' : '');
  return el('tr', { class: 'detail' }, el('td', { colspan: COLUMNS.length }, el('div', { class: 'split' }, left, right,
    el('div', {}, histogram(o), el('div', { class: 'dim' }, note)))));
}
function drawOps() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean), block = $('block').value;
  const col = COLUMNS.find((c) => c.key === sortKey);
  const rows = D.ops.map((o, i) => [o, i]).filter(([o]) => (block === '' || o.block === +block) && words.every((w) => o.search.includes(w)));
  const key = col.value || col.text;
  rows.sort(([a, i], [b, j]) => {
    const x = key(a), y = key(b);
    const r = typeof x === 'string' ? x.localeCompare(y) : (x ?? -Infinity) - (y ?? -Infinity);
    return (descending ? -r : r) || i - j;
  });
  const body = $('optable').tBodies[0];
  body.replaceChildren();
  const limit = 2000;
  for (const [o, i] of rows.slice(0, limit)) {
    const toggle = () => { openOps.has(i) ? openOps.delete(i) : openOps.add(i); drawOps(); };
    const tr = el('tr', { class: 'op', tabindex: 0, on: { click: toggle, keydown: (e) => { if (e.key === 'Enter') toggle(); } } });
    for (const c of COLUMNS) {
      const content = c.node ? c.node(o) : (c.short || c.text)(o);
      const td = el('td', { class: (c.num ? 'num ' : '') + (c.cls || '') + (c.text ? ' wide' : ''), title: c.text ? c.text(o) : null });
      td.append(...(Array.isArray(content) ? content : [content]));
      tr.append(td);
    }
    body.append(tr);
    if (openOps.has(i)) body.append(detail(o));
  }
  $('shown').textContent = rows.length > limit ? limit + ' of ' + rows.length + ' shown: filter to see the rest' : rows.length + ' of ' + D.ops.length + ' ops';
}
function drawHead() {
  $('optable').tHead.replaceChildren(el('tr', {}, ...COLUMNS.map((c) => el('th',
    { class: c.num ? 'num' : null, 'aria-sort': c.key === sortKey ? (descending ? 'descending' : 'ascending') : null },
    el('button', { type: 'button', on: { click: () => { descending = sortKey === c.key ? !descending : !!(c.value); sortKey = c.key; drawHead(); drawOps(); } } },
      c.title + (c.key === sortKey ? (descending ? ' ▾' : ' ▴') : ''))))));
}
for (const o of D.ops) {
  o.search = [o.name, o.event, o.kind, o.types.join(' '), o.backend, o.module, o.source, o.nodes.join(' ')].join(' ').toLowerCase();
}
const blockOptions = () => D.blocks.map((b, i) => el('option', { value: i }, b.label + ' · ' + b.name + ' #' + i));
$('block').append(el('option', { value: '' }, 'all blocks'), ...blockOptions());
$('block').addEventListener('change', drawOps);
$('filter').addEventListener('input', drawOps);
$('basis').append(...D.ranking.bases.map((b, i) => el('option', { value: i }, b.text + ' (' + time(D.ranking.totals[i]) + ')')));
$('basis').addEventListener('change', () => { basis = +$('basis').value; drawOps(); });
// The block where most of the time of executions went.
const busiest = D.blocks.reduce((best, b, i) => (b.kind === 'execute' && (best < 0 || b.total > D.blocks[best].total) ? i : best), -1);
$('block').value = busiest < 0 ? '' : busiest;
drawHead();
drawOps();

// ---- flame (icicle)
const children = D.ops.map(() => []), roots = D.blocks.map(() => []);
D.ops.forEach((o, i) => { if (!o.clock) (o.parent >= 0 && !D.ops[o.parent].clock ? children[o.parent] : roots[o.block]).push(i); });
let zoom = -1;
function flameColor(o) {
  if (!o) return '#cfd6df';
  if (o.kind === 'framework') return '#cfd6df';
  const seed = [...(o.backend || o.types[0] || o.name)].reduce((a, c) => (a * 31 + c.codePointAt(0)) % 360, 7);
  return 'hsl(' + (20 + seed % 300) + ' 62% ' + (o.kind === 'delegate_op' ? 76 : 70) + '%)';
}
function drawFlame() {
  const box = $('icicle'), b = +$('flameblock').value || 0, row = 22;
  box.replaceChildren();
  if (!D.blocks.length) return;
  let deepest = 0;
  const say = (o, total) => () => { $('where').textContent = o ? o.name + (o.types.length ? ' · ' + o.types.join(', ') : '') + ' · ' + time(total) + ' (' + percent(total / (D.blocks[b].total || 1)) + ')' + (o.source ? ' · ' + o.source : '') : D.blocks[b].label + ' · ' + time(total); };
  const put = (o, index, x, w, depth, total) => {
    if (w < 0.0004) return;
    deepest = Math.max(deepest, depth);
    const f = say(o, total);
    box.append(el('button', { type: 'button', style: { left: 100 * x + '%', width: 100 * w + '%', top: depth * row + 'px', background: flameColor(o) }, on: { mouseenter: f, focus: f, click: () => { zoom = index; drawFlame(); } } },
      o ? o.name : D.blocks[b].label));
    let at = x;
    for (const c of index < 0 ? roots[b] : children[index]) {
      const part = total > 0 ? D.ops[c].shown / total * w : 0;
      put(D.ops[c], c, at, part, depth + 1, D.ops[c].shown);
      at += part;
    }
  };
  if (zoom >= 0 && D.ops[zoom].block !== b) zoom = -1;
  const path = [];
  for (let i = zoom; i >= 0 && path.length < 64; i = D.ops[i].parent) path.unshift(i);
  path.slice(0, -1).forEach((i, k) => {
    box.append(el('button', { type: 'button', style: { left: 0, width: '100%', top: (k + 1) * row + 'px', background: flameColor(D.ops[i]), opacity: 0.6 }, on: { click: () => { zoom = i; drawFlame(); } } }, D.ops[i].name));
  });
  if (zoom < 0) put(null, -1, 0, 1, 0, D.blocks[b].total);
  else {
    box.append(el('button', { type: 'button', style: { left: 0, width: '100%', top: 0, background: flameColor(null), opacity: 0.6 }, on: { click: () => { zoom = -1; drawFlame(); } } }, D.blocks[b].label));
    put(D.ops[zoom], zoom, 0, 1, path.length, D.ops[zoom].shown);
  }
  box.style.height = (Math.max(deepest, path.length) + 1) * row + 4 + 'px';
  $('flameup').disabled = zoom < 0;
}
$('flameblock').append(...blockOptions());
$('flameblock').value = Math.max(0, busiest);
$('flameblock').addEventListener('change', () => { zoom = -1; drawFlame(); });
$('flameup').addEventListener('click', () => { const p = zoom >= 0 ? D.ops[zoom].parent : -1; zoom = p; drawFlame(); });
drawFlame();

// ---- delegation
if (D.parts.length) {
  $('parts').append(table([{ title: 'part' }, { title: 'method' }, { title: 'payload' }, { title: 'nodes', num: 1 }, { title: 'size', num: 1 }, { title: 'weights', num: 1 }, { title: 'calls', num: 1 }, { title: 'total', num: 1 }, { title: 'share' }],
    D.parts.map((p) => [p.name, p.method, p.payload || '', p.nodes === null ? '' : number.format(p.nodes), bytes(p.bytes), bytes(p.weights), number.format(p.calls), time(p.sum), el('span', {}, percent(p.share), bar(p.share))])));
} else $('parts').append(el('p', { class: 'dim' }, 'No time of an execution is known by part.'));

// ---- source
if (!D.sources.length) $('files').append(el('p', { class: 'dim' }, 'No op is linked to a Python line: the trace was imported without an ETRecord, or nothing could be linked.'));
const hottest = Math.max(1, ...D.sources.flatMap((f) => f.lines.map((l) => l.ns || 0)));
for (const f of D.sources) {
  const body = el('tbody');
  for (const l of f.lines) {
    if (l.gap) body.append(el('tr', { class: 'gap' }, el('td', { colspan: 6 }, '    …')));
    const tr = el('tr', {},
      el('td', { class: 'num' }, l.ns ? percent(l.ns / (D.source_total || 1)) : ''), el('td', { class: 'num' }, l.ns ? time(l.ns) : ''),
      el('td', { class: 'num dim', title: 'with what it calls' }, l.incl && l.incl !== l.ns ? time(l.incl) : ''),
      el('td', { class: 'ln' }, String(l.n)), el('td', {}, l.text), el('td', { class: 'types' }, l.types ? l.types.join(', ') : ''));
    if (l.ns) tr.style.background = 'rgb(var(--hot) / ' + (0.06 + 0.34 * Math.sqrt(l.ns / hottest)).toFixed(3) + ')';
    body.append(tr);
  }
  const found = f.path === null ? 'file not found: lines as the ETRecord has them' : f.changed ? f.changed + ' lines are not as at export' : '';
  $('files').append(el('h3', {}, f.file + ' ', el('span', { class: 'dim' }, percent(f.ns / (D.source_total || 1)) + (found ? ' · ' + found : ''))),
    el('div', { class: 'scroll' }, el('table', { class: 'code' }, body)));
}
if (D.sources.length) $('files').append(el('p', { class: 'dim' }, time(D.no_line) + ' (' + percent(D.no_line / (D.source_total || 1)) + ') belong to no line: framework, unattributed time, ops without a link. All: ' + time(D.source_total) + '.' + (D.lines ? ' Here ' + D.lines + '.' : '')));
