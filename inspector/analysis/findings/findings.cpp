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
  if (!unlinked_) unlinked_ = unlinked_time(store_, trace_);
  return *unlinked_;
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
  if (!context.load()) return {Error::NotFound, store.path() + ": no trace " + std::to_string(trace_id)};
  for (const FindingRule& rule : rules) rule.find(context);
  *out = context.take();
  sort_findings(out);
  return {};
}

}  // namespace et::inspector
