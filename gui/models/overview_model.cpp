#include "gui/models/overview_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/core/words.h"
#include "gui/models/repeated_modules.h"
#include "gui/models/timeline_regimes.h"
#include "inspector/analysis/graph/node_counts.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::OpBlock;
using inspector::OpEntry;

constexpr size_t kCostliest = 5, kFoundRows = 15;
constexpr const char* kRootModule = "the model itself";
constexpr size_t kFirstUnlinked = 5;
constexpr size_t kFirstExecutionNotes = 6;
constexpr size_t kFewExecutionNotes = 3;
constexpr size_t kFirstWarnings = 3;

double share_of_total(double time, double total) { return total > 0 ? time / total : 0; }

std::vector<OverviewFact> file_facts(const TraceData& data) {
  const inspector::TraceFacts& facts = data.facts;
  std::vector<OverviewFact> out;
  if (facts.name) out.push_back({"Name", *facts.name, ""});
  const auto file = [&](const char* label, const std::optional<std::string>& path, const char* without) {
    out.push_back({label, path ? base_name(*path) : std::string(), path.value_or(without)});
  };
  file("Trace", facts.dump_path, "opened without an ETDump: no times");
  if (facts.dump_path) {
    std::string size = inspector::format_count(facts.events) + (facts.events == 1 ? " event" : " events");
    if (facts.dump_bytes) size += ", " + inspector::format_bytes(*facts.dump_bytes);
    out.back().value += "  ·  " + size;
  } else {
    out.back().value = "none";
  }
  file("ETRecord", facts.record_path, "opened without an ETRecord: no nodes, lines or modules");
  if (!facts.record_path) out.back().value = "none";
  if (!data.foreign.record.empty()) out.back().value += ", another model's";
  file("Program", facts.program_path, "opened without a program: operators inside delegates stay unlinked");
  if (!facts.program_path) out.back().value = "none";
  if (!data.foreign.program.empty()) out.back().value += ", not the one that ran";
  if (facts.debug_buffer_path) file("Tensors", facts.debug_buffer_path, "");
  return out;
}

std::vector<OverviewFact> machine_facts(const inspector::TraceFacts& facts) {
  std::vector<OverviewFact> out;
  const auto add = [&](const char* label, const std::optional<std::string>& value) {
    if (value && !value->empty()) out.push_back({label, *value, ""});
  };
  add("Runtime", facts.producer);
  add("Host", facts.host);
  add("Processor", facts.cpu);
  if (facts.threads) out.push_back({"Threads", inspector::format_count(*facts.threads), ""});
  add("System", facts.os);
  add("Build", facts.build);
  add("Clock", facts.clock);
  if (facts.event_overhead_ns) {
    out.push_back({"Cost per event", inspector::format_duration_with_unit(*facts.event_overhead_ns, "ns"),
                   "measured by the runtime that wrote the trace"});
  }
  if (facts.lost_events.value_or(0) > 0) {
    out.push_back({"Lost events", inspector::format_count(*facts.lost_events), "the runtime's event buffer was full"});
  }
  for (const auto& [key, value] : facts.labels) out.push_back({key, value, "label of the application"});
  return out;
}

std::vector<OverviewMethod> methods_of(const TraceData& data) {
  struct Sum {
    OverviewMethod row;
    double warm_sum = 0;
    int64_t warm_runs = 0, blocks = 0;
  };
  std::vector<Sum> sums;
  for (const OpBlock& block : data.shown.blocks) {
    if (block.kind != "execute") continue;
    const std::string name = block.method.value_or("");
    auto at = std::find_if(sums.begin(), sums.end(),
                           [&](const Sum& s) { return s.row.known == block.method.has_value() && s.row.name == name; });
    if (at == sums.end()) {
      sums.emplace_back();
      at = sums.end() - 1;
      at->row.name = name;
      at->row.known = block.method.has_value();
    }
    OverviewMethod& row = at->row;
    row.executions += block.runs;
    row.total += block.total;
    if (!block.complete) row.incomplete += block.runs;
    if (block.cold) row.cold = row.cold.value_or(0) + *block.cold;
    if (block.warm_mean) {
      const int64_t runs = block.runs - (block.cold ? 1 : 0);
      at->warm_sum += *block.warm_mean * static_cast<double>(runs);
      at->warm_runs += runs;
      row.warm_median = ++at->blocks == 1 ? block.warm_p50 : std::nullopt;
    }
  }
  std::vector<OverviewMethod> out;
  for (Sum& sum : sums) {
    if (sum.warm_runs > 0) sum.row.warm_mean = sum.warm_sum / static_cast<double>(sum.warm_runs);
    const double warm = sum.row.warm_median.value_or(sum.row.warm_mean.value_or(0));
    if (sum.row.cold && warm > 0) sum.row.cold_ratio = static_cast<double>(*sum.row.cold) / warm;
    out.push_back(std::move(sum.row));
  }
  return out;
}

