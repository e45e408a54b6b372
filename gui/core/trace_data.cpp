#include "gui/core/trace_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/scratch_folder.h"
#include "gui/core/range_text.h"
#include "gui/core/text.h"
#include "inspector/analysis/ops/basis_gaps.h"

namespace et::gui {

using inspector::Store;

int32_t TraceData::find_op(int64_t op_id) const {
  const auto found = table.find(op_id);
  return found ? static_cast<int32_t>(*found) : -1;
}

const inspector::OpEntry& TraceData::shown_op(int32_t op) const {
  const auto i = static_cast<size_t>(op);
  const auto found = shown.find(table.ops[i].id);
  return found ? shown.ops[*found] : table.ops[i];
}

int64_t TraceData::execution_of(int64_t run_id) const {
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& r) { return r.id == run_id; });
  if (run == runs.end() || table.blocks[static_cast<size_t>(run->block)].kind != "execute") return -1;
  return run->execution;
}

bool is_alike(const TraceData& a, const TraceData* b) {
  return b != nullptr && a.trace_id() == b->trace_id() && a.table.ops.size() == b->table.ops.size() &&
         a.table.nodes.size() == b->table.nodes.size() && a.runs.size() == b->runs.size();
}

std::vector<int32_t> TraceData::ops_of_node(const std::string& node_name) const {
  const auto found = by_node_.find(node_name);
  return found == by_node_.end() ? std::vector<int32_t>() : found->second;
}

void TraceData::index() {
  for (size_t i = 0; i < table.ops.size(); ++i) {
    for (const inspector::OpNode* const link : table.own_nodes(table.ops[i]))
      by_node_[link->node->name].push_back(static_cast<int32_t>(i));
  }
}

namespace {

Status load_graphs(const Store& store, const Cancel& cancel, TraceData* out) {
  const std::vector<std::string> names = inspector::graph_names(store, out->trace_id());
  if (names.empty() || out->foreign.hides_record()) return {};
  // The graph that the runtime's instructions come from; ETRecords made by hand may have others only.
  const bool has_edge = std::find(names.begin(), names.end(), "edge") != names.end();
  const std::string graph = has_edge ? "edge" : names.front();
  for (const std::string& method : inspector::graph_methods(store, out->trace_id(), graph)) {
    if (cancel.cancelled()) return {};
    inspector::GraphModel model;
    Status status = inspector::load_graph(store, out->shown, method, graph, &model);
    if (!status.ok()) return status;
    out->graphs.push_back(std::move(model));
  }
  return {};
}

/// A class that is made to export another one, and says nothing of the model.
bool is_wrapper_class(const std::string& name) {
  std::string plain = lower(name);
  std::erase(plain, '_');
  static constexpr std::array<std::string_view, 5> kGeneric = {"model", "module", "net", "graphmodule", "exported"};
  // A letter or two are what somebody types who only wants to export what is inside.
  return plain.size() <= 2 || plain.find("wrapper") != std::string::npos ||
         plain.find("wrapped") != std::string::npos || plain.starts_with("export") ||
         std::find(kGeneric.begin(), kGeneric.end(), plain) != kGeneric.end();
}

/// A module that encloses a node.
struct Enclosing {
  std::string path, type;  // "model.layers", "models.NanoGPT"

