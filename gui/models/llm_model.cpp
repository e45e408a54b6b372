#include "gui/models/llm_model.h"

#include <algorithm>
#include <array>
#include <map>

#include "gui/core/text.h"
#include "gui/models/module_pattern.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/report/llm_report.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::LayerKind;
using inspector::TokenPhase;

constexpr size_t kDecode = static_cast<size_t>(TokenPhase::Decode);
constexpr size_t kPrefill = static_cast<size_t>(TokenPhase::Prefill);

bool is_zero(const inspector::PhasePair& time) { return time[0] == 0 && time[1] == 0; }

/// As titles, which are translated; modules that are named so are not.
const char* kind_title(LayerKind kind) {
  constexpr std::array<const char*, inspector::kLayerKinds> kTitles = {"Attention",  "KV cache",    "MLP",      "Norms",
                                                                       "Embeddings", "Output head", "Sampling", "Other",
                                                                       "Framework",  "Unattributed"};
  return kTitles[static_cast<size_t>(kind)];
}

}  // namespace

std::pair<std::string, std::string> LlmModel::empty_text(const inspector::LlmView& view) {
  const std::string why = view.has_graph ? "no cache, no phase, no method named for them"
                                         : "no phase, no method named for them, no ETRecord";
  return {"No tokens found: " + why,
          "Of a language model record a run: et-run model.pte --etdump run.etdp --phase prefill (or decode), or call "
          "ETDumpGen::set_phase() before each step; open it together with the ETRecord."};
}

void LlmModel::set(inspector::LlmView view, std::shared_ptr<const TraceData> data, LlmAround around) {
  view_ = std::move(view);
  data_ = std::move(data);
  around_ = std::move(around);
  facts_.clear();
  figures_.clear();
  lines_.clear();
  steps_.clear();
  points_.clear();
  kinds_.clear();
  layers_.clear();
  sequences_.clear();
  add_facts();
  add_points();
  add_parts();
  add_costliest();
  add_sequences();
  add_figures();
  add_lines();
  add_steps();
}

/// The report's, which say of what each of them is: the pages have other figures of the same steps.
void LlmModel::add_facts() {
  inspector::TimeUnit unit;
  (void)inspector::choose_unit("auto", view_.unit, std::max(view_.phases[0].median, view_.phases[1].median), &unit);
  facts_ = inspector::llm_facts(view_, unit);
  const bool told = view_.steps.told_by != inspector::ToldBy::Nothing;
  const auto is = [](const char* name) {
    return [name](const std::pair<std::string, std::string>& fact) { return fact.first == name; };
  };
  if (told && std::none_of(facts_.begin(), facts_.end(), is("first token")) && !facts_.empty()) {
    const char* const why =
        ran(kPrefill) ? "not known: no sequence has its whole prefill in this trace" : "not in this trace (no prefill)";
    facts_.insert(facts_.begin() + 1, {"first token", why});
  }
  for (auto& [name, text] : facts_) {
    if (name == "each token" || name == "each execution") name += view_.times.warm_tokens > 0 ? ", warm median" : "";
  }
}

/// The first answer: what takes most of each phase, and of that kind of work which op.
void LlmModel::add_costliest() {
  std::string text;
  for (size_t p = 0; p < 2; ++p) {
    const LlmPart* most = nullptr;
    for (const LlmPart& part : kinds_) {
      if (part.kind && part.time[p] > 0 && (most == nullptr || part.time[p] > most->time[p])) most = &part;
    }
    if (!ran(p) || most == nullptr) continue;
    text += (text.empty() ? "" : "; ") + std::string(phase_title(p)) + ": " + most->name + " " +
            inspector::format_share(share(most->time[p], p));
    const std::vector<LlmGroup> groups = groups_of(*most, p);
    if (groups.size() < 2) continue;
    const LlmGroup& first = groups.front();
    text += ", of it " + inspector::format_share(first.time / most->time[p]) + " " + first.title +
            (first.ops.size() > 1 ? " ×" + inspector::format_count(std::ssize(first.ops)) : "");
  }
  if (!text.empty()) facts_.insert(facts_.begin(), {"costliest", text});
}

/// The axis ends above what is usual: one slow token must not make a line of all others.
void LlmModel::add_points() {
  std::vector<double> warm;
  highest_ = 0;
  points_are_prompts_ = !ran(kDecode);
  for (const inspector::TokenStep& step : view_.steps.steps) {
    if (step.phase != (points_are_prompts_ ? TokenPhase::Prefill : TokenPhase::Decode) || !step.complete) continue;
    const double position = points_are_prompts_ ? step.execution : static_cast<double>(step.position);
    points_.push_back(
        {position, static_cast<double>(step.duration), step.run_id, step.execution, step.sequence, step.cold});
    if (!step.cold) warm.push_back(points_.back().time);
    highest_ = std::max(highest_, points_.back().time);
  }
  if (warm.size() >= 4) {
    std::sort(warm.begin(), warm.end());
    const double usual = warm[(warm.size() - 1) * 95 / 100];
    highest_ = std::min(highest_, std::max(usual * 1.5, warm[warm.size() / 2] * 2));
  }
  highest_ *= 1.1;
}