OverviewPart::Kind kind_of(inspector::Part part) {
  switch (part) {
    case inspector::Part::Delegate:
      return OverviewPart::Kind::Delegate;
    case inspector::Part::Kernel:
      return OverviewPart::Kind::Kernel;
    case inspector::Part::Control:
      return OverviewPart::Kind::Control;
    case inspector::Part::Framework:
      break;
  }
  return OverviewPart::Kind::Framework;
}

/// `total`: what shares are of. `without_variation`: without the variation.
std::vector<OverviewPart> parts_of_all(const TraceData& data, double total, bool without_variation) {
  using Kind = OverviewPart::Kind;
  const bool sums = data.shown.basis.is_sum();
  std::map<std::pair<Kind, std::string>, OverviewPart> rows;
  for (const inspector::PartRow& part : data.parts) {
    const Kind kind = kind_of(part.part);
    OverviewPart& row = rows[{kind, part.backend}];
    row.kind = kind;
    row.backend = part.backend;
    row.name = inspector::part_name(part);
    // What it takes to call a kernel belongs to the kernel.
    const double unexplained = kind == Kind::Delegate ? part.overhead : 0;
    row.time += part.total - unexplained;
    row.calling += part.overhead - unexplained;
    row.ops += part.ops;
    row.calls += sums ? static_cast<double>(part.calls) : part.calls_each;
    if (unexplained == 0) continue;
    OverviewPart& rest = rows[{Kind::Unattributed, part.backend}];
    rest.backend = part.backend;
    rest.name = "unattributed in " + row.name;
    rest.time += unexplained;
    rest.calls += sums ? static_cast<double>(part.calls) : part.calls_each;
  }
  for (const OpBlock& block : data.shown.blocks) {
    if (block.kind != "execute" || block.variation == 0) continue;
    OverviewPart& rest = rows[{Kind::Variation, ""}];
    rest.kind = Kind::Variation;
    rest.name = "variation";
    rest.time += block.variation;
  }
  std::vector<OverviewPart> out;
  for (auto& [key, row] : rows) {
    row.share = share_of_total(row.time, total);
    row.left_out = without_variation && row.kind == Kind::Variation;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const OverviewPart& a, const OverviewPart& b) {
    const bool a_last = a.kind >= Kind::Unattributed, b_last = b.kind >= Kind::Unattributed;
    return a_last != b_last ? b_last : a.time > b.time;
  });
  return out;
}

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