  std::string class_name() const { return type.substr(type.rfind('.') + 1); }
};

/// Those of "L__self__,,export.Wrapper;L__self__model,model,models.NanoGPT;…", outermost first.
std::vector<Enclosing> enclosing_of(const std::string& stack) {
  std::vector<Enclosing> out;
  for (size_t begin = 0; begin < stack.size();) {
    const size_t end = std::min(stack.find(';', begin), stack.size());
    const std::string entry = stack.substr(begin, end - begin);
    const size_t comma = entry.rfind(',');
    Enclosing one;
    if (comma != std::string::npos) {
      one.type = entry.substr(comma + 1);
      const size_t path = entry.find(',');
      if (path < comma) one.path = entry.substr(path + 1, comma - path - 1);
    }
    out.push_back(std::move(one));
    begin = end + 1;
  }
  return out;
}

/// What is at a depth of the modules that enclose nodes.
struct Depth {
  std::map<std::string, int64_t> nodes;  // of a class
  std::set<std::string> paths, types;    // of those that are in it
  int64_t all = 0;
};

Depth depth_of(const std::vector<std::pair<std::vector<Enclosing>, int64_t>>& stacks, size_t depth) {
  Depth out;
  for (const auto& [modules, count] : stacks) {
    out.all += count;
    if (depth >= modules.size()) continue;
    out.nodes[modules[depth].class_name()] += count;
    out.paths.insert(modules[depth].path);
    out.types.insert(modules[depth].type);
  }
  return out;
}

/// The class of the model; of one around it that says nothing, the class inside that most nodes are of. "": none that
/// says anything; `generic` then gets the outermost one.
std::string model_class(const Store& store, int64_t trace, std::string* generic) {
  constexpr double kMost = 0.5, kNearlyAll = 0.9;
  inspector::Statement st = store.query(
      "SELECT nn_module_stack, count(*) FROM nodes WHERE trace_id = ?1 AND nn_module_stack LIKE '%,,%' GROUP BY 1");
  st.bind_all(trace);
  std::vector<std::pair<std::vector<Enclosing>, int64_t>> stacks;
  while (st.step()) stacks.emplace_back(enclosing_of(st.str(0)), st.integer(1));
  Depth here = depth_of(stacks, 0);
  for (size_t depth = 1; !stacks.empty(); ++depth) {
    Depth inside = depth_of(stacks, depth);
    const auto most = std::max_element(here.nodes.begin(), here.nodes.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto part = [&](const auto& count, double share) {
      return static_cast<double>(count) >= share * static_cast<double>(here.all);
    };
    if (most == here.nodes.end() || !part(most->second, kMost)) return {};
    // One that holds a model and does next to nothing itself was made to export it; a container is no model.
    const bool holds_one = inside.paths.size() == 1 && inside.types.size() == 1 &&
                           !inside.types.begin()->starts_with("torch.nn.") &&
                           part(inside.nodes.begin()->second, kNearlyAll);
    if (!is_wrapper_class(most->first) && !holds_one) return most->first;
    if (generic->empty()) *generic = most->first;
    here = std::move(inside);
  }
  return {};
}

/// What exporters and samples call any program, and a letter.
bool is_generic_file(std::string_view stem) {
  if (stem.size() < 2) return true;
  static constexpr std::string_view kStems[] = {"model", "program", "bundled", "forward", "main", "out", "exported"};
  return std::find(std::begin(kStems), std::end(kStems), stem) != std::end(kStems);
}

std::string model_name(const Store& store, const TraceData& data) {
  std::string generic;
  if (!data.foreign.hides_record()) {
    std::string name = model_class(store, data.trace_id(), &generic);
    if (!name.empty()) return name;
  }
  if (data.facts.name.has_value()) return *data.facts.name;
  for (const auto& path : {data.facts.program_path, data.facts.record_path, data.facts.dump_path}) {
    if (!path.has_value() || (path != data.facts.dump_path && !data.foreign.warnings().empty())) continue;
    if (ScratchFolder::held(*path)) return std::filesystem::path(*path).stem().string();  // of a check
    const std::string stem = std::filesystem::path(*path).stem().string();
    if (path == data.facts.program_path && !is_generic_file(stem)) return stem;
    const size_t slash = path->rfind('/');
    if (slash != std::string::npos && slash > 0) return base_name(path->substr(0, slash));
  }
  return generic;
}

/// Of an execution that is not there the usual basis is shown, and why.
Status with_usual_basis(Status status, const inspector::Basis& basis, TraceData* out,
                        const std::function<Status()>& load_usual) {
  if (status.code() != Error::InvalidArgument || out->range.has_value()) return status;
  status = load_usual();
  out->basis_error = basis.text() + ": " + inspector::missing_basis(out->shown, basis);
  return status;
}

}  // namespace

std::string TraceData::method_option() const {
  std::map<std::string, int64_t> totals;
  for (const inspector::MethodRow& m : facts.methods) totals[m.name];
  for (const inspector::OpBlock& b : table.blocks) {
    if (b.kind == "execute" && b.method) totals[*b.method] += b.total;
  }
  if (totals.empty() || totals.contains("forward")) return {};
  const auto most =
      std::max_element(totals.begin(), totals.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return " --method " + shell_word(most->first);
}

// What is the same on every basis.
Status TraceData::load_kept(const Store& store, int64_t trace_id, const Cancel& cancel) {
  path = store.path();
  // Paths stay as in the ETRecord: they are the keys of source lines. Source maps only say where a file is found.
  Status status = inspector::load_op_table(store, trace_id, {}, &table);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::load_summary(store, table, &facts);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::load_executions(store, table, &runs);
  if (!status.ok() || cancel.cancelled()) return status;
  foreign = inspector::foreign_files(store, trace_id);
  op_parts = inspector::parts_of(table);
  model = model_name(store, *this);
  index();
  return {};
}

void TraceData::keep(const std::shared_ptr<const TraceData>& other) {
  path = other->path;
  table = inspector::OpTable::like({other, &other->table});
  facts = other->facts;
  runs = other->runs;
  foreign = other->foreign;
  op_parts = other->op_parts;
  model = other->model;
  graphs = other->graphs;
  by_node_ = other->by_node_;
}

// What follows from `shown`.
Status TraceData::load_times(const Store& store, const Cancel& cancel) {
  // Before all that copies the basis: every panel names the range in the same words.
  if (range.has_value()) shown.basis.span = range_text(*this, *range);
  if (range.has_value() && whole != nullptr) {
    findings = whole->findings;  // of the whole trace, whatever range is looked at
  } else {
    Status status = inspector::find_findings(store, shown, &findings);
    if (!status.ok() || cancel.cancelled()) return status;
  }
  parts = inspector::cost_parts(shown);
  return inspector::load_source_cost(store, shown, &sources);
}

Status load_trace_data(const Store& store, int64_t trace_id, const Cancel& cancel, TraceData* out,
                       const inspector::Basis& basis) {
  Status status = out->load_kept(store, trace_id, cancel);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::load_shown_ops(store, trace_id, {.basis = basis, .range = out->range}, &out->shown);
  status = with_usual_basis(std::move(status), basis, out,
                            [&] { return inspector::load_shown_ops(store, trace_id, {}, &out->shown); });
  if (!status.ok() || cancel.cancelled()) return status;
  status = out->load_times(store, cancel);
  if (!status.ok() || cancel.cancelled()) return status;
  return load_graphs(store, cancel, out);
}

Status load_other_times(const Store& store, const std::shared_ptr<const TraceData>& data, const Cancel& cancel,
                        TraceData* out, const inspector::Basis& basis) {
  const std::shared_ptr<const inspector::OpTable> shown(data, &data->shown);
  Status status = inspector::load_other_basis(store, shown, basis, out->range, &out->shown);
  out->keep(data);
  status = with_usual_basis(std::move(status), basis, out,
                            [&] { return inspector::load_other_basis(store, shown, {}, {}, &out->shown); });
  if (!status.ok() || cancel.cancelled()) return status;
  status = out->load_times(store, cancel);
  if (!status.ok() || cancel.cancelled()) return status;
  for (inspector::GraphModel& graph : out->graphs) inspector::charge_graph(out->shown, &graph);
  return {};
}

}  // namespace et::gui
