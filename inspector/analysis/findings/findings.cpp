#include <algorithm>
#include <iterator>

#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

#define ET_FINDING(name) void find_##name(FindingContext& context);
#include "inspector/analysis/findings/findings.def"
#undef ET_FINDING

namespace {

// The message of a trace's diagnostic; no row where the import did not meet it.
Statement diagnostic(const Store& store, int64_t trace, const char* id) {
  Statement st = store.query("SELECT message FROM diagnostics WHERE trace_id = ?1 AND id = ?2");
  st.bind_all(trace, id);
  return st;
}

Status run_rules(FindingContext* context, std::span<const FindingRule> rules, std::vector<Finding>* out) {
  if (!context->load())
    return {Error::NotFound, context->store().path() + ": no trace " + std::to_string(context->trace())};
  for (const FindingRule& rule : rules) rule.find(*context);
  *out = context->take();
  sort_findings(out);
  return {};
}

}  // namespace

std::span<const FindingRule> finding_rules() {
  static constexpr FindingRule kRules[] = {
#define ET_FINDING(name) {#name, &find_##name},
#include "inspector/analysis/findings/findings.def"
#undef ET_FINDING
  };
  return kRules;
}

bool FindingContext::load() {
  Statement t =
      query("SELECT events, executions, record_path, program_path, unit, dump_path FROM traces WHERE trace_id = ?1");
  if (!t.step()) return false;
  events_ = t.integer(0);
  executions_ = t.integer(1);
  has_etrecord_ = !t.is_null(2);
  has_program_ = !t.is_null(3);
  unit_ = t.str(4);
  has_etdump_ = !t.is_null(5);
  return true;
}

Statement FindingContext::query(std::string_view sql) const {
  Statement st = store_.query(sql);
  st.bind_all(trace_);
  return st;
}

int64_t FindingContext::number(std::string_view sql) const {
  Statement st = query(sql);
  return st.step() ? st.integer(0) : 0;
}

bool FindingContext::diagnosed(const char* id) const { return diagnostic(store_, trace_, id).step(); }

std::string FindingContext::message(const char* id) const {
  Statement st = diagnostic(store_, trace_, id);
  return st.step() ? st.str(0) : "";
}

const UnlinkedTime& FindingContext::unlinked() {
  if (unlinked_) return *unlinked_;
  OpTable own;
  // What reads the trace itself says when it cannot be read.
  if (shown_ == nullptr && !load_shown_ops(store_, trace_, {}, &own).ok()) own = OpTable();
  unlinked_ = unlinked_time(store_, shown_ == nullptr ? own : *shown_);
  return *unlinked_;
}

const std::vector<ExecutionNote>& FindingContext::notes() {
  if (notes_) return *notes_;
  notes_.emplace();
  if (!load_execution_notes(store_, trace_, &*notes_).ok()) notes_->clear();
  return *notes_;
}

void sort_findings(std::vector<Finding>* findings) {
  constexpr std::string_view kWorstFirst[] = {"error", "data-loss", "warning", "info", "ok"};
  const auto rank = [&](const Finding& f) {
    return std::find(std::begin(kWorstFirst), std::end(kWorstFirst), f.severity);
  };
  std::stable_sort(findings->begin(), findings->end(),
                   [&](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
}

Status find_findings(const Store& store, int64_t trace_id, std::vector<Finding>* out,
                     std::span<const FindingRule> rules) {
  FindingContext context(store, trace_id);
  return run_rules(&context, rules, out);
}

Status find_findings(const Store& store, const OpTable& shown, std::vector<Finding>* out,
                     std::vector<ExecutionNote>* notes) {
  FindingContext context(store, shown.trace_id, &shown);
  const Status status = run_rules(&context, finding_rules(), out);
  if (notes != nullptr) *notes = context.notes();
  return status;
}

}  // namespace et::inspector
