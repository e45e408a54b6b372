#include "inspector/analysis/advice/advice.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <tuple>

#include "inspector/analysis/advice/overlaps.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

/// What ops usually take may add up to more than the median execution took, where each had slow times of its own.
double part_of(double whole, double ticks) { return whole > 0 ? std::min(ticks / whole, 1.0) : 0; }

}  // namespace

#define ET_ADVICE(name, id, needs, summary) void advise_##name(AdviceContext& context);
#include "inspector/analysis/advice/advice.def"
#undef ET_ADVICE

const std::vector<AdviceRule>& advice_rules() {
  using namespace advice_needs;
  static const std::vector<AdviceRule> kRules = {
#define ET_ADVICE(name, id, needs, summary) {id, needs, summary, &advise_##name},
#include "inspector/analysis/advice/advice.def"
#undef ET_ADVICE
  };
  return kRules;
}

AdviceContext::AdviceContext(const Store& store, const OpTable& shown, const MachinePeaks* machine)
    : store_(store), shown_(shown), machine_(machine) {
  several_methods_ = methods().size() > 1;
}

std::set<std::string> AdviceContext::methods() const {
  std::set<std::string> out;
  for (const OpBlock& b : shown_.blocks) {
    if (b.kind == "execute") out.insert(b.method.value_or(""));
  }
  return out;
}

// A part that cannot be read is empty: the rules that need it find nothing, and who reads it first says why.

const std::vector<DelegationMap>& AdviceContext::maps() {
  if (!maps_ && !delegation_map(store_, shown_, &maps_.emplace()).ok()) maps_->clear();
  return *maps_;
}

const MemoryPlan& AdviceContext::memory() {
  if (!memory_ && !load_memory_plan(store_, shown_.trace_id, &memory_.emplace()).ok()) memory_ = MemoryPlan();
  return *memory_;
}

const Roofline& AdviceContext::work() {
  if (!work_) {
    // Peaks that might be another machine's would be a guess.
    TraceMachine trace;
    MachinePeaks peaks;
    bool found = false;
    std::string hint;
    if (machine_ == nullptr) {
      found = read_trace_machine(store_, shown_.trace_id, &trace).ok() && !trace.cpu.empty() &&
              find_host_machine(trace, &peaks, &found, &hint).ok() && found && !peaks.cpu.empty();
    }
    const MachinePeaks* const roofs = machine_ != nullptr ? machine_ : found ? &peaks : nullptr;
    if (!roofline(store_, shown_, roofs, {}, &work_.emplace()).ok()) work_ = Roofline();
  }
  return *work_;
}

AdvicePlace AdviceContext::place_of(const RooflineRow& row) const {
  AdvicePlace place = {row.op_id, "", row.module, "", 0};
  if (const OpNode* const n = shown_.main_node(shown_.ops[row.ops.front()]); n != nullptr) {
    place.file = n->node->file;
    place.line = n->node->line.value_or(0);
    place.node = n->node->name;
  }
  return place;
}

const WorkOfNodes& AdviceContext::nodes() {
  if (!nodes_ && !nodes_.emplace().load(store_, shown_).ok()) nodes_ = WorkOfNodes();
  return *nodes_;
}

const ProgramSize* AdviceContext::program() {
  if (!program_) {
    program_.emplace();
    Statement st = store_.query("SELECT program_path FROM traces WHERE trace_id = ?1");
    st.bind_all(shown_.trace_id);
    std::error_code gone;
    if (!st.step() || st.is_null(0) || !std::filesystem::is_regular_file(st.str(0), gone) ||
        !program_size(st.str(0), &*program_).ok() || !name_entries(store_, shown_.trace_id, &*program_).ok())
      program_ = ProgramSize();
  }
  return program_->file_bytes > 0 ? &*program_ : nullptr;
}

const std::vector<GraphModel>& AdviceContext::graphs() {
  if (!graphs_) {
    graphs_.emplace();
    for (const DelegationMap& map : maps()) {
      GraphModel& graph = graphs_->emplace_back();
      if (!map.has_graph || !load_graph(store_, shown_, map.method, "edge", &graph).ok()) graph = GraphModel();
    }
  }
  return *graphs_;
}

double AdviceContext::total(const std::string& method) const { return execution_time(shown_, method).whole; }

double AdviceContext::usual(const std::string& method) const {
  double sum = 0;
  for (const OpBlock& b : shown_.blocks) {
    if (b.kind == "execute" && (method.empty() || b.method.value_or("") == method))
      sum += b.variation > 0 ? b.cost - b.variation : b.cost;
  }
  return sum;
}

