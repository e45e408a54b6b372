#include "inspector/report/main_report_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/report/op_statistics.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

struct SortName {
  const char* text;
  SortKey key;
};
constexpr std::array<SortName, 10> kSortNames = {{{"cost", SortKey::Cost},
                                                  {"self", SortKey::Cost},
                                                  {"total", SortKey::Total},
                                                  {"order", SortKey::Order},
                                                  {"name", SortKey::Name},
                                                  {"count", SortKey::Count},
                                                  {"mean", SortKey::Mean},
                                                  {"p50", SortKey::P50},
                                                  {"p99", SortKey::P99},
                                                  {"max", SortKey::Max}}};

constexpr double kLast = -std::numeric_limits<double>::infinity();

struct SortItem {
  double key = 0;    // large first
  std::string name;  // only to sort by it
  size_t index = 0;
};

void sort_items(std::vector<SortItem>* items, SortKey sort) {
  if (sort == SortKey::Order) return;
  std::stable_sort(items->begin(), items->end(), [&](const SortItem& a, const SortItem& b) {
    return sort == SortKey::Name ? a.name < b.name : a.key > b.key;
  });
}

template <class Optional>
double or_last(const Optional& v) {
  return v ? static_cast<double>(*v) : kLast;
}

double sort_value(const OpEntry& op, SortKey sort) {
  if (sort == SortKey::Count) return static_cast<double>(op.count);
  if (!op.on_trace_clock()) return kLast;
  switch (sort) {
    case SortKey::Total:
      return static_cast<double>(op.sum);
    case SortKey::Mean:
      return or_last(op.mean);
    case SortKey::P50:
      return or_last(op.p50);
    case SortKey::P99:
      return or_last(op.p99);
    case SortKey::Max:
      return or_last(op.max);
    default:
      return op.cost;
  }
}

double sort_value(const CostLine& line, SortKey sort) {
  switch (sort) {
    case SortKey::Count:
      return static_cast<double>(line.count);
    case SortKey::Total:
      return static_cast<double>(line.total);
    case SortKey::Mean:
      return or_last(line.mean);
    case SortKey::P50:
      return or_last(line.p50);
    case SortKey::P99:
      return or_last(line.p99);
    case SortKey::Max:
      return or_last(line.max);
    default:
      return line.cost;
  }
}

// "XnnpackBackend" -> "Xnnpack": the heading says what it is.
std::string short_backend(const OpEntry& op) {
  std::string name = op.backend.value_or("");
  if (const std::string_view ending = "Backend"; name.size() > ending.size() && name.ends_with(ending)) {
    name.resize(name.size() - ending.size());
  }
  return name;
}

// The root has no path; its class names it: torch.nn.modules.linear.Linear -> Linear.
std::string short_class(const std::string& type) {
  const size_t dot = type.rfind('.');
  return dot == std::string::npos ? type : type.substr(dot + 1);
}

// The event's name, where it says more than the op's: a delegate's.
std::string event_in_short(const OpTable& table, const OpEntry& op) {
  return !op.is_delegated || op_title(table, op) == op.name.str() ? "" : op.name.str();
}

std::string place_in_short(const OpTable& table, const OpEntry& op, const PlaceNames& places, Marks* marks) {
  const OpNode* node = table.main_node(op);
  if (node == nullptr || node->node->file.empty()) {
    if (node == nullptr && !table.whole_call_text(op).empty())
      return "(" + plural(table.counted_nodes(op), "node") + ")";
    if (op.role.value_or("").empty()) return "";
    marks->layout = marks->layout || op.role == "layout";
    return "(" + *op.role + ")";
  }
  // Nodes that the op's time is charged to count; the others are only possible.
  const std::string main_place = source_place(*node->node);
  std::set<std::string> all = {main_place};
  double confidence = 0;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    const OpNode& n = table.nodes[i];
    if (n.node->file.empty() || (!(n.weight > 0) && &n != node)) continue;
    const std::string place = source_place(*n.node);
    if (place == main_place) confidence = std::max(confidence, n.confidence);
    all.insert(place);
  }
  std::string text = places.place(*node->node);
  if (all.size() > 1) text += " +" + std::to_string(all.size() - 1);
  if (confidence < 1 - 1e-9) {
    text += " ?";
    marks->inferred = true;
  }
  return text;
}

std::string module_in_short(const OpTable& table, const OpEntry& op) {
  const OpNode* node = table.main_node(op);
  if (node == nullptr || !node->node->has_module) return "";
  return node->node->module_path.empty() ? short_class(node->node->module_type) : node->node->module_path;
}

