#include "inspector/analysis/ops/execution_explainer.h"

#include <algorithm>
#include <string_view>

#include "inspector/analysis/ops/places.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kSamplesRead = 300'000;  // of a trace, to explain executions: each takes a sample of every op
constexpr int64_t kMedianOf = 3;           // runs of a block
constexpr ptrdiff_t kOpsNamed = 2;         // in a sentence
constexpr size_t kOpsKept = 8;             // in a note; at least those named
constexpr double kPartWorthNaming = 0.1;   // of what an execution took more

std::string where_of(const OpCount& parts) {
  if (parts.ops == 0) return "around its ops";
  return "spread over " + plural(parts.ops, "op") + (parts.calls > 0 ? " and around them" : "");
}

}  // namespace

void ExecutionExplainer::add_block(int64_t block, const std::optional<std::string>& method, int64_t runs) {
  runs_[block] = runs;
  auto& most = largest_[method];
  if (runs > most.second) most = {block, runs};
}

Status ExecutionExplainer::extra_times(const LongerRun& run, const std::optional<std::string>& method, double reference,
                                       std::vector<ExtraTime>* out, OpCount* slower) {
  Statement ops = store_.query("SELECT count(*) FROM raw_op WHERE block = ?1");
  ops.bind_all(run.block);
  if (!ops.step() || (samples_read_ += ops.integer(0)) > kSamplesRead) return {};
  // A block of a run or two, of the cold execution or of an input of its own, knows no median.
  const int64_t block = runs_[run.block] >= kMedianOf ? run.block : largest_[method].first;
  const auto [usual, is_new] = usual_.try_emplace(block);
  if (is_new) {
    if (Status status = UsualTimes::load(store_, block, runs_[block], &usual->second); !status.ok()) return status;
  }
  const ExplainedRun explained = {run.id, run.position, run.time, reference};
  return usual->second.explain(store_, run.block, runs_[run.block], explained, kOpsKept, out, slower);
}

/// "aten.convolution (features.3.conv)": of the many operators of a type the type alone names none. With its module,
/// without one its line.
std::string ExecutionExplainer::name_in_full(const ExtraTime& e) const {
  if (!e.op_id) return e.name;
  Statement st = store_.query(
      "SELECT coalesce(n.module_path, ''), coalesce(n.file, ''), coalesce(n.line, 0) FROM links l JOIN nodes n ON "
      "n.node_id = l.node_id JOIN ops o ON o.op_id = l.op_id WHERE l.op_id = ?1 AND l.weight > 0 AND o.kind <> "
      "'delegate_call' ORDER BY coalesce(n.file, '') = '', l.weight DESC, l.confidence DESC, l.ordinal LIMIT 1");
  st.bind_all(*e.op_id);
  if (!st.step()) return e.name;
  Place at;
  at.file = st.str(1);
  at.line = st.integer(2);
  const std::string place = st.str(0).empty() ? at.file_line() : std::string(st.str(0));
  if (place.empty()) return e.name;
  constexpr std::string_view kInstruction = " (instruction ";
  if (e.name.ends_with(')') && e.name.find(kInstruction) != std::string::npos)
    return e.name.substr(0, e.name.size() - 1) + ", " + place + ")";
  return e.name + " (" + place + ")";
}

Status ExecutionExplainer::explain(const LongerRun& run, ExecutionNote* note) {
  OpCount left;  // of what took more: not named
  Status status = extra_times(run, note->method, note->reference, &note->ops, &left);
  if (!status.ok() || (note->ops.empty() && left.ops + left.calls == 0)) return status;
  const double more = note->time - note->reference;
  std::string parts;
  double rest = more;
  for (int64_t named = 0; named < std::min(std::ssize(note->ops), kOpsNamed); ++named) {
    const ExtraTime& e = note->ops[static_cast<size_t>(named)];
    if (e.ticks < kPartWorthNaming * more) break;
    parts += (parts.empty() ? "" : ", ") + format_duration_with_unit(e.ticks, unit_) + " more in " + name_in_full(e);
    rest -= e.ticks;
    --(e.of_op ? left.ops : left.calls);
  }
  if (parts.empty()) {
    parts = "what it took more is " + where_of(left);
  } else if (rest >= kPartWorthNaming * more && left.ops + left.calls > 0) {
    parts += ", the other " + format_duration_with_unit(rest, unit_) + " (" + format_share(rest / more) + ") " +
             where_of(left);
  }
  note->text += ": " + parts;
  return {};
}

}  // namespace et::inspector