std::string AdviceContext::time(double ticks) const {
  TimeUnit unit;
  return choose_unit("auto", shown_.unit, ticks, &unit).ok() ? format_duration_named(ticks, unit) : std::string();
}

std::string AdviceContext::share(double ticks, const std::string& method) const {
  return format_share(part_of(share_basis(shown_, method), ticks));
}

std::string AdviceContext::largest_part(const std::string& name, double ns, double sum, size_t kinds) const {
  if (kinds == 1) return ", all of it " + name;
  return (ns > 0.5 * sum ? ", most of it " : ", the largest part ") + name + " (" + time(ns) + ")";
}

void AdviceContext::add_time(Advice* advice, std::string what, double ticks) const {
  advice->facts.push_back({std::move(what), ticks, AdviceFact::Unit::Time});
  const double whole = share_basis(shown_, advice->method);
  if (whole > 0) advice->facts.push_back({"share of the execution", part_of(whole, ticks), AdviceFact::Unit::Share});
}

AdvicePlace AdviceContext::place_in(const DelegationMap& map, int64_t instruction) {
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (op.instruction == instruction) return {0, op.file, op.module_path, op.node, op.line};
  }
  return {};
}

void AdviceContext::add(Advice advice) {
  // Rules word it for one execution; a range, the sum of all, or one of several methods is another whole.
  const bool sums = shown_.basis.is_sum(), named = several_methods_ && !advice.method.empty();
  const bool disturbed = share_basis(shown_, advice.method) < total(advice.method);
  const std::string of_what = disturbed ? std::string(" of what ") + share_basis_text(shown_.basis)
                              : sums    ? " of " + shown_.basis.whole()
                                        : " of an execution";
  const auto reword = [](std::string* text, const std::string& to) {
    constexpr std::string_view kWhole = " of the execution";
    for (size_t at = 0; (at = text->find(kWhole, at)) != std::string::npos; at += to.size())
      text->replace(at, kWhole.size(), to);
  };
  if (sums || named || disturbed) reword(&advice.text, of_what + (named ? " of " + advice.method : ""));
  for (AdviceFact& fact : advice.facts) {
    if (sums || disturbed) reword(&fact.what, of_what);
  }
  if (named) advice.title += ", in " + advice.method;
  std::stable_sort(advice.items.begin(), advice.items.end(),
                   [](const AdviceItem& a, const AdviceItem& b) { return a.ns > b.ns; });
  if (const double whole = total(advice.method); whole > 0) advice.most_ns = std::min(advice.most_ns, whole);
  advice.work_ns = std::min(advice.work_ns, advice.most_ns);
  const bool tiny = shown_.unit == "ns" && advice.most_ns > 0 && advice.most_ns < kLeastTime;
  if (!tiny || advice.most_bytes > 0) found_.push_back(std::move(advice));
}

double AdviceContext::weight_of(const std::string& method) const {
  if (!several_methods_ || shown_.basis.is_sum()) return 1;  // sums have it already
  int64_t runs = 0;
  for (const OpBlock& b : shown_.blocks) {
    if (b.kind == "execute" && b.method.value_or("") == method) runs += b.runs;
  }
  return runs > 0 ? static_cast<double>(runs) : 1;
}

std::vector<Advice> AdviceContext::take() {
  add_roofline_bounds(*this, &found_);
  const auto key = [this](const Advice& a) {
    return std::tuple(a.most_ns > 0 || a.open, a.ranked_ns() * weight_of(a.method), a.open, a.most_bytes);
  };
  std::stable_sort(found_.begin(), found_.end(), [&](const Advice& a, const Advice& b) { return key(a) > key(b); });
  name_overlaps(*this, &found_);
  return std::move(found_);
}

Status find_advice(const Store& store, const OpTable& shown, std::vector<Advice>* out, const MachinePeaks* machine,
                   AdviceNotes* notes) {
  std::vector<Interruption> interruptions;
  if (Status status = find_interruptions(store, shown, &interruptions); !status.ok()) return status;
  const OpTable calm = interruptions.empty() ? OpTable() : without_interruptions(shown, interruptions);
  AdviceContext context(store, interruptions.empty() ? shown : calm, machine);
  for (const AdviceRule& rule : advice_rules()) rule.find(context);
  *out = context.take();
  if (notes != nullptr) {
    const std::vector<RooflineRow>& rows = context.work().rows;
    const bool calibrated = std::any_of(rows.begin(), rows.end(), [](const RooflineRow& r) { return r.roof_ns > 0; });
    *notes = {std::move(interruptions), silent_consumers(context, *out), missing_needs(context, calibrated)};
  }
  return {};
}

}  // namespace et::inspector