std::string label_of(const OpTable& table, const CostLine& line, bool narrow, Marks* marks) {
  const OpEntry& op = table.ops[line.op];
  if (line.cost < 0) marks->negative = true;
  if (line.unattributed) {
    if (line.ops > 1 && op.kind == "operator_call") return "calling kernels ×" + std::to_string(line.ops);
    std::string label = line.ops > 1 ? "(unattributed) in " + op.name.str() : own_time_title(table, op);
    if (constexpr std::string_view kLong = "(unattributed) in "; narrow && label.starts_with(kLong)) {
      label = "(rest) " + label.substr(kLong.size());
      marks->rest = true;
    }
    return label + (line.ops > 1 ? " ×" + std::to_string(line.ops) : "");
  }
  std::string label = row_title(table, op);
  if (op.resolution_limited) {
    label += " ~";
    marks->whole_microseconds = true;
  }
  return label;
}

// Returns the number of columns in front of the op's name.
size_t add_block_columns(bool repeated, bool warm, bool linked, bool events, bool backends, const TimeUnit& unit,
                         Table* out) {
  out->columns = {{.title = "#", .kind = CellKind::Integer, .drop = 3},
                  {.title = "self", .kind = CellKind::Duration, .unit = unit},
                  {.title = "share", .kind = CellKind::ShareBar}};
  if (repeated) {
    out->columns.push_back({.title = "count", .kind = CellKind::Integer, .drop = 4});
    const auto statistic = [&](const char* name, int drop) {
      out->columns.push_back(
          {.title = warm ? std::string("warm ") + name : name, .kind = CellKind::Duration, .unit = unit, .drop = drop});
    };
    statistic("mean", 5), statistic("p50", 6), statistic("p99", 8);
  }
  const size_t statistics_end = out->columns.size();
  out->columns.push_back({.title = "op", .min_width = 24});
  if (events) out->columns.push_back({.title = "event", .drop = 7, .min_width = 18});
  if (backends) out->columns.push_back({.title = "delegate", .min_width = 12});
  if (linked) {
    out->columns.push_back({.title = "line", .min_width = 16});
    out->columns.push_back({.title = "module", .drop = 9, .min_width = 14});
  }
  return statistics_end;
}

/// Then statistics are of its warm runs, as the warm median is: the cold one moves a mean.
bool has_warm_runs(const OpBlock& block) { return block.kind == "execute" && block.warm_mean.has_value(); }

}  // namespace

Status parse_sort_key(std::string_view text, SortKey fallback, SortKey* out) {
  *out = fallback;
  if (text.empty()) return {};
  for (const SortName& name : kSortNames) {
    if (text == name.text) {
      *out = name.key;
      return {};
    }
  }
  return {Error::InvalidArgument,
          "--sort '" + std::string(text) + "': expected cost, self, total, order, name, count, mean, p50, p99 or max"};
}

PlaceNames::PlaceNames(const OpTable& table) {
  std::set<std::string> files;
  for (const NodeFacts& node : table.facts) {
    if (!node.file.empty()) files.insert(node.file);
  }
  std::map<std::string, std::vector<std::string>> by_ending;
  const auto ending = [](const std::string& path, int parts) {
    size_t at = path.size();
    for (int i = 0; i < parts && at != 0 && at != std::string::npos; ++i) at = path.find_last_of("/\\", at - 1);
    return at == std::string::npos || at == 0 ? path : path.substr(at + 1);
  };
  std::vector<std::string> left(files.begin(), files.end());
  for (int parts = 1; !left.empty(); ++parts) {
    by_ending.clear();
    for (const std::string& file : left) by_ending[ending(file, parts)].push_back(file);
    left.clear();
    for (const auto& [name, same] : by_ending) {
      if (same.size() == 1 || parts >= 64) {
        for (const std::string& file : same) short_[file] = parts >= 64 ? file : name;
      } else {
        left.insert(left.end(), same.begin(), same.end());
      }
    }
  }
}

std::string PlaceNames::place(const NodeFacts& node) const {
  const auto found = short_.find(node.file);
  std::string text = found == short_.end() ? node.file : found->second;
  if (!text.empty() && node.line) text += ":" + std::to_string(*node.line);
  return text;
}

