// What one can do about the peak: who holds it, and what would be left without.
#include <algorithm>

#include "gui/models/memory_model.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/match/type_family.h"
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
constexpr size_t kPlacesNamed = 2;
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

/// Other stretches of instructions that need nearly as much without the tensor, too: the highest instruction of each.
std::vector<int64_t> places_as_high(const PlanArena& arena, const PlanTensor& without) {
  std::vector<int64_t> out;
  const auto used = [&](size_t i) {
    const int64_t at = static_cast<int64_t>(i) - 1;
    return arena.in_use[i] - (without.first <= at && at <= without.last ? without.bytes : 0);
  };
  const auto high = [&](size_t i) { return static_cast<double>(used(i)) >= kAsHigh * static_cast<double>(arena.peak); };
  for (size_t i = 0; i < arena.in_use.size(); ++i) {
    if (!high(i)) continue;
    size_t most = i;
    bool holds_peak = false;
    for (; i < arena.in_use.size() && high(i); ++i) {
      if (used(i) > used(most)) most = i;
      holds_peak = holds_peak || static_cast<int64_t>(i) - 1 == arena.peak_at;
    }
    if (!holds_peak) out.push_back(static_cast<int64_t>(most) - 1);
  }
  return out;
}

/// What an operator of the peak reads for the last time while it writes as much, one element for one: nullptr for none.
const PlanTensor* read_last_at_peak(const PlanArena& arena, const inspector::PlanInstruction* at) {
  if (at == nullptr || at->kind != "KernelCall") return nullptr;
  const inspector::TypeFamily family = inspector::type_family(at->title);
  if (family != inspector::TypeFamily::Arithmetic && family != inspector::TypeFamily::Activation) return nullptr;
  const auto& tensors = arena.tensors;
  const auto made = std::find_if(tensors.begin(), tensors.end(),
                                 [&](const PlanTensor& t) { return t.producer == arena.peak_at && t.view_of < 0; });
  if (made == tensors.end()) return nullptr;
  const auto read = std::find_if(tensors.begin(), tensors.end(), [&](const PlanTensor& t) {
    return t.last == arena.peak_at && t.first < arena.peak_at && t.bytes == made->bytes && t.dtype == made->dtype &&
           t.role == PlanTensor::Role::Intermediate && !shares_bytes(arena, t);
  });
  return read == tensors.end() ? nullptr : &*read;
}

}  // namespace

std::string bytes_beside(int64_t bytes, int64_t beside) {
  constexpr int64_t kUnit = 1024;
  int64_t size = 1;
  const char* name = " B";
  for (const char* larger : {" KiB", " MiB", " GiB", " TiB"}) {
    if (beside < kUnit * size) break;
    size *= kUnit;
    name = larger;
  }
  // What is smaller has its own.
  if (bytes < size) return format_bytes(bytes);
  const double value = static_cast<double>(bytes) / static_cast<double>(size);
  constexpr double kExact = 100;
  return inspector::format_real(value, value < kExact && size > 1 ? 1 : 0) + name;
}

void MemoryModel::add_in_place(const PlanArena& a, std::vector<std::string>* out) const {
  const inspector::PlanInstruction* const at = instruction_facts(a.peak_at);
  const PlanTensor* const read = read_last_at_peak(a, at);
  if (read == nullptr) return;
  int64_t without = 0;
  for (size_t i = 0; i < a.in_use.size(); ++i)
    without = std::max(without, a.in_use[i] - (static_cast<int64_t>(i) - 1 == a.peak_at ? read->bytes : 0));
  const double less = 1 - static_cast<double>(without) / static_cast<double>(a.peak);
  if (less < kWorthSaying) return;
  out->push_back(at->title + " reads " + read->shape +
                 " for the last time and writes as much: computed in place, or "
                 "folded into the operator before it, the peak would be " +
                 format_bytes(without) + " (" + format_share(less) + " less).");
}

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
  add_in_place(*a, &out);
  if (const std::vector<int64_t> others = places_as_high(*a, largest); !others.empty()) {
    std::string text;
    for (size_t i = 0; i < std::min(others.size(), kPlacesNamed); ++i)
      text += (i == 0 ? "" : ", ") + bytes_beside(a->used_at(others[i]), a->peak) + " " + moment_text(others[i]);
    if (others.size() > kPlacesNamed)
      text += ", and at " + format_count(static_cast<int64_t>(others.size() - kPlacesNamed)) + " more";
    out.push_back("Nearly as high where the largest is not alive: " + text +
                  ". Much less is needed only where this shrinks, too.");
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