/// Into the parts that their ops are of.
void add_slices(const TraceData& data, const inspector::GroupTable& types, Overview* out) {
  std::map<std::pair<OverviewPart*, const std::string*>, std::pair<OverviewSlice, double>> slices;
  for (const inspector::GroupRow& row : types.rows) {
    if (row.none) continue;
    for (const inspector::GroupPart& part : row.parts) {
      const OpEntry& op = data.shown.ops[part.op];
      const int32_t index = data.index_of(op);
      if (index < 0) continue;
      const inspector::OpPart& of = data.op_parts[static_cast<size_t>(index)];
      const OverviewPart::Kind kind = kind_of(of.part);
      if (of.overhead && kind == OverviewPart::Kind::Delegate) continue;
      if (kind != OverviewPart::Kind::Delegate && kind != OverviewPart::Kind::Kernel) continue;
      const auto at = std::find_if(out->parts.begin(), out->parts.end(), [&](const OverviewPart& p) {
        return p.kind == kind && p.backend == of.backend.str();
      });
      if (at == out->parts.end()) continue;
      auto& [slice, most] = slices[{&*at, &row.key}];
      const double time = part.weight * op.cost;
      slice.type = row.key;
      slice.time += time;
      if (slice.op == 0 || time > most) most = time, slice.op = op.id;
    }
  }
  for (auto& [key, slice] : slices) {
    if (!(slice.first.time > 0)) continue;
    slice.first.share = share_of_total(slice.first.time, out->shares_total);
    key.first->types.push_back(std::move(slice.first));
  }
  for (OverviewPart& part : out->parts) {
    std::stable_sort(part.types.begin(), part.types.end(), [](const OverviewSlice& a, const OverviewSlice& b) {
      return a.time != b.time ? a.time > b.time : a.type < b.type;
    });
  }
}

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
    cost.share = share_of_total(cost.time, out->shares_total);
    out->ops.push_back(std::move(cost));
  }
  std::stable_sort(out->ops.begin(), out->ops.end(),
                   [](const OverviewCost& a, const OverviewCost& b) { return a.time > b.time; });
  if (out->ops.size() > most_rows(out->search)) out->ops.resize(most_rows(out->search));
}

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
      cost.share = share_of_total(time, total);
      cost.file = file.file;
      cost.line = line.line;
      out.insert(at, std::move(cost));
      if (out.size() > most_rows(search)) out.pop_back();
    }
  }
  return out;
}

/// "×13, the most in encoder.blocks.1: 9.6%", "EfficientNetBlock, own 3.1%".
std::string module_detail(const ModuleTotal& row, double total) {
  std::vector<std::string> parts;
  const std::string times = row.modules > 1 ? "×" + inspector::format_count(static_cast<int64_t>(row.modules)) : "";
  if (!row.type.empty() || !times.empty())
    parts.push_back(row.type + (row.type.empty() || times.empty() ? "" : " ") + times);
  if (row.own > 0 && row.own < row.time)
    parts.push_back("own " + inspector::format_share(share_of_total(row.own, total)));
  if (row.stands_out)
    parts.push_back("most: " + row.costliest + " " + inspector::format_share(share_of_total(row.most, total)));
  return inspector::joined(parts, ", ");
}

/// Each module of its own, whatever it is in or like: the third layer is looked for as "layer.2".
std::vector<ModuleTotal> found_modules(const std::vector<ModuleCost>& modules, const std::string& search) {
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
    if (!found(search, path.empty() ? kRootModule : path, row.type)) continue;
    row.title = row.name = row.costliest = path;
    row.modules = 1;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const ModuleTotal& a, const ModuleTotal& b) { return a.time > b.time; });
  return out;
}

/// With what is in them.
std::vector<OverviewCost> costliest_modules(const TraceData& data, double total, const std::string& search) {
  std::vector<ModuleCost> modules;
  for (const inspector::GroupRow& row :
       inspector::group_costs(data.shown, inspector::GroupBy::Module, inspector::Filter()).rows) {
    if (row.none || !(row.self > 0)) continue;
    modules.push_back({row.key, row.detail.substr(row.detail.find_last_of('.') + 1), row.self});
  }
  std::vector<OverviewCost> out;
  std::vector<ModuleTotal> rows;
  if (search.empty()) {
    rows = module_totals(modules, kCostliest);
  } else {
    rows = found_modules(modules, search);
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
    cost.time = row.time;
    cost.share = share_of_total(row.time, total);
    cost.module = row.costliest;
    cost.modules = row.members.empty() ? std::vector<std::string>{row.costliest} : row.members;
    const auto costliest = std::find(cost.modules.begin(), cost.modules.end(), cost.module);
    if (costliest != cost.modules.end()) std::iter_swap(cost.modules.begin(), costliest);
    out.push_back(std::move(cost));
  }
  return out;
}