CostLines cost_lines(const OpTable& table, const OpBlock& block, const Filter& filter, SortKey sort) {
  CostLines out;
  std::vector<CostLine> lines;
  std::vector<uint32_t> hidden;
  // The overhead around each of many equal calls is one row; delegate calls differ and stay apart.
  std::map<std::pair<std::string, std::string>, size_t> merged;
  for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
    const OpEntry& op = table.ops[i];
    if (!op.on_trace_clock() || op.count == 0) continue;
    if (!filter.matches(table, op)) {
      out.hidden += op.cost;
      hidden.push_back(static_cast<uint32_t>(i));
      continue;
    }
    CostLine line;
    line.op = i;
    line.unattributed = op.encloses;
    line.cost = op.cost;
    line.count = op.count;
    line.total = op.sum;
    if (!op.encloses) {
      const bool warm = has_warm_runs(block);
      line.mean = warm ? op.warm_mean : op.mean;
      line.p50 = warm ? op.warm_p50 : op.p50;
      line.p99 = warm ? op.warm_p99 : op.p99;
      if (op.max) line.max = static_cast<double>(*op.max);
    } else if (op.kind != "delegate_call") {
      const auto [at, is_new] = merged.try_emplace({op.name, op.kind}, lines.size());
      if (!is_new) {
        CostLine& sum = lines[at->second];
        sum.cost += line.cost;
        sum.count += line.count;
        sum.total += line.total;
        ++sum.ops;
        continue;
      }
    }
    lines.push_back(line);
  }
  out.hidden_ops = count_ops(table, hidden);
  out.hides = !hidden.empty();
  out.variation = block.variation;
  if (table.basis.kind == BasisKind::Total) {
    int64_t explained = 0;  // exact: integers
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table.ops[i];
      if (op.on_trace_clock() && op.count > 0) explained += op.self;
    }
    out.unexplained = static_cast<double>(block.total - explained);
  }
  std::vector<SortItem> items;
  for (size_t i = 0; i < lines.size(); ++i) {
    const CostLine& line = lines[i];
    items.push_back({sort_value(line, sort), sort == SortKey::Name ? op_title(table, table.ops[line.op]) : "", i});
  }
  sort_items(&items, sort);
  for (const SortItem& item : items) out.lines.push_back(lines[item.index]);
  return out;
}

Table block_table(const OpTable& table, const OpBlock& block, const CostLines& lines, const PlaceNames& places,
                  const TimeUnit& unit, int64_t top, bool narrow, Marks* marks) {
  const size_t shown = top < 0 ? lines.lines.size() : std::min(lines.lines.size(), static_cast<size_t>(top));
  bool backends = false, linked = false, events = false, repeated = false;
  for (size_t i = 0; i < shown; ++i) {
    const OpEntry& op = table.ops[lines.lines[i].op];
    backends = backends || op.backend.has_value();
    linked = linked || op.nodes > 0;
    events = events || !event_in_short(table, op).empty();
    repeated = repeated || lines.lines[i].count > 1;
  }
  Table out;
  const size_t statistics_end = add_block_columns(repeated, has_warm_runs(block), linked, events, backends, unit, &out);
  const double total = block.cost;
  const auto share_of = [&](double cost) { return total > 0 ? cost / total : 0.0; };
  const auto text_row = [&](Cell self, Cell share, std::string text, RowStyle style) {
    std::vector<Cell> cells = {Cell(), std::move(self), std::move(share)};
    cells.resize(statistics_end);
    cells.emplace_back(std::move(text));
    out.add(std::move(cells), style);
  };
  double rest = 0;
  for (size_t i = 0; i < lines.lines.size(); ++i) {
    const CostLine& line = lines.lines[i];
    if (i >= shown) {
      rest += line.cost;
      continue;
    }
    const OpEntry& op = table.ops[line.op];
    const double share = share_of(line.cost);
    std::vector<Cell> cells = {op.ordinal, line.cost, share};
    if (repeated) {
      cells.emplace_back(line.count);
      cells.push_back(cell(line.mean));
      cells.push_back(cell(line.p50));
      cells.push_back(cell(line.p99));
    }
    cells.emplace_back(label_of(table, line, narrow, marks));
    if (events) cells.emplace_back(line.unattributed ? "" : event_in_short(table, op));
    if (backends) cells.emplace_back(short_backend(op));
    if (linked) {
      cells.emplace_back(line.unattributed ? "" : place_in_short(table, op, places, marks));
      cells.emplace_back(line.unattributed ? "" : module_in_short(table, op));
    }
    if (block.kind == "execute" && line.count < block.runs) {
      if (marks->partial++ == 0)
        marks->partial_example = op.name + " in " + format_count(line.count) + " of " + format_count(block.runs);
    }
    out.add(std::move(cells), line.unattributed ? RowStyle::Dim : RowStyle::Normal, share);
  }
  if (shown < lines.lines.size()) {
    text_row(rest, share_of(rest), "(" + format_count(static_cast<int64_t>(lines.lines.size() - shown)) + " more rows)",
             RowStyle::Dim);
  }
  if (lines.hides) {
    text_row(lines.hidden, share_of(lines.hidden),
             "(filtered out)" + (lines.hidden_ops > 0 ? " " + plural(lines.hidden_ops, "op") : std::string()),
             RowStyle::Dim);
  }
  if (std::fabs(lines.variation) >= 0.5) {
    text_row(lines.variation, share_of(lines.variation), "(variation)", RowStyle::Dim);
    marks->variation = true;
  }
  if (lines.unexplained != 0)
    text_row(lines.unexplained, share_of(lines.unexplained), "(explained by no op)", RowStyle::Dim);
  text_row(total, total > 0 ? 1.0 : 0.0, "total", RowStyle::Total);
  return out;
}

