// What one can do about the peak: who holds it, and what would be left without.
#include <algorithm>

#include "gui/models/memory_model.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::format_bytes;
using inspector::format_count;
using inspector::format_share;
using inspector::PlanArena;
using inspector::PlanTensor;

constexpr double kMostOfThePeak = 0.6;  // what the tensors that are named hold together
constexpr double kAsHigh = 0.95;        // of the peak: another place as high
constexpr double kWorthSaying = 0.01;   // of the peak
constexpr size_t kPlacesNamed = 3;
constexpr double kWorthAnotherPlan = 0.1;  // of the arena

bool shares_bytes(const PlanArena& arena, const PlanTensor& tensor) {
  return std::any_of(arena.tensors.begin(), arena.tensors.end(), [&](const PlanTensor& t) {
    return &t != &tensor && t.offset < tensor.offset + tensor.bytes && tensor.offset < t.offset + t.bytes &&
           t.first <= tensor.last && tensor.first <= t.last;
  });
}

/// The peak as if the tensor were not there, and where it would be.
std::pair<int64_t, int64_t> peak_without(const PlanArena& arena, const PlanTensor& tensor) {
  std::pair<int64_t, int64_t> best = {-1, -1};
  for (size_t i = 0; i < arena.in_use.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) - 1;
    const int64_t used = arena.in_use[i] - (tensor.first <= at && at <= tensor.last ? tensor.bytes : 0);
    if (used > best.first) best = {used, at};
  }
  return best;
}

/// Other stretches of instructions that need nearly as much: the highest instruction of each.
std::vector<int64_t> places_as_high(const PlanArena& arena) {
  std::vector<int64_t> out;
  const auto high = [&](size_t i) {
    return static_cast<double>(arena.in_use[i]) >= kAsHigh * static_cast<double>(arena.peak);
  };
  for (size_t i = 0; i < arena.in_use.size(); ++i) {
    if (!high(i)) continue;
    size_t most = i;
    bool holds_peak = false;
    for (; i < arena.in_use.size() && high(i); ++i) {
      if (arena.in_use[i] > arena.in_use[most]) most = i;
      holds_peak = holds_peak || static_cast<int64_t>(i) - 1 == arena.peak_at;
    }
    if (!holds_peak) out.push_back(static_cast<int64_t>(most) - 1);
  }
  return out;
}

}  // namespace

std::vector<std::string> MemoryModel::peak_facts() const {
  const PlanArena* const a = arena();
  if (a == nullptr || a->peak <= 0) return {};
  const std::vector<int32_t> alive = a->alive_at(a->peak_at);
  if (alive.empty()) return {};
  std::vector<std::string> out;
  const auto peak = static_cast<double>(a->peak);
  int64_t held = 0;
  size_t few = 0;
  while (few < alive.size() && static_cast<double>(held) < kMostOfThePeak * peak)
    held += a->tensors[static_cast<size_t>(alive[few++])].bytes;
  const PlanTensor& largest = a->tensors[static_cast<size_t>(alive.front())];
  const auto total = static_cast<int64_t>(alive.size());
  out.push_back((few == 1 ? "One of " : format_count(static_cast<int64_t>(few)) + " of ") +
                inspector::plural(total, "live tensor") + (few == 1 ? " holds " : " hold ") +
                format_share(std::min(1.0, static_cast<double>(held) / peak)) + " of the peak.");
  const inspector::PlanInstruction* const by = largest.producer < 0 ? nullptr : instruction_facts(largest.producer);
  const std::string name = largest.name.empty() ? largest.shape : inspector::printable(largest.name);
  if (by != nullptr && by->kind != "DelegateCall" && inspector::only_moves_data(by->what)) {
    out.push_back("The largest, " + name + ", is a copy that " + by->title +
                  " makes: another layout, or a weight transposed before export, spares it.");
  } else if (by != nullptr && by->kind == "DelegateCall") {
    out.push_back("The largest, " + name +
                  ", leaves a delegate: where its readers are delegated with it, it stays inside.");
  }
  const bool given = largest.role == PlanTensor::Role::Input;  // it cannot go, but may be given in place
  if (given)
    out.push_back(
        "The largest, " + name +
        ", is an input: left out of the plan (MemoryPlanningPass(alloc_graph_input=False)), the application's "
        "own memory is used.");
  if (!shares_bytes(*a, largest) && !given) {
    const auto [without, at] = peak_without(*a, largest);
    if (static_cast<double>(a->peak - without) >= kWorthSaying * peak)
      out.push_back("Without the largest, " + name + ", the peak would be " + format_bytes(without) + " (" +
                    format_share(1 - static_cast<double>(without) / peak) + " less), " + moment_text(at) + ".");
  }
  if (const std::vector<int64_t> others = places_as_high(*a); !others.empty()) {
    std::string text;
    for (size_t i = 0; i < std::min(others.size(), kPlacesNamed); ++i)
      text += (i == 0 ? "" : ", ") + format_count(others[i]);
    if (others.size() > kPlacesNamed) text += " …";
    out.push_back("Nearly as high (" + inspector::format_share(kAsHigh) +
                  " of the peak and more) elsewhere, at instruction " + text +
                  ": much less is needed only where all of these shrink.");
  }
  if (a->lost() > kWorthAnotherPlan) {
    out.push_back("The arena has " + format_bytes(a->bytes - a->peak) +
                  " beyond the peak: another memory planning algorithm at export may place tensors closer.");
  }
  return out;
}

std::string memory_beside(const inspector::MemoryPlan& plan, const std::string& method) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& what, int64_t bytes) {
    if (bytes > 0) parts.push_back(what + " " + format_bytes(bytes));
  };
  for (const inspector::PlanMethod& m : plan.methods) {
    if (m.name != method) continue;
    add("constants in the program", m.constant_bytes);
    add("constants in a tensor file", m.external_bytes);
    add("inputs and outputs of the caller", m.unplanned_bytes);
  }
  int64_t delegates = 0, payloads = 0, weights = 0;
  for (const inspector::PlanDelegate& d : plan.delegates) {
    if (d.method != method) continue;
    ++delegates;
    payloads += d.payload_bytes.value_or(0);
    weights += d.weights_bytes.value_or(0);
  }
  add("payloads of " + inspector::plural(delegates, "delegate"), payloads);
  add("weights of delegates", weights);
  // Which of it a method uses is not known: delegates ask for it by name.
  int64_t named = 0;
  for (const inspector::PlanSegment& s : plan.segments) named += s.content.starts_with("named data") ? s.bytes : 0;
  add("named data of the program (weights of delegates)", named);
  for (const inspector::RuntimeArena& r : plan.runtime) {
    const bool planned = r.name.starts_with("planned");
    if (!planned && (r.method.empty() || r.method == method)) add(r.name + " allocator at run time", r.high_water);
  }
  for (const inspector::AllocatorUse& a : plan.allocators)
    add("allocated by " + a.allocator + " while running", a.bytes);
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " · ") + part;
  return out;
}

}  // namespace et::gui