std::vector<OverviewUnlinked> unlinked_by_reason(const TraceData& data) {
  std::vector<OverviewUnlinked> out;
  std::map<const std::string*, size_t> at;       // each text is kept once
  std::vector<std::map<uint32_t, double>> rows;  // of each reason: ops as they are counted, with their time
  for (const inspector::UnlinkedRow& row : data.facts.unlinked) {
    // The same op of another block (a cold run): it is there, and has its time there.
    if (data.shown.merged_ids.contains(data.table.ops[row.op].id)) continue;
    const auto [found, is_new] = at.try_emplace(&row.reason.str(), out.size());
    if (is_new) {
      out.emplace_back().reason = row.reason;
      rows.emplace_back();
      const inspector::UnlinkedReason* const known = inspector::find_unlinked_reason(row.reason.str());
      if (known != nullptr) out.back().advice = in_window(known->advice);
    }
    const auto event = static_cast<uint32_t>(row.op);
    const auto shown = data.shown.find_own(data.table.ops[row.op].id);
    double& time = rows[found->second][inspector::counted_op(data.table, event).value_or(event)];
    if (shown && data.table.ops[row.op].on_trace_clock()) time += data.shown.ops[*shown].cost;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    std::vector<uint32_t> ops;
    for (const auto& [op, time] : rows[i]) {
      ops.push_back(op);
      out[i].time += time;
    }
    out[i].count = inspector::count_ops_and_calls(data.table, ops);
    const size_t few = std::min(ops.size(), kFirstUnlinked);
    std::partial_sort(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(few), ops.end(),
                      [&](uint32_t a, uint32_t b) {
                        const double x = rows[i][a], y = rows[i][b];
                        return x != y ? x > y : a < b;
                      });
    for (size_t k = 0; k < few; ++k) out[i].costliest.push_back({static_cast<int32_t>(ops[k]), rows[i][ops[k]]});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const OverviewUnlinked& a, const OverviewUnlinked& b) { return a.time > b.time; });
  return out;
}

std::vector<std::string> methods_not_run(const TraceData& data, const std::vector<OverviewMethod>& ran) {
  std::vector<std::string> out;
  // Of a run whose method is not known it may be the one that is missing.
  const bool all_known = std::all_of(ran.begin(), ran.end(), [](const OverviewMethod& m) { return m.known; });
  if (ran.empty() || !all_known) return out;
  for (const inspector::MethodRow& method : data.facts.methods) {
    const bool runs =
        std::any_of(ran.begin(), ran.end(), [&](const OverviewMethod& m) { return m.name == method.name; });
    if (!runs) out.push_back(method.name);
  }
  return out;
}

