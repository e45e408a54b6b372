// The costliest operators, lines and modules of the overview, or those that a search finds.
#include "gui/models/overview_costliest.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "gui/core/text.h"
#include "gui/models/repeated_modules.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::OpEntry;

constexpr size_t kCostliest = 5, kFoundRows = 15;
constexpr const char* kRootModule = "the model itself";

double part_of(double time, double total) { return total > 0 ? time / total : 0; }

/// All words of the search, in either.
bool found(const std::string& search, const std::string& title, const std::string& detail) {
  return search.empty() || has_all_words(title + " " + detail, search);
}

std::string place_of(const TraceData& data, const OpEntry& op) {
  // What encloses ops may be charged to several nodes, but calling a kernel has the kernel's.
  const inspector::OpNode* const node = op.encloses && !op.is_wrapper() ? nullptr : data.shown.main_node(op);
  if (node != nullptr && !node->node->file.empty()) return short_place(node->node->file, node->node->line.value_or(0));
  return op.instruction_id ? "instruction " + std::to_string(*op.instruction_id) : "";
}

size_t most_rows(const std::string& search) { return search.empty() ? kCostliest : kFoundRows; }

/// Where most of a type's time is.
struct TypePlace {
  std::string text;   // a line, or an instruction
  double time = 0;    // there
  int64_t op = 0;     // the costliest there, 0 where nothing is looked for
  int64_t lines = 0;  // all that the type is in
  double found = 0;   // time of what is looked for, everywhere
  int64_t ops = 0;    // of that
};

/// An op by all that it is called, and by modules and nodes that it is of. `title`: of its type.
bool is_found(const TraceData& data, const OpEntry& op, const std::string& title, const std::string& place,
              const std::string& search) {
  if (search.empty()) return true;
  const std::string own = title + " " + place + " " + op.name;
  if (has_all_words(own, search)) return true;
  const std::vector<const inspector::OpNode*> nodes = data.shown.own_nodes(op);
  return std::any_of(nodes.begin(), nodes.end(), [&](const inspector::OpNode* n) {
    return has_all_words(own + " " + n->node->module_path + " " + n->node->name, search);
  });
}

/// Of the ops that are looked for.
TypePlace costliest_place(const TraceData& data, const inspector::GroupRow& row, const std::string& title,
                          const std::string& search) {
  struct At {
    double time = 0, most = -1;
    int64_t op = 0;
  };
  std::map<std::string, At> places;
  TypePlace out;
  std::set<std::string> lines;
  std::vector<uint32_t> ops;
  for (const inspector::GroupPart& part : row.parts) {
    const OpEntry& op = data.shown.ops[part.op];
    const double time = part.weight * op.cost;
    const std::string place = place_of(data, op);
    if (!is_found(data, op, title, place, search)) continue;
    if (place.find(':') != std::string::npos) lines.insert(place);  // no line, but an instruction's number
    out.found += time;
    ops.push_back(part.op);
    At& at = places[place];
    at.time += time;
    if (time > at.most) at.most = time, at.op = op.id;
  }
  // A line says more than an instruction.
  const auto rank = [&](const std::string& text, double time) { return std::pair(lines.contains(text), time); };
  for (const auto& [text, at] : places) {
    if (out.op != 0 && rank(text, at.time) <= rank(out.text, out.time)) continue;
    out.text = text;
    out.time = at.time;
    out.op = at.op;
  }
  out.lines = std::ssize(lines);
  out.ops = inspector::count_ops(data.shown, ops);
  return out;
}

}  // namespace

