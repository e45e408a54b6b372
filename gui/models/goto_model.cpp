#include "gui/models/goto_model.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "gui/core/commands.h"
#include "gui/core/text.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {
namespace {

constexpr int kAsTyped = 40, kAtStart = 20;

int word_score(const std::string& word, const std::string& text, const std::string& small) {
  const int letters = fuzzy_score(word, text);
  if (letters < 0) return -1;
  const size_t at = small.find(lower(word));
  if (at == std::string::npos) return letters;
  const bool start = at == 0 || std::isalnum(static_cast<unsigned char>(small[at - 1])) == 0;
  return letters + kAsTyped + (start ? kAtStart : 0);
}

}  // namespace

const char* goto_kind_name(GotoTarget::Kind kind) {
  switch (kind) {
    case GotoTarget::Kind::Command:
      return "command";
    case GotoTarget::Kind::Panel:
      return "panel";
    case GotoTarget::Kind::Op:
      return "op";
    case GotoTarget::Kind::Module:
      return "module";
    case GotoTarget::Kind::Line:
      return "line";
    case GotoTarget::Kind::Node:
      return "node";
    case GotoTarget::Kind::Type:
      return "operator";
    case GotoTarget::Kind::Loading:
      return "loading";
    case GotoTarget::Kind::Trace:
      break;
  }
  return "trace";
}

int goto_score(const std::string& query, const std::string& text) {
  const std::string small = lower(text);
  std::istringstream words(query);
  int total = 0;
  for (std::string word; words >> word;) {
    const int score = word_score(word, text, small);
    if (score < 0) return -1;
    total += score;
  }
  return total;
}

void GotoModel::refresh(const Document& document, std::vector<GotoTarget> commands_and_panels) {
  fixed_ = std::move(commands_and_panels);
  found_.clear();
  query_.clear();
  if (document.traces().size() > 1) {
    for (const inspector::TraceSummary& trace : document.traces()) {
      GotoTarget t;
      t.kind = GotoTarget::Kind::Trace;
      t.text = "Trace #" + std::to_string(trace.id) + "  " + inspector::trace_title(trace);
      t.number = trace.id;
      fixed_.push_back(std::move(t));
    }
  }
  if (listed_ && version_ == document.version()) return;
  listed_ = true;
  version_ = document.version();
  things_.clear();
  if (document.data() != nullptr) list(*document.data());
}

void GotoModel::list(const TraceData& data) {
  const auto add = [&](GotoTarget::Kind kind, std::string text, std::string detail, std::string key, int64_t number) {
    things_.push_back({kind, std::move(text), std::move(detail), std::move(key), number, ""});
  };
  const auto types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter());
  for (const inspector::GroupRow& row : types.rows) {
    if (row.none || row.ops < 2 || row.parts.empty()) continue;  // of one op that op says it
    // What has no node, as a delegate's own Transpose, is no operator of the graph.
    const int32_t op = data.find_op(data.shown.ops[row.parts.front().op].id);
    if (!is_in_group(data, inspector::GroupBy::Type, row.key, op)) continue;
    add(GotoTarget::Kind::Type, inspector::operator_title(row.key) + " ×" + std::to_string(row.ops), "", row.key, 0);
    things_.back().time = row.self;
  }
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
      if (target.kind == GotoTarget::Kind::Op) target.time = std::max(target.time, time_of(op));
      continue;
    }
    const inspector::OpNode* node = data.table.main_node(op);
    std::string detail = node == nullptr ? data.table.whole_call_text(op) : node->node->name;
    if (instruction >= 0) detail += (detail.empty() ? "" : ", ") + ("instruction " + std::to_string(instruction));
    // What loading takes is in no execution.
    const bool loads = data.table.block_of(op).kind != "execute";
    add(loads ? GotoTarget::Kind::Loading : GotoTarget::Kind::Op, name, std::move(detail), "", op.id);
    things_.back().events = event;
    // An op is looked for by its module, too.
    if (node != nullptr) things_.back().events += (event.empty() ? "" : " ") + node->node->module_path;
    if (instruction >= 0) things_.back().events += " instruction " + std::to_string(instruction);
    things_.back().time = loads ? 0 : time_of(op);
  }
  std::map<std::string, double> module_times;  // with all that is inside
  const auto own = inspector::group_costs(data.shown, inspector::GroupBy::Module, inspector::Filter());
  for (const inspector::GroupRow& row : own.rows) {
    for (size_t at = 0; !row.none && at < row.key.size(); ++at) {
      at = std::min(row.key.find('.', at), row.key.size());
      module_times[row.key.substr(0, at)] += row.self;
    }
  }
  std::map<std::string, std::string> modules;
  for (const inspector::GraphModel& graph : data.graphs) {
    for (const inspector::GraphNode& node : graph.nodes) {
      add(GotoTarget::Kind::Node, node.name, node.op, node.name, 0);
      const std::string& path = node.module_path;
      for (size_t at = 0; at < path.size(); ++at) {
        at = std::min(path.find('.', at), path.size());
        std::string& type = modules[path.substr(0, at)];
        if (at == path.size() && type.empty()) type = node.module_type;
      }
    }
  }
  for (const auto& [path, type] : modules) {
    add(GotoTarget::Kind::Module, path, type.substr(type.rfind('.') + 1), path, 0);
    if (const auto time = module_times.find(path); time != module_times.end()) things_.back().time = time->second;
  }
  for (const inspector::SourceFileCost& file : data.sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      add(GotoTarget::Kind::Line, base_name(file.file) + ":" + std::to_string(line.line), line.code, file.file,
          line.line);
      things_.back().time = line.ns;
    }
  }
}

