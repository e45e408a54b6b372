#include "gui/models/goto_model.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "gui/models/goto_score.h"
#include "gui/models/repeated_modules.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {
namespace {

using Kind = GotoTarget::Kind;

void make_plain(GotoTarget* target) {
  target->plain_text = searched_text(target->text);
  target->plain_more = searched_text(target->events);
}

int score_of(const std::string& query, const GotoTarget& target) {
  constexpr int kOfSentence = 20;  // it has many words
  const int score = goto_score(query, target.plain_text, target.plain_more);
  if (score < 0) return score;
  // A node comes behind the op that computes it, which has its time; what is alike differs by its number alone.
  if (target.kind == Kind::Node) return std::max(0, score - 1);
  return target.kind == Kind::Finding ? std::max(0, score - kOfSentence) : score;
}

}  // namespace

const char* goto_kind_name(GotoTarget::Kind kind) {
  switch (kind) {
    case Kind::Command:
      return "command";
    case Kind::Panel:
      return "panel";
    case Kind::Op:
      return "op";
    case Kind::Module:
      return "module";
    case Kind::Modules:
      return "modules";
    case Kind::Line:
      return "line";
    case Kind::Node:
      return "node";
    case Kind::Type:
      return "operator";
    case Kind::Loading:
      return "loading";
    case Kind::Execution:
      return "execution";
    case Kind::Finding:
      return "finding";
    case Kind::Trace:
      break;
  }
  return "trace";
}

void GotoModel::refresh(Document& document, std::vector<GotoTarget> commands_and_panels) {
  fixed_ = std::move(commands_and_panels);
  numbered_.clear();
  found_.clear();
  query_.clear();
  if (document.traces().size() > 1) {
    for (const inspector::TraceSummary& trace : document.traces()) {
      GotoTarget t;
      t.kind = Kind::Trace;
      t.text = "Trace #" + std::to_string(trace.id) + "  " + inspector::trace_title(trace);
      t.number = trace.id;
      fixed_.push_back(std::move(t));
    }
  }
  for (GotoTarget& target : fixed_) make_plain(&target);
  if (listed_ && version_ == document.version()) return;
  listed_ = true;
  version_ = document.version();
  things_.clear();
  executions_ = {};
  findings_job_.reset();
  const auto data = document.shared_data();
  data_ = data;
  if (data == nullptr) return;
  list(*data);
  list_findings(document, data);
  for (GotoTarget& target : things_) make_plain(&target);
}

const GotoTarget& GotoModel::target(int32_t index) const {
  const auto i = static_cast<size_t>(index);
  if (i < fixed_.size()) return fixed_[i];
  return i < size() ? things_[i - fixed_.size()] : numbered_[i - size()];
}

/// There may be a million executions: those with a number are looked for when one is typed.
void GotoModel::find_numbered(const std::string& query) {
  constexpr size_t kMost = 50;  // methods that have one of that number
  numbered_.clear();
  const auto data = data_.lock();
  if (data == nullptr) return;
  std::istringstream words(query);
  for (std::string word; words >> word;) {
    if (word.front() == '#') word.erase(0, 1);
    if (!is_module_number(word)) continue;
    const int32_t number = std::stoi(word);
    for (size_t e = 0; e < executions_.size() && numbered_.size() < kMost; ++e) {
      if (data->runs[static_cast<size_t>(executions_.run(e))].execution != number) continue;
      numbered_.push_back(execution_target(*data, e));
      make_plain(&numbered_.back());
    }
  }
}

const std::vector<int32_t>& GotoModel::search(const std::string& query, size_t most) {
  if (!found_.empty() && query == query_) return found_;
  query_ = query;
  found_.clear();
  const bool everything = query.find_first_not_of(' ') != std::string::npos;
  find_numbered(query);
  struct Hit {
    int score;
    double time;
    size_t length;
    int32_t index;
  };
  std::vector<Hit> hits;
  for (size_t i = 0; i < (everything ? size() + numbered_.size() : fixed_.size()); ++i) {
    const GotoTarget& t = target(static_cast<int32_t>(i));
    const int score = score_of(query, t);
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
    case Kind::Type:
      *panel = "operators";
      return select_group(data, inspector::GroupBy::Type, target.key);
    case Kind::Op:
    case Kind::Loading:
      *panel = "operators";
      return select_op(data, target.number);
    case Kind::Node:
      *panel = "graph";
      return select_node(data, target.key);
    case Kind::Line:
      *panel = "source";
      return select_line(data, target.key, target.number);
    case Kind::Module:
      *panel = "flame";
      return select_module(data, target.key);
    case Kind::Modules:
      *panel = "flame";
      return select_modules(data, target.members, target.text);
    case Kind::Execution:
      *panel = "timeline";
      break;
    case Kind::Finding:
      *panel = target.finding ? "findings" : target.number > 0 ? "timeline" : "overview";
      break;
    case Kind::Command:
    case Kind::Panel:
    case Kind::Trace:
      break;
  }
  return {};
}

}  // namespace et::gui