void add_costliest_types(const TraceData& data, const inspector::GroupTable& types, Overview* out) {
  for (const inspector::GroupRow& row : types.rows) {
    if (row.none && row.self != 0) out->untyped.emplace_back(row.name(), row.self);
    if (row.none || !(row.self > 0) || (out->search.empty() && out->ops.size() == kCostliest)) continue;
    OverviewCost cost;
    cost.alike = row.ops;
    cost.title = inspector::operator_title(row.key) + (row.ops > 1 ? " ×" + inspector::format_count(row.ops) : "");
    const TypePlace place = costliest_place(data, row, cost.title, out->search);
    if (place.op == 0) continue;
    const bool all = out->search.empty() || place.found >= row.self * (1 - 1e-9);
    if (!all)
      cost.title =
          inspector::operator_title(row.key) + (place.ops > 1 ? " ×" + inspector::format_count(place.ops) : "");
    cost.op = place.op;
    cost.detail = place.text;
    if (place.lines > 1 && !place.text.empty()) {
      cost.short_detail = place.text + " +" + inspector::format_count(place.lines - 1);
      cost.detail += " (" + inspector::format_duration_with_unit(place.time, data.unit()) + ") and " +
                     inspector::plural(place.lines - 1, "other line");
    }
    cost.type = row.key;
    cost.time = all ? row.self : place.found;
    cost.share = part_of(cost.time, out->shares_total);
    out->ops.push_back(std::move(cost));
  }
  std::stable_sort(out->ops.begin(), out->ops.end(),
                   [](const OverviewCost& a, const OverviewCost& b) { return a.time > b.time; });
  if (out->ops.size() > most_rows(out->search)) out->ops.resize(most_rows(out->search));
}

namespace {

/// Time of lines in the modules that are looked for.
std::map<std::pair<std::string, int64_t>, double> lines_of_modules(const TraceData& data, const std::string& search) {
  std::map<std::pair<std::string, int64_t>, double> out;
  if (search.empty()) return out;
  for (const inspector::GroupRow& row :
       inspector::group_costs(data.shown, inspector::GroupBy::Line, inspector::Filter()).rows) {
    if (row.none) continue;
    for (const inspector::GroupPart& part : row.parts) {
      const OpEntry& op = data.shown.ops[part.op];
      const inspector::OpNode* const node = data.shown.main_node(op);
      if (node == nullptr || node->node->file.empty()) continue;
      const std::string title = inspector::operator_title(node->node->op);
      if (is_found(data, op, title, "", search))
        out[{node->node->file, node->node->line.value_or(0)}] += part.weight * op.cost;
    }
  }
  return out;
}

}  // namespace

std::vector<OverviewCost> costliest_lines(const TraceData& data, double total, const std::string& search) {
  std::vector<OverviewCost> out;
  const auto by_module = lines_of_modules(data, search);
  for (const inspector::SourceFileCost& file : data.sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      if (!(line.ns > 0)) continue;
      std::string words = line.code + " " + line.function;
      for (const std::string& type : line.op_types) words += " " + type;
      const bool all = found(search, short_place(file.file, line.line), words);
      const auto of_modules = by_module.find({file.file, line.line});
      if (!all && of_modules == by_module.end()) continue;
      const double time = all ? line.ns : of_modules->second;
      const auto at = std::upper_bound(out.begin(), out.end(), time,
                                       [](double ns, const OverviewCost& cost) { return ns > cost.time; });
      if (at == out.end() && out.size() >= most_rows(search)) continue;
      OverviewCost cost;
      cost.title = short_place(file.file, line.line);
      const size_t begin = std::min(line.code.find_first_not_of(" \t"), line.code.size());
      cost.detail = line.code.substr(begin, line.code.find('\n', begin) - begin);
      cost.time = time;
      cost.share = part_of(time, total);
      cost.file = file.file;
      cost.line = line.line;
      out.insert(at, std::move(cost));
      if (out.size() > most_rows(search)) out.pop_back();
    }
  }
  return out;
}

