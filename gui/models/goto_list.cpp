// What the trace has to go to.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "gui/core/shared_advice.h"
#include "gui/core/text.h"
#include "gui/models/goto_model.h"
#include "gui/models/goto_score.h"
#include "gui/models/module_pattern.h"
#include "gui/models/repeated_modules.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using Kind = GotoTarget::Kind;

/// "encoder.layer.#.fc1": what the modules of several layers have in common.
std::string without_numbers(const std::string& path) {
  std::string out;
  for (const std::string& part : split_at(path, '.'))
    out += (out.empty() ? "" : ".") + (is_module_number(part) ? std::string("#") : part);
  return out;
}

/// What tells it from others of its name comes first.
std::string place_text(const std::string& module, const std::string& node, int64_t instruction) {
  std::string out = module;
  const auto append = [&out](const std::string& text) { out += (out.empty() || text.empty() ? "" : ", ") + text; };
  append(node);
  if (instruction >= 0) append("instruction " + std::to_string(instruction));
  return out;
}

}  // namespace

GotoTarget& GotoModel::add(GotoTarget::Kind kind, std::string text, std::string detail, std::string key,
                           int64_t number) {
  return things_.emplace_back(
      GotoTarget{kind, std::move(text), std::move(detail), std::move(key), number, "", 0, {}, {}, "", ""});
}

void GotoModel::list(const TraceData& data) {
  const auto types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter());
  for (const inspector::GroupRow& row : types.rows) {
    if (row.none || row.ops < 2 || row.parts.empty()) continue;  // of one op that op says it
    // What has no node, as a delegate's own Transpose, is no operator of the graph.
    const int32_t op = data.find_op(data.shown.ops[row.parts.front().op].id);
    if (!is_in_group(data, inspector::GroupBy::Type, row.key, op)) continue;
    add(Kind::Type, inspector::operator_title(row.key) + " ×" + std::to_string(row.ops), "", row.key, 0).time =
        row.self;
  }
  list_ops(data);
  list_modules(data);
  for (const inspector::SourceFileCost& file : data.sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      GotoTarget& target =
          add(Kind::Line, base_name(file.file) + ":" + std::to_string(line.line), line.code, file.file, line.line);
      target.events = line.code;
      target.time = line.ns;
    }
  }
  list_executions(data);
}

void GotoModel::list_ops(const TraceData& data) {
  const auto time_of = [&](const inspector::OpEntry& op) {
    const auto shown = data.shown.find(op.id);
    return shown && data.shown.ops[*shown].on_trace_clock() ? data.shown.ops[*shown].cost : 0;
  };
  // The same op in another block is not another place to go to, nor is a call beside its kernel; both lend their names.
  std::map<std::pair<std::string, int64_t>, std::pair<size_t, bool>> seen;
  for (const inspector::OpEntry& op : data.table.ops) {
    const std::string name = row_title(data.table, op);
    const int64_t instruction = op.instruction_id.value_or(-1);
    const std::string event = op.name.str() == name ? std::string() : op.name.str();
    const auto [known, is_new] =
        seen.try_emplace({name + "\n" + std::string(op.delegate_debug_id.value_or("")), instruction},
                         std::pair(things_.size(), op.is_wrapper()));
    if (!is_new) {
      GotoTarget& target = things_[known->second.first];
      if (!event.empty() && target.events.find(event) == std::string::npos)
        target.events = target.events.empty() ? event : event + " " + target.events;
      auto& [at, is_call] = known->second;
      if (is_call && !op.is_wrapper()) target.number = op.id, is_call = false;
      if (target.kind == Kind::Op) target.time = std::max(target.time, time_of(op));
      continue;
    }
    const inspector::OpNode* const node = data.table.main_node(op);
    const std::string module = node == nullptr ? std::string() : node->node->module_path;
    // What loading takes is in no execution.
    const bool loads = data.table.block_of(op).kind != "execute";
    GotoTarget& target =
        add(loads ? Kind::Loading : Kind::Op, name,
            place_text(module, node == nullptr ? data.table.whole_call_text(op) : node->node->name, instruction), "",
            op.id);
    // An op is looked for by its module, too.
    target.events = event + (event.empty() ? "" : " ") + module;
    if (instruction >= 0) target.events += " instruction " + std::to_string(instruction);
    target.time = loads ? 0 : time_of(op);
  }
}

void GotoModel::list_modules(const TraceData& data) {
  std::map<std::string, double> times;  // with all that is inside
  const auto own = inspector::group_costs(data.shown, inspector::GroupBy::Module, inspector::Filter());
  for (const inspector::GroupRow& row : own.rows) {
    for (size_t at = 0; !row.none && at < row.key.size(); ++at) {
      at = std::min(row.key.find('.', at), row.key.size());
      times[row.key.substr(0, at)] += row.self;
    }
  }
  std::map<std::string, std::string> modules;  // with their classes
  for (const inspector::GraphModel& graph : data.graphs) {
    for (const inspector::GraphNode& node : graph.nodes) {
      const std::string& path = node.module_path;
      add(Kind::Node, node.name, place_text(path, inspector::operator_title(node.op), -1), node.name, 0).events =
          node.op + " " + path;
      for (size_t at = 0; at < path.size(); ++at) {
        at = std::min(path.find('.', at), path.size());
        std::string& type = modules[path.substr(0, at)];
        if (at == path.size() && type.empty()) type = node.module_type;
      }
    }
  }
  // Those that repeat, as the layers of an encoder do, are one thing to go to as well.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> repeated;  // by pattern and class
  for (const auto& [path, type] : modules) {
    const std::string pattern = without_numbers(path), own_class = type.substr(type.rfind('.') + 1);
    GotoTarget& target = add(Kind::Module, path, own_class, path, 0);
    if (const auto time = times.find(path); time != times.end()) target.time = time->second;
    if (pattern != path) repeated[{pattern, own_class}].push_back(path);
  }
  for (auto& [key, paths] : repeated) {
    if (paths.size() < 2) continue;
    GotoTarget& target =
        add(Kind::Modules, module_pattern(paths) + " ×" + std::to_string(paths.size()), key.second, key.first, 0);
    for (const std::string& path : paths) {
      if (const auto time = times.find(path); time != times.end()) target.time += time->second;
    }
    target.members = std::move(paths);
  }
}