Table foreign_table(const OpTable& table, const Filter& filter, const PlaceNames& places) {
  Table out;
  out.columns = {{.title = "clock"},
                 {.title = "unit"},
                 {.title = "total", .kind = CellKind::Integer},
                 {.title = "count", .kind = CellKind::Integer, .drop = 2},
                 {.title = "mean", .kind = CellKind::Real, .decimals = 1},
                 {.title = "max", .kind = CellKind::Integer, .drop = 1},
                 {.title = "op", .min_width = 24},
                 {.title = "delegate", .min_width = 12},
                 {.title = "line", .min_width = 16}};
  Marks unused;
  for (const OpEntry& op : table.ops) {
    if (op.on_trace_clock() || op.count == 0 || !filter.matches(table, op)) continue;
    out.add({cell(op.clock), op.unit, op.sum, op.count, cell(op.mean), cell(op.max), op_title(table, op),
             short_backend(op), place_in_short(table, op, places, &unused)});
  }
  return out;
}

Table full_table(const OpTable& table, const std::vector<size_t>& ops, const TimeUnit& unit) {
  Table out;
  const auto text = [&](const char* name) { out.columns.push_back({.title = name}); };
  const auto number = [&](const char* name) { out.columns.push_back({.title = name, .kind = CellKind::Integer}); };
  number("block_index"), text("block"), text("method"), number("order"), text("name"), text("kind");
  number("instruction_id"), text("delegate_debug_id"), number("is_delegated"), text("backend"), text("op_types");
  text("debug_handles");
  for (Column& column : statistic_columns(unit)) out.columns.push_back(std::move(column));
  text("clock"), text("unit"), text("role"), number("resolution_limited");
  text("file"), number("line"), text("function"), text("module_path"), text("module_type"), text("nodes"), text("via");
  out.columns.push_back({.title = "confidence", .kind = CellKind::Real});
  text("frame"), text("title");
  for (const size_t index : ops) {
    const OpEntry& op = table.ops[index];
    const OpBlock& block = table.block_of(op);
    // Another clock's ticks are not in the unit of the table: they pass through it unchanged.
    const double factor = op.unit == table.unit ? 1 : unit.divisor;
    std::vector<std::string> names, handles;
    for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) names.push_back(table.nodes[i].node->name);
    for (const int64_t h : op.debug_handles) handles.push_back(std::to_string(h));
    std::vector<Cell> cells = {block.ordinal,
                               block.name,
                               cell(block.method),
                               op.ordinal,
                               op.name,
                               op.kind,
                               cell(op.instruction_id),
                               cell(op.delegate_debug_id),
                               static_cast<int64_t>(op.is_delegated),
                               cell(op.backend),
                               joined(op.op_types, ";"),
                               joined(handles, ";")};
    for (Cell& cell : statistic_cells<OpStatistics>(op, factor)) cells.push_back(std::move(cell));
    cells.insert(cells.end(), {cell(op.clock), op.unit == table.unit ? unit.name : op.unit, cell(op.role),
                               static_cast<int64_t>(op.resolution_limited)});
    if (const OpNode* link = table.main_node(op)) {
      const NodeFacts& n = *link->node;
      cells.insert(cells.end(), {n.file, cell(n.line), n.function, n.has_module ? Cell(n.module_path) : Cell(),
                                 n.module_type, joined(names, ";"), link->via, link->confidence, n.frame});
    } else if (!names.empty()) {
      cells.insert(cells.end(), {Cell(), Cell(), Cell(), Cell(), Cell(), joined(names, ";")});
    }
    cells.resize(out.columns.size() - 1);
    cells.emplace_back(op_title(table, op));
    out.add(std::move(cells));
  }
  return out;
}

std::vector<size_t> selected_ops(const OpTable& table, const Filter& filter, SortKey sort, int64_t top) {
  std::vector<SortItem> items;
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    if (filter.matches(table, op)) items.push_back({sort_value(op, sort), op.name.str(), i});
  }
  sort_items(&items, sort);
  if (top >= 0 && items.size() > static_cast<size_t>(top)) items.resize(static_cast<size_t>(top));
  std::vector<size_t> out;
  for (const SortItem& item : items) out.push_back(item.index);
  return out;
}

}  // namespace et::inspector