namespace {

/// "EfficientNetBlock ×13, own 3.1%, most: encoder.blocks.1 9.6%".
std::string module_detail(const ModuleTotal& row, double total) {
  std::vector<std::string> parts;
  const std::string times = row.modules > 1 ? "×" + inspector::format_count(static_cast<int64_t>(row.modules)) : "";
  if (!row.type.empty() || !times.empty())
    parts.push_back(row.type + (row.type.empty() || times.empty() ? "" : " ") + times);
  if (row.own > 0 && row.own < row.time) parts.push_back("own " + inspector::format_share(part_of(row.own, total)));
  if (row.stands_out)
    parts.push_back("most: " + row.costliest + " " + inspector::format_share(part_of(row.most, total)));
  return inspector::joined(parts, ", ");
}

/// The same where a path has no room: its numbers tell its like apart, "×9, own 20.3%, most: 2…0 8.9%".
std::string short_module_detail(const ModuleTotal& row, double total) {
  if (!row.stands_out) return {};
  std::string numbers;
  for (const std::string& part : split_at(row.costliest, '.')) {
    if (is_module_number(part)) numbers += (numbers.empty() ? "#" : ".") + part;
  }
  if (numbers.empty()) return {};
  std::string out = "×" + inspector::format_count(static_cast<int64_t>(row.modules));
  if (row.own > 0 && row.own < row.time) out += ", own " + inspector::format_share(part_of(row.own, total));
  return out + ", most: " + numbers + " " + inspector::format_share(part_of(row.most, total));
}

/// Each module of its own, whatever it is in or like: the third layer is looked for as "layer.2".
/// Of those that are only found by what runs in them that counts alone (`by_op`).
std::vector<ModuleTotal> found_modules(const std::vector<ModuleCost>& modules,
                                       const std::map<std::string, double>& by_op, const std::string& search) {
  std::map<std::string, ModuleTotal> by_path;
  for (const ModuleCost& m : modules) {
    for (size_t end = m.path.size();; end = m.path.rfind('.', end - 1)) {
      if (end == std::string::npos) end = 0;
      ModuleTotal& row = by_path[m.path.substr(0, end)];
      row.time += m.time;
      if (end == m.path.size()) row.own += m.time, row.type = m.type;
      if (end == 0) break;
    }
  }
  std::vector<ModuleTotal> out;
  for (auto& [path, row] : by_path) {
    if (!found(search, path.empty() ? kRootModule : path, row.type)) {
      const auto ops = by_op.find(path);
      if (ops == by_op.end()) continue;
      row.time = row.own = ops->second;
    }
    row.title = row.name = row.costliest = path;
    row.modules = 1;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const ModuleTotal& a, const ModuleTotal& b) { return a.time > b.time; });
  return out;
}

}  // namespace

std::vector<OverviewCost> costliest_modules(const TraceData& data, double total, const std::string& search) {
  std::vector<ModuleCost> modules;
  std::map<std::string, double> by_op;  // of modules, what their ops that are looked for take
  for (const inspector::GroupRow& row :
       inspector::group_costs(data.shown, inspector::GroupBy::Module, inspector::Filter()).rows) {
    if (row.none || !(row.self > 0)) continue;
    modules.push_back({row.key, row.detail.substr(row.detail.find_last_of('.') + 1), row.self});
    for (const inspector::GroupPart& part : row.parts) {
      if (search.empty()) break;
      const OpEntry& op = data.shown.ops[part.op];
      const inspector::OpNode* const node = data.shown.main_node(op);
      const std::string title =
          node == nullptr ? op.name.str() : inspector::operator_title(node->node->op) + " " + op.name.str();
      if (has_all_words(title + " " + row.key, search)) by_op[row.key] += part.weight * op.cost;
    }
  }
  std::vector<OverviewCost> out;
  std::vector<ModuleTotal> rows;
  if (search.empty()) {
    rows = module_totals(modules, kCostliest);
  } else {
    rows = found_modules(modules, by_op, search);
  }
  for (const ModuleTotal& row : rows) {
    if (out.size() == most_rows(search)) break;
    OverviewCost cost;
    cost.title = row.title.empty() ? kRootModule : row.title;
    if (search.empty()) {
      cost.depth = row.depth;
      cost.name = row.name;
      cost.rank = row.rank;
    }
    cost.alike = static_cast<int64_t>(row.modules);
    cost.detail = module_detail(row, total);
    cost.short_detail = short_module_detail(row, total);
    cost.time = row.time;
    cost.share = part_of(row.time, total);
    cost.module = row.costliest;
    cost.modules = row.members.empty() ? std::vector<std::string>{row.costliest} : row.members;
    const auto costliest = std::find(cost.modules.begin(), cost.modules.end(), cost.module);
    if (costliest != cost.modules.end()) std::iter_swap(cost.modules.begin(), costliest);
    out.push_back(std::move(cost));
  }
  return out;
}

std::string short_place(const std::string& file, int64_t line) {
  if (file.empty()) return {};
  return line > 0 ? base_name(file) + ":" + std::to_string(line) : base_name(file);
}

}  // namespace et::gui
