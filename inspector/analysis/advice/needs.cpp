#include "inspector/analysis/advice/needs.h"

#include <algorithm>

#include "inspector/analysis/advice/advice.h"

namespace et::inspector {
namespace {

struct NeedName {
  uint32_t bits;
  const char* name;
};
constexpr NeedName kNeeds[] = {
    {advice_needs::Run, "a run (ETDump)"},
    {advice_needs::Record, "the ETRecord"},
    {advice_needs::Program | advice_needs::Inside | advice_needs::Calls | advice_needs::Bytes, "the program (.pte)"},
    {advice_needs::Values, "logged values (et-run --debug-buffer)"},
    {advice_needs::Peaks, "the machine's peaks (et-run --calibrate)"},
    {advice_needs::Delegates, "an operator in a delegate"},
};

bool has_rows(const Store& store, const char* sql, int64_t trace) {
  Statement st = store.query(sql);
  st.bind_all(trace);
  return st.step();
}

}  // namespace

uint32_t missing_needs(AdviceContext& c, bool calibrated) {
  using namespace advice_needs;
  const OpTable& shown = c.shown();
  const auto ran = [](const OpBlock& b) { return b.kind == "execute" && b.runs > 0; };
  const bool run = std::any_of(shown.blocks.begin(), shown.blocks.end(), ran);
  const bool program = has_rows(c.store(), "SELECT 1 FROM instructions WHERE trace_id = ?1 LIMIT 1", shown.trace_id);
  const bool delegates =
      std::any_of(shown.ops.begin(), shown.ops.end(), [](const OpEntry& op) { return op.kind == "delegate_call"; });
  uint32_t out = 0;
  if (!run) out |= Run;
  if (run && !delegates) out |= Delegates;
  if (!has_rows(c.store(), "SELECT 1 FROM nodes WHERE trace_id = ?1 AND graph = 'edge' LIMIT 1", shown.trace_id))
    out |= Record;
  if (!program) out |= Program;
  if (!program && delegates) out |= Inside;
  if (!program && !run) out |= Calls;
  if (c.program() == nullptr) out |= Bytes;
  if (!has_rows(c.store(), "SELECT 1 FROM debug_values WHERE trace_id = ?1 LIMIT 1", shown.trace_id)) out |= Values;
  return calibrated ? out : out | Peaks;
}

std::string needs_text(uint32_t needs) {
  std::vector<const char*> names;
  for (const NeedName& need : kNeeds) {
    if ((needs & need.bits) != 0) names.push_back(need.name);
  }
  std::string out;
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
  return out;
}

std::vector<UnseenRules> rules_not_looked(uint32_t missing, const std::set<std::string>& spoke) {
  std::vector<UnseenRules> out;
  for (const AdviceRule& rule : advice_rules()) {
    if ((rule.needs & missing) == 0 || spoke.contains(rule.id)) continue;
    std::string needs = needs_text(rule.needs & missing);
    auto at = std::find_if(out.begin(), out.end(), [&](const UnseenRules& u) { return u.needs == needs; });
    if (at == out.end()) at = out.insert(out.end(), {std::move(needs), {}});
    at->rules.push_back(&rule);
  }
  return out;
}

std::string nothing_found_text(uint32_t missing) {
  return (missing & advice_needs::Files) == 0 ? "No rule found anything to improve"
                                              : "Nothing to improve was found by the rules that could look";
}

}  // namespace et::inspector