std::vector<size_t> LlmModel::beyond(double end) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].time > end) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) { return points_[a].time > points_[b].time; });
  return out;
}

void LlmModel::add_parts() {
  for (size_t k = 0; k < inspector::kLayerKinds; ++k) {
    const auto kind = static_cast<LayerKind>(k);
    if (is_zero(view_.kinds[k])) continue;
    kinds_.push_back({.name = kind_title(kind), .time = view_.kinds[k], .kind = kind});
  }
  const size_t by = ran(kDecode) ? kDecode : kPrefill;
  std::stable_sort(kinds_.begin(), kinds_.end(),
                   [&](const LlmPart& a, const LlmPart& b) { return a.time[by] > b.time[by]; });
  for (const inspector::LayerCost& cost : view_.layers) {
    const std::string name = (cost.stack.empty() ? "layer " : cost.stack + " ") + inspector::format_count(cost.layer);
    LlmPart part = {.name = cost.layer < 0 ? "outside of layers" : name,
                    .time = cost.time,
                    .by_kind = cost.kinds,
                    .layer = cost.layer,
                    .stack = cost.stack};
    size_t most = 0;
    for (size_t k = 1; k < inspector::kLayerKinds; ++k) {
      if (cost.kinds[k][by] > cost.kinds[most][by]) most = k;
    }
    if (cost.kinds[most][by] > 0 && cost.time[by] > 0)
      part.most = std::string(kind_title(static_cast<LayerKind>(most))) + " " +
                  inspector::format_share(cost.kinds[most][by] / cost.time[by]);
    layers_.push_back(std::move(part));
  }
  const bool told =
      std::any_of(view_.layers.begin(), view_.layers.end(), [](const inspector::LayerCost& l) { return l.layer >= 0; });
  if (!told) layers_.clear();
  const inspector::PhasePair variation = {view_.phases[0].variation, view_.phases[1].variation};
  if (is_zero(variation)) return;
  kinds_.push_back({.name = "(variation)", .time = variation});
  if (told) layers_.push_back(kinds_.back());
}

void LlmModel::add_sequences() {
  std::map<int32_t, LlmSequence> all;
  std::map<int32_t, int64_t> starts;
  std::map<int32_t, std::array<std::vector<double>, 2>> times;  // cold, warm
  for (const inspector::TokenStep& step : view_.steps.steps) {
    LlmSequence& s = all[step.sequence];
    s.number = step.sequence;
    s.cold = s.cold || step.cold;
    starts.try_emplace(step.sequence, step.start);
    const auto time = static_cast<double>(step.duration);
    if (step.phase == TokenPhase::Prefill) {
      s.prompt_tokens += step.tokens;
      s.prompt += time;
      s.first_token = static_cast<double>(step.start - starts[step.sequence]) + time;
    } else if (step.phase == TokenPhase::Decode && step.complete) {
      ++s.tokens;
      s.token += time;
      times[step.sequence][step.cold ? 0 : 1].push_back(time);
    }
  }
  for (auto& [number, s] : all) {
    if (s.tokens > 0) s.token /= static_cast<double>(s.tokens);
    std::vector<double>& of = times[number][times[number][1].empty() ? 0 : 1];
    std::sort(of.begin(), of.end());
    if (!of.empty()) s.median = (of[(of.size() - 1) / 2] + of[of.size() / 2]) / 2;
    sequences_.push_back(s);
  }
}

const char* LlmModel::phase_title(size_t phase) const {
  if (view_.steps.told_by == inspector::ToldBy::Nothing) return "execution";
  return phase == kPrefill ? "prefill" : "decode";
}

double LlmModel::share(double time, size_t phase) const {
  return view_.phases[phase].whole > 0 ? time / view_.phases[phase].whole : 0;
}

std::string LlmModel::note_of(const std::vector<inspector::ExecutionNote>& notes, const inspector::Basis& basis) {
  using inspector::BasisKind;
  for (const inspector::ExecutionNote& note : notes) {
    if (note.kind != inspector::ExecutionNote::Kind::Outlier || !note.execution) continue;
    const bool of_it = basis.kind == BasisKind::P99
                           ? note.ordinal == 0
                           : basis.kind == BasisKind::Execution && *note.execution == basis.execution;
    if (of_it) return inspector::execution_note_line(note, inspector::several_methods(notes));
  }
  return {};
}

std::string LlmModel::basis_hint() const {
  using inspector::BasisKind;
  const BasisKind basis = view_.basis.kind;
  if (!around_.note.empty()) return "These times are of slow executions: " + around_.note + ".";
  if (basis != BasisKind::Total && basis != BasisKind::Mean) return {};
  double slowest = 0, median = 0;
  for (const inspector::TokenStep& step : view_.steps.steps) {
    const auto phase = step.phase == TokenPhase::Prefill ? kPrefill : kDecode;
    const double usual = view_.phases[phase].median, time = static_cast<double>(step.duration);
    if (!(usual > 0) || !step.complete || (median > 0 && time / usual <= slowest / median)) continue;
    slowest = time, median = usual;
  }
  constexpr double kSlow = 3;
  if (!(median > 0) || slowest < kSlow * median) return {};
  return "Slow executions rule this basis, the " + view_.basis.text() + ": the slowest took " + time_text(slowest) +
         ", " + inspector::format_real(slowest / median, 1) + " times the median. Without them: Times, warm median.";
}