GotoTarget GotoModel::execution_target(const TraceData& data, size_t execution) const {
  constexpr double kApart = 1.05;  // from the median
  const Run& run = data.runs[static_cast<size_t>(executions_.run(execution))];
  GotoTarget target;
  target.kind = Kind::Execution;
  target.text = "Execution " + executions_.name(data, execution);
  target.number = run.id;
  target.time = static_cast<double>(run.duration);
  const double median = executions_.median_of(execution);
  if (median > 0 && std::max(target.time / median, median / target.time) > kApart)
    target.detail = inspector::format_real(target.time / median, 2) + " times the median";
  if (!run.complete) target.detail = "not complete";
  if (run.cold) target.detail = "cold" + (target.detail.empty() ? "" : ", " + target.detail);
  return target;
}

/// Those that have a name. Of each method: there may be a method that runs a thousand times for one run of another.
void GotoModel::list_executions(const TraceData& data) {
  constexpr size_t kMostMethods = 8, kSlow = 3;
  executions_ = ExecutionsModel::make(data);
  const auto executes = [&](const Run& run) {
    return data.table.blocks[static_cast<size_t>(run.block)].kind == "execute";
  };
  if (std::none_of(data.runs.begin(), data.runs.end(), executes)) executions_ = {};  // loading is none
  struct OfMethod {
    std::vector<size_t> slowest;  // the slowest first
    std::optional<size_t> fastest, cold;
    size_t any = 0;
  };
  std::map<size_t, OfMethod> methods;
  const auto time = [&](size_t e) { return executions_.duration(e); };
  for (size_t e = 0; e < executions_.size(); ++e) {
    OfMethod& of = methods[executions_.group(e)];
    of.any = e;
    const auto at = std::find_if(of.slowest.begin(), of.slowest.end(), [&](size_t s) { return time(e) > time(s); });
    of.slowest.insert(at, e);
    of.slowest.resize(std::min(of.slowest.size(), kSlow));
    if (executions_.is_warm(e) && (!of.fastest || time(e) < time(*of.fastest))) of.fastest = e;
    if (executions_.is_cold(e) && !of.cold) of.cold = e;
  }
  const auto add_named = [&](const char* name, const char* also, size_t execution) {
    GotoTarget target = execution_target(data, execution);
    target.text = std::string(name) + " " + executions_.name(data, execution);
    target.events = also;
    things_.push_back(std::move(target));
  };
  size_t listed = 0;
  for (const auto& [group, of] : methods) {
    if (++listed > kMostMethods) break;
    static constexpr const char* kSlowNames[kSlow] = {"Slowest execution", "2nd slowest execution",
                                                      "3rd slowest execution"};
    const bool several = of.slowest.size() > 1;
    for (size_t i = 0; several && i < of.slowest.size(); ++i) add_named(kSlowNames[i], "longest", of.slowest[i]);
    if (several && of.fastest) add_named("Fastest execution", "shortest", *of.fastest);
    if (of.cold) add_named("Cold execution", "first warm-up", *of.cold);
    if (several) add_named("Typical execution", "median usual", executions_.median_execution(of.any));
  }
}

/// Findings of the measurement are known; those that could win something are worked out off the UI thread.
void GotoModel::list_findings(Document& document, const std::shared_ptr<const TraceData>& data) {
  for (const inspector::Finding& f : data->findings) {
    if (f.severity == "ok") continue;
    GotoTarget& target = add(Kind::Finding, f.text, f.advice, f.id, f.run);
    target.events = "finding " + f.id;
  }
  findings_job_ = document.jobs().query<std::shared_ptr<const SharedAdvice>>(
      document.store_path(),
      [data](const inspector::Store& store, const Cancel&, std::shared_ptr<const SharedAdvice>* out) {
        *out = shared_advice(store, data);
        return (*out)->status;
      },
      [this](const Status& status, const std::shared_ptr<const SharedAdvice>& found) {
        if (!status.ok() || found == nullptr) return;
        for (const inspector::Advice& a : found->advice) {
          GotoTarget& target = add(Kind::Finding, a.title, a.text, a.id, 0);
          target.finding = WantedFinding{a.id, a.method, a.title};
          target.events = "finding " + a.id + " " + a.method + " " + a.place.module;
          target.time = a.most_ns;
          target.plain_text = searched_text(target.text);
          target.plain_more = searched_text(target.events);
        }
        found_.clear();  // what is searched for may be one of them
      });
}

}  // namespace et::gui
