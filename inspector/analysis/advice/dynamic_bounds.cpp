// Tensors of dynamic shapes whose memory is planned for a bound that no recorded execution came near. What was used is
// known from logged values alone (et-run --debug-buffer): without them there is nothing to say.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kLeastSaved = 64 << 10;
constexpr double kLeastOfPeak = 0.25;

struct Used {
  Shape most;           ///< largest size of each dimension
  double elements = 0;  ///< of the largest value
  std::set<int64_t> runs;
};

/// Values that kernels wrote, by the index of the value that the instruction writes: its last argument.
std::map<int64_t, Used> used_sizes(const Store& store, int64_t trace_id, const std::string& method) {
  Statement s = store.query(
      "SELECT json_extract(i.arguments, '$[#-1]'), v.shape, v.run_id FROM debug_values v JOIN ops o ON o.op_id = "
      "v.op_id JOIN instructions i ON i.trace_id = v.trace_id AND i.method = o.method AND i.instruction_id = "
      "o.instruction_id WHERE v.trace_id = ?1 AND o.method = ?2 AND v.kind = 'tensor' AND v.is_output = 0 AND i.kind = "
      "'KernelCall' AND o.chain_index = 0 AND i.arguments IS NOT NULL");
  s.bind_all(trace_id, method);
  std::map<int64_t, Used> out;
  while (s.step()) {
    if (s.is_null(0) || s.is_null(1)) continue;
    const Shape sizes = parse_shape(s.str(1)).value_or(Shape());
    Used& used = out[s.integer(0)];
    if (used.runs.empty()) used.most.assign(sizes.size(), 0);
    used.runs.insert(s.integer(2));
    if (used.most.size() != sizes.size()) used.most.clear();
    double elements = 1;
    for (size_t d = 0; d < used.most.size(); ++d) {
      used.most[d] = std::max(used.most[d], sizes[d]);
      elements *= static_cast<double>(sizes[d]);
    }
    used.elements = std::max(used.elements, elements);
  }
  return out;
}

/// Whether each dimension was within the bound and at least one below it: else the value is another tensor's.
bool is_below(const Shape& used, const Shape& bound) {
  if (used.empty() || used.size() != bound.size()) return false;
  for (size_t d = 0; d < used.size(); ++d) {
    if (used[d] > bound[d]) return false;
  }
  return used != bound;
}

struct Tight {
  const PlanTensor* tensor;
  const Used* used;
  int64_t bytes;  ///< that the executions used
};

/// Most bytes that are in use at once where the tensors of `tight` are as large as they were. Bytes that tensors share
/// count once.
int64_t peak_with(const PlanArena& arena, const std::map<int64_t, Tight>& tight) {
  int64_t peak = 0;
  for (int64_t i = -1; i <= arena.instructions(); ++i) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const int32_t t : arena.alive_at(i)) {
      const PlanTensor& tensor = arena.tensors[static_cast<size_t>(t)];
      const auto at = tight.find(tensor.value);
      ranges.emplace_back(tensor.offset, tensor.offset + (at == tight.end() ? tensor.bytes : at->second.bytes));
    }
    std::sort(ranges.begin(), ranges.end());
    int64_t sum = 0, reached = 0;
    for (const auto& [from, to] : ranges) {
      sum += std::max<int64_t>(0, to - std::max(from, reached));
      reached = std::max(reached, to);
    }
    peak = std::max(peak, sum);
  }
  return peak;
}

std::string sizes_text(const Shape& sizes) {
  std::string out = "[";
  for (const int64_t size : sizes) out += (out.size() > 1 ? ", " : "") + std::to_string(size);
  return out + "]";
}

void advise_of_arena(AdviceContext& c, const PlanArena& arena, const std::map<int64_t, Used>& used) {
  std::map<int64_t, Tight> tight;
  const Tight* widest = nullptr;
  std::set<int64_t> runs;
  for (const PlanTensor& t : arena.tensors) {
    const auto at = used.find(t.value);
    const Shape bound = parse_shape(t.shape).value_or(Shape());
    if (at == used.end() || !is_below(at->second.most, bound)) continue;
    const double part = at->second.elements / elements_of(bound);
    const Tight& added =
        tight.emplace(t.value, Tight{&t, &at->second, static_cast<int64_t>(part * static_cast<double>(t.bytes))})
            .first->second;
    if (widest == nullptr || t.bytes - added.bytes > widest->tensor->bytes - widest->bytes) widest = &added;
    runs.insert(at->second.runs.begin(), at->second.runs.end());
  }
  if (widest == nullptr) return;
  const int64_t peak = peak_with(arena, tight), saved = arena.peak - peak;
  if (saved < kLeastSaved || static_cast<double>(saved) < kLeastOfPeak * static_cast<double>(arena.peak)) return;
  Advice a;
  a.id = "dynamic-bounds";
  a.method = arena.method;
  a.title = "Arena " + std::to_string(arena.memory_id) + " is planned for larger shapes than were used";
  a.facts = {{"peak of the arena", static_cast<double>(arena.peak), AdviceFact::Unit::Bytes},
             {"peak with the shapes that were used", static_cast<double>(peak), AdviceFact::Unit::Bytes},
             {"tensors below their bounds", static_cast<double>(tight.size()), AdviceFact::Unit::Count},
             {"executions whose values were logged", static_cast<double>(runs.size()), AdviceFact::Unit::Count}};
  const PlanTensor& t = *widest->tensor;
  a.text = "arena " + std::to_string(arena.memory_id) +
           " is planned for the upper bounds of dynamic shapes: " + t.dtype + " " + t.shape + " (" +
           format_bytes(t.bytes) + ") was at most " + sizes_text(widest->used->most) + " in " +
           plural(static_cast<int64_t>(runs.size()), "execution") + " that logged values; with what was used, " +
           plural(static_cast<int64_t>(tight.size()), "tensor") + " in all, the peak would be " + format_bytes(peak) +
           " instead of " + format_bytes(arena.peak);
  a.what_to_do =
      "Bound the dimension by what is needed when exporting (torch.export.Dim(..., max=...)), and let "
      "ConstraintBasedSymShapeEvalPass plan for these bounds; larger inputs are then refused.";
  const std::vector<PlanInstruction>& instructions = c.memory().methods[arena.method_index].instructions;
  if (t.producer >= 0 && static_cast<size_t>(t.producer) < instructions.size()) {
    const PlanInstruction& by = instructions[static_cast<size_t>(t.producer)];
    a.place = {by.op_id.value_or(0), by.file, "", by.node, by.line};
  }
  a.most_bytes = saved;
  a.assumes = "no execution needs more than those of this trace";
  c.add(std::move(a));
}

}  // namespace

void advise_dynamic_bounds(AdviceContext& c) {
  std::map<std::string, std::map<int64_t, Used>> used;  // by method
  for (const PlanArena& arena : c.memory().arenas) {
    if (arena.peak < kLeastSaved) continue;
    const auto [at, is_new] = used.try_emplace(arena.method);
    if (is_new) at->second = used_sizes(c.store(), c.shown().trace_id, arena.method);
    if (!at->second.empty()) advise_of_arena(c, arena, at->second);
  }
}

}  // namespace et::inspector