std::string LlmModel::time_text(double ticks) const {
  return ticks == 0 ? std::string() : inspector::format_duration_with_unit(ticks, view_.unit);
}

std::vector<LlmOp> LlmModel::ops_of(const LlmPart& part, std::optional<size_t> phase) const {
  std::map<uint32_t, double> times;
  std::map<uint32_t, std::vector<uint32_t>> calls;
  const size_t p = phase.value_or(main_phase());
  for (const inspector::OpCharge& c : view_.charges) {
    const bool of_it = part.kind ? c.kind == *part.kind : part.layer && c.layer == *part.layer && c.stack == part.stack;
    if (!of_it || c.time[p] == 0 || data_ == nullptr || c.op >= data_->usual().ops.size()) continue;
    const uint32_t counted = inspector::counted_op(data_->usual(), c.op).value_or(c.op);
    times[counted] += c.time[p];
    if (counted != c.op && (calls[counted].empty() || calls[counted].back() != c.op)) calls[counted].push_back(c.op);
  }
  std::vector<LlmOp> out;
  for (const auto& [op, time] : times) {
    const inspector::OpEntry& entry = data_->usual().ops[op];
    LlmOp row = {op, inspector::own_time_title(data_->usual(), entry), "", "", time};
    const int32_t index = data_->index_of(entry);
    const Selection chosen = index < 0 ? Selection() : select_op(*data_, entry.id);
    row.module = chosen.module;
    if (const auto around = calls.find(op); around != calls.end()) row.calls = around->second;
    if (!chosen.file.empty())
      row.line = chosen.file.substr(chosen.file.rfind('/') + 1) + ":" + std::to_string(chosen.line);
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const LlmOp& a, const LlmOp& b) { return a.time > b.time; });
  return out;
}

/// With its calls, so that it costs everywhere what its row says.
Selection LlmModel::selection_of(const LlmOp& op) const {
  if (data_ == nullptr) return {};
  Selection out = select_op(*data_, data_->usual().ops[op.op].id);
  for (const uint32_t call : op.calls) {
    const Selection around = select_op(*data_, data_->usual().ops[call].id);
    out.ops.insert(out.ops.end(), around.ops.begin(), around.ops.end());
  }
  std::sort(out.ops.begin(), out.ops.end());
  out.ops.erase(std::unique(out.ops.begin(), out.ops.end()), out.ops.end());
  return out;
}

Selection LlmModel::selection_of(const LlmPart& part, std::optional<size_t> phase) const {
  return selection_of_all(ops_of(part, phase), part.name);
}

Selection LlmModel::selection_of(const LlmGroup& group) const {
  return group.ops.size() == 1 ? selection_of(group.ops.front()) : selection_of_all(group.ops, group.title);
}

std::vector<LlmGroup> LlmModel::groups_of(const LlmPart& part, std::optional<size_t> phase) const {
  std::vector<LlmGroup> out;
  std::map<std::string, size_t> known;
  for (LlmOp& op : ops_of(part, phase)) {
    const auto [at, is_new] = known.emplace(op.title, out.size());
    if (is_new) out.push_back({op.title, op.module, op.line, 0, {}});
    LlmGroup& group = out[at->second];
    if (group.line != op.line) group.line.clear();
    group.time += op.time;
    group.ops.push_back(std::move(op));
  }
  for (LlmGroup& group : out) {
    std::vector<std::string> modules;
    for (const LlmOp& op : group.ops) modules.push_back(op.module);
    group.module = module_pattern(modules);
  }
  std::stable_sort(out.begin(), out.end(), [](const LlmGroup& a, const LlmGroup& b) { return a.time > b.time; });
  return out;
}

Selection LlmModel::selection_of_all(const std::vector<LlmOp>& ops, const std::string& label) const {
  if (ops.size() == 1) return selection_of(ops.front());
  std::vector<Selection> parts;
  for (const LlmOp& op : ops) {
    parts.push_back(selection_of(op));
    // Each by itself, too: a note on all of them names it.
    for (const uint32_t call : op.calls) parts.push_back(select_op(*data_, data_->usual().ops[call].id));
  }
  return select_several(std::move(parts), label + ": " + inspector::plural(static_cast<int64_t>(ops.size()), "op"));
}

std::string LlmModel::csv() const {
  std::string out;
  if (data_ != nullptr && !view_.steps.steps.empty()) (void)inspector::write_llm(view_, {.format = "csv"}, &out);
  return out;
}

std::string LlmModel::markdown() const {
  std::string out;
  if (data_ != nullptr && !view_.steps.steps.empty()) (void)inspector::write_llm(view_, {.format = "markdown"}, &out);
  return out;
}

}  // namespace et::gui