const GotoTarget& GotoModel::target(int32_t index) const {
  const auto i = static_cast<size_t>(index);
  return i < fixed_.size() ? fixed_[i] : things_[i - fixed_.size()];
}

const std::vector<int32_t>& GotoModel::search(const std::string& query, size_t most) {
  if (!found_.empty() && query == query_) return found_;
  query_ = query;
  found_.clear();
  const bool everything = query.find_first_not_of(' ') != std::string::npos;
  struct Hit {
    int score;
    double time;
    size_t length;
    int32_t index;
  };
  std::vector<Hit> hits;
  for (size_t i = 0; i < (everything ? size() : fixed_.size()); ++i) {
    const GotoTarget& t = target(static_cast<int32_t>(i));
    int score = goto_score(query, t.text);
    // An op is also known by what its events are called.
    if (!t.events.empty()) score = std::max(score, goto_score(query, t.text + " " + t.events) - kAtStart);
    // A line is also known by what stands in it.
    if (t.kind == GotoTarget::Kind::Line) score = std::max(score, goto_score(query, t.detail) - kAtStart);
    // A node comes behind the op that computes it, which has its time; what is alike differs by its number alone.
    if (score >= 0 && t.kind == GotoTarget::Kind::Node) score = std::max(0, score - 1);
    if (score >= 0) hits.push_back({score, t.time, t.text.size(), static_cast<int32_t>(i)});
  }
  const auto better = [everything](const Hit& a, const Hit& b) {
    if (a.score != b.score) return a.score > b.score;
    if (everything && a.time != b.time) return a.time > b.time;
    if (everything && a.length != b.length) return a.length < b.length;
    return a.index < b.index;
  };
  const size_t kept = std::min(most, hits.size());
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(), better);
  for (size_t i = 0; i < kept; ++i) found_.push_back(hits[i].index);
  return found_;
}

Selection GotoModel::selection(const TraceData& data, const GotoTarget& target, std::string* panel) {
  switch (target.kind) {
    case GotoTarget::Kind::Type:
      *panel = "operators";
      return select_group(data, inspector::GroupBy::Type, target.key);
    case GotoTarget::Kind::Op:
    case GotoTarget::Kind::Loading:
      *panel = "operators";
      return select_op(data, target.number);
    case GotoTarget::Kind::Node:
      *panel = "graph";
      return select_node(data, target.key);
    case GotoTarget::Kind::Line:
      *panel = "source";
      return select_line(data, target.key, target.number);
    case GotoTarget::Kind::Module:
      *panel = "flame";
      return select_module(data, target.key);
    case GotoTarget::Kind::Command:
    case GotoTarget::Kind::Panel:
    case GotoTarget::Kind::Trace:
      break;
  }
  return {};
}

}  // namespace et::gui
