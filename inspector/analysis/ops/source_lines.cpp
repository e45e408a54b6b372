#include "inspector/analysis/ops/source_lines.h"

#include <algorithm>
#include <map>

namespace et::inspector {
namespace {

using Lines = std::map<std::string, std::map<int64_t, SourceLine>>;

SourceLine& line_at(Lines& lines, const std::string& file, int64_t line) {
  SourceLine& l = lines[file][line];
  l.line = line;
  return l;
}

// Without links no time leads to a line: the views would look at every op several times to find that out.
bool has_links(const Store& store, int64_t trace_id) {
  Statement st = store.query(
      "SELECT 1 FROM raw_link WHERE op BETWEEN (SELECT min(id) FROM raw_op WHERE trace = ?1) AND "
      "(SELECT max(id) FROM raw_op WHERE trace = ?1) LIMIT 1");
  st.bind_all(trace_id);
  return st.step();
}

Status add_total(const Store& store, int64_t trace_id, SourceCost* cost) {
  Statement st = store.query(
      "SELECT total(o.self) FROM raw_op o JOIN raw_block b ON b.id = o.block "
      "WHERE o.trace = ?1 AND b.kind = 'execute' AND o.clock IS NULL");
  st.bind_all(trace_id);
  if (st.step()) cost->total_ns = cost->no_line_ns = st.real(0);
  return st.finish("ops");
}

Status add_lines(const Store& store, int64_t trace_id, Lines& lines, SourceCost* cost) {
  Statement own = store.query(
      "SELECT file, coalesce(line, 0), coalesce(function, ''), coalesce(code, ''), ops, ns FROM lines WHERE trace_id = "
      "?1");
  own.bind_all(trace_id);
  while (own.step()) {
    cost->total_ns += own.real(5);
    if (own.is_null(0)) {
      cost->no_line_ns += own.real(5);
      continue;
    }
    SourceLine& l = line_at(lines, own.str(0), own.integer(1));
    l.function = own.str(2);
    l.code = own.str(3);
    l.ops = own.integer(4);
    l.ns = own.real(5);
  }
  if (Status s = own.finish("lines"); !s.ok()) return s;

  // A line that is on a node's stack more than once (recursion) counts once.
  Statement calls = store.query(
      "WITH cost AS MATERIALIZED (SELECT c.node_id AS node_id, sum(c.ns) AS ns FROM costs c JOIN blocks b ON "
      "b.block_id = c.block_id "
      "WHERE c.trace_id = ?1 AND b.kind = 'execute' AND c.node_id IS NOT NULL GROUP BY c.node_id), "
      "frame AS (SELECT DISTINCT f.node_id, f.file, f.line, f.function, f.code FROM cost JOIN frames f ON f.node_id = "
      "cost.node_id) "
      "SELECT frame.file, frame.line, max(frame.function), max(frame.code), sum(cost.ns) FROM frame JOIN cost ON "
      "cost.node_id = frame.node_id "
      "GROUP BY frame.file, frame.line");
  calls.bind_all(trace_id);
  while (calls.step()) {
    // Installed packages that a model only passes through are not what a user wants to read.
    const auto file = lines.find(calls.str(0));
    if (file == lines.end()) continue;
    SourceLine& l = line_at(lines, calls.str(0), calls.integer(1));
    l.inclusive_ns = calls.real(4);
    if (l.function.empty()) l.function = calls.str(2);
    if (l.code.empty()) l.code = calls.str(3);
  }
  if (Status s = calls.finish("frames"); !s.ok()) return s;

  Statement types = store.query(
      "SELECT n.file, coalesce(n.line, 0), n.op, sum(c.ns) AS ns FROM costs c JOIN blocks b ON b.block_id = c.block_id "
      "JOIN nodes n ON n.node_id = c.node_id WHERE c.trace_id = ?1 AND b.kind = 'execute' AND n.file IS NOT NULL "
      "GROUP BY n.file, n.line, n.op ORDER BY ns DESC, n.op");
  types.bind_all(trace_id);
  while (types.step()) line_at(lines, types.str(0), types.integer(1)).op_types.push_back(types.str(2));
  if (Status s = types.finish("nodes"); !s.ok()) return s;
  return {};
}

Status add_nodes(const Store& store, int64_t trace_id, Lines& lines) {
  Statement nodes = store.query(
      "SELECT file, coalesce(line, 0), coalesce(max(function), ''), coalesce(max(code), ''), op, count(*) FROM nodes "
      "WHERE trace_id = ?1 AND graph = 'edge' AND file IS NOT NULL GROUP BY file, line, op ORDER BY min(ordinal)");
  nodes.bind_all(trace_id);
  while (nodes.step()) {
    SourceLine& l = line_at(lines, nodes.str(0), nodes.integer(1));
    l.function = nodes.str(2);
    l.code = nodes.str(3);
    l.op_types.push_back(nodes.str(4));
    l.nodes += nodes.integer(5);
  }
  return nodes.finish("nodes");
}

}  // namespace

Status load_source_cost(const Store& store, int64_t trace_id, SourceCost* out) {
  SourceCost cost;
  Statement trace = store.query("SELECT unit FROM traces WHERE trace_id = ?1");
  trace.bind_all(trace_id);
  if (!trace.step()) return {Error::NotFound, "no trace #" + std::to_string(trace_id) + " in the store"};
  cost.unit = trace.str(0);

  Lines lines;
  Status status =
      has_links(store, trace_id) ? add_lines(store, trace_id, lines, &cost) : add_total(store, trace_id, &cost);
  if (!status.ok()) return status;

  Statement executed = store.query("SELECT 1 FROM blocks WHERE trace_id = ?1 AND kind = 'execute'");
  executed.bind_all(trace_id);
  cost.timed = executed.step();
  if (!cost.timed) {
    if (Status s = add_nodes(store, trace_id, lines); !s.ok()) return s;
  }

  cost.shown = shown_lines(store, trace_id);
  const auto owners = owners_of_files(store, trace_id);
  for (auto& [file, by_line] : lines) {
    SourceFileCost f;
    f.file = file;
    if (const auto owner = owners.find(file); owner != owners.end()) f.owner = owner->second;
    for (auto& [number, l] : by_line) {
      f.ns += l.ns;
      l.inclusive_ns = std::max(l.inclusive_ns, l.ns);
      f.lines.push_back(std::move(l));
    }
    cost.files.push_back(std::move(f));
  }
  std::stable_sort(cost.files.begin(), cost.files.end(),
                   [](const SourceFileCost& a, const SourceFileCost& b) { return a.ns > b.ns; });
  *out = std::move(cost);
  return {};
}

Status for_each_line_charge(const Store& store, int64_t trace_id, const std::function<void(const LineCharge&)>& take) {
  Statement st = store.query(
      "SELECT c.op_id, coalesce(n.file, ''), coalesce(n.line, 0), sum(c.ns), coalesce(max(c.confidence), 0) FROM ("
      "SELECT k.op_id AS op_id, k.node_id AS node_id, k.ns AS ns, l.confidence AS confidence FROM costs k "
      "JOIN raw_block b ON b.id = k.block_id AND b.kind = 'execute' "
      "LEFT JOIN raw_link l ON l.op = k.op_id AND l.node = k.node_id WHERE k.trace_id = ?1 "
      "UNION ALL SELECT o.id, l.node, 0.0, l.confidence FROM raw_op o "
      "JOIN raw_block b ON b.id = o.block AND b.kind = 'execute' JOIN raw_link l ON l.op = o.id AND l.weight <= 0 "
      "WHERE o.trace = ?1 AND o.clock IS NULL) c "
      "LEFT JOIN nodes n ON n.node_id = c.node_id GROUP BY c.op_id, n.file, n.line ORDER BY c.op_id");
  st.bind_all(trace_id);
  while (st.step()) {
    const LineCharge charge = {st.integer(0), st.text(1), st.integer(2), st.real(3), st.real(4)};
    if (!charge.file.empty() || charge.ns != 0) take(charge);
  }
  return st.finish("costs");
}

}  // namespace et::inspector