std::vector<OverviewExport> exports_of(const TraceData& data) {
  std::vector<OverviewExport> out;
  for (const inspector::MethodRow& method : data.facts.methods) {
    OverviewExport row;
    row.name = method.name;
    row.inputs = method.inputs;
    row.outputs = method.outputs;
    row.instructions = method.instructions;
    for (const inspector::GraphModel& graph : data.graphs) {
      if (graph.method != method.name) continue;
      const inspector::NodeCounts counts = inspector::node_counts(graph);
      row.nodes = counts.all();
      row.delegates = static_cast<int64_t>(graph.parts.size());
      row.delegated = counts.delegated;
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string short_place(const std::string& file, int64_t line) {
  if (file.empty()) return {};
  return line > 0 ? base_name(file) + ":" + std::to_string(line) : base_name(file);
}

std::vector<OverviewPart> parts_of_bar(const std::vector<OverviewPart>& parts) {
  std::vector<OverviewPart> out;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(out),
               [](const OverviewPart& part) { return part.share > 0 && part.is_worth_a_row(); });
  return out;
}

const char* part_help(OverviewPart::Kind kind) {
  switch (kind) {
    case OverviewPart::Kind::Variation:
      return words::kVariation;
    case OverviewPart::Kind::Framework:
      return words::kFramework;
    case OverviewPart::Kind::Unattributed:
      return words::kUnattributed;
    default:
      return "";
  }
}

OverviewNotices first_notices(const std::vector<inspector::Finding>& findings, bool little_room) {
  OverviewNotices out;
  const auto add = [&](std::vector<const inspector::Finding*>* list, const inspector::Finding& finding, size_t most) {
    list->size() < most ? list->push_back(&finding) : void(++out.more);
  };
  for (const inspector::Finding& finding : findings) {
    if (finding.severity == "error") {
      out.errors.push_back(&finding);
    } else if (finding.of_executions) {
      add(&out.executions, finding, little_room ? kFewExecutionNotes : kFirstExecutionNotes);
    } else if (finding.severity == "data-loss" || finding.severity == "warning") {
      add(&out.warnings, finding, kFirstWarnings);
    }
  }
  return out;
}

namespace {

/// An execution of each method counts alike, however often it ran.
std::string weight_of_methods(const TraceData& data, double total) {
  constexpr double kFarFrom = 0.2;
  if (data.shown.basis.is_sum() || !(total > 0)) return {};
  struct Weight {
    double cost = 0, all = 0;
    int64_t runs = 0;
  };
  std::map<std::string, Weight> methods;
  double all = 0;
  for (const OpBlock& b : data.shown.blocks) {
    if (b.kind != "execute") continue;
    Weight& w = methods[b.method.value_or("")];
    w.cost += b.cost;
    w.all += static_cast<double>(b.total);
    w.runs += b.runs;
    all += static_cast<double>(b.total);
  }
  const auto most = std::max_element(methods.begin(), methods.end(),
                                     [](const auto& a, const auto& b) { return a.second.all < b.second.all; });
  if (methods.size() < 2 || !(all > 0) || most->first.empty()) return {};
  const double part = most->second.all / all;
  if (part - most->second.cost / total < kFarFrom) return {};
  return "One execution of each method counts alike here. Of the whole trace " + most->first + " takes " +
         inspector::format_share(part) + " (" + inspector::plural(most->second.runs, "execution") +
         "): Times, sum of all executions, has them by that.";
}

}  // namespace

Overview make_overview(const TraceData& data, const std::string& search) {
  Overview out;
  out.search = lower(search);
  if (!data.has_etdump()) out.exports = exports_of(data);
  out.basis = data.shown.basis;
  out.basis_text = data.shown.basis_text();
  const ExecutionsModel executions = ExecutionsModel::make(data);
  if (!executions.several_blocks() && data.shown.basis.kind == inspector::BasisKind::WarmMedian)
    out.two_times = regimes_in_short(find_regimes(executions, names_groups(data.findings)), data.unit());
  for (const OpBlock& block : data.shown.blocks) {
    if (block.kind == "execute") {
      out.total += block.cost;
      out.executions += block.runs;
    } else if (block.kind == "load") {
      out.loading += block.total;
    }
  }
  out.weight_text = weight_of_methods(data, out.total);
  out.files = file_facts(data);
  out.machine = machine_facts(data.facts);
  out.methods = methods_of(data);
  out.not_run = methods_not_run(data, out.methods);
  out.shares_total = inspector::share_basis(data.shown);
  const bool all = out.shares_total == out.total;
  out.shares_of = all ? out.basis.whole() : std::string("what ") + inspector::share_basis_text(out.basis);
  out.parts = parts_of_all(data, out.shares_total, !all);
  const inspector::GroupTable types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter());
  add_slices(data, types, &out);
  add_costliest_types(data, types, &out);
  out.lines = costliest_lines(data, out.shares_total, out.search);
  out.modules = costliest_modules(data, out.shares_total, out.search);
  out.unlinked = unlinked_by_reason(data);
  for (const OverviewUnlinked& group : out.unlinked) {
    out.unlinked_ops.ops += group.count.ops;
    out.unlinked_ops.calls += group.count.calls;
    out.unlinked_time += group.time;
  }
  for (const OpEntry& op : data.table.ops) out.foreign_ops += op.on_trace_clock() || op.count == 0 ? 0 : 1;
  // "auto" always finds a unit: only wishes can fail.
  (void)inspector::choose_unit("auto", data.unit(), out.total, &out.unit);
  return out;
}

}  // namespace et::gui
