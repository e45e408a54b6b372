// Both typical executions as lanes of slices, and what changed beside times.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "gui/models/compare_model.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::OwnSlice;

/// What belongs to one group without a pause is one slice: a call and its kernel, a delegate's events in a row.
std::vector<CompareSlice> slices_of(const std::vector<OwnSlice>& own, const std::vector<int32_t>& groups, bool join) {
  std::vector<CompareSlice> out;
  for (const OwnSlice& s : own) {
    const int32_t g = groups[s.op];
    if (g < 0) continue;
    if (join && !out.empty() && out.back().group == g && out.back().end == s.begin) {
      out.back().end = s.end;
    } else {
      out.push_back({s.begin, s.end, g, -1});
    }
  }
  return out;
}

CompareLane lane_of(const std::vector<inspector::TypicalExecution>& typical, const std::string& method,
                    const std::vector<int32_t>& groups, const std::string& unknown) {
  CompareLane out;
  for (const inspector::TypicalExecution& t : typical) {
    if (t.method != method && (!t.method.empty() || unknown != method)) continue;
    out.number = t.number;
    out.duration = t.duration;
    out.own = slices_of(t.own, groups, true);
    out.calls = slices_of(t.calls, groups, false);
  }
  return out;
}

using SlicesOfGroup = std::map<int32_t, std::vector<int32_t>>;

SlicesOfGroup by_group(const std::vector<CompareSlice>& slices) {
  SlicesOfGroup out;
  for (size_t i = 0; i < slices.size(); ++i) out[slices[i].group].push_back(static_cast<int32_t>(i));
  return out;
}

/// The n-th slice of a group goes with the n-th of the other side, or with its last: a chain with the one that fuses
/// it.
void find_partners(std::vector<CompareSlice>* slices, const SlicesOfGroup& others) {
  std::map<int32_t, size_t> next;
  for (CompareSlice& s : *slices) {
    const auto found = others.find(s.group);
    if (found != others.end()) s.partner = found->second[std::min(next[s.group]++, found->second.size() - 1)];
  }
}

/// Of one execution each op is a sample: what of it took far more or less than usual says nothing of the change.
void find_far(CompareLane* lane, const std::vector<inspector::DiffGroup>& groups,
              inspector::DiffSide inspector::DiffGroup::*side) {
  constexpr double kLonger = 1.3, kShorter = 0.7, kMatters = 0.01;
  std::map<int32_t, double> times;
  for (const CompareSlice& s : lane->own) times[s.group] += static_cast<double>(s.end - s.begin);
  for (CompareSlice& s : lane->own) {
    const inspector::DiffGroup& g = groups[static_cast<size_t>(s.group)];
    const double usual = (g.*side).cost, time = times[s.group];
    if (g.type.empty() || !(usual > 0) || (time < kLonger * usual && time > kShorter * usual)) continue;
    if (std::fabs(time - usual) >= kMatters * static_cast<double>(lane->duration)) s.times = time / usual;
  }
}

/// The same slices, each as long as its part of what its group usually takes: one execution has interruptions, which
/// would be seen instead of what changed.
CompareLane with_usual_times(CompareLane lane, const std::vector<inspector::DiffGroup>& groups,
                             inspector::DiffSide inspector::DiffGroup::*side, double usual) {
  if (lane.number < 0) return lane;
  std::map<int32_t, double> times;
  for (const CompareSlice& s : lane.own) times[s.group] += static_cast<double>(s.end - s.begin);
  const std::vector<CompareSlice> real = lane.own;
  double at = 0;
  for (CompareSlice& s : lane.own) {
    const double part = static_cast<double>(s.end - s.begin) / std::max(times[s.group], 1.0);
    s.begin = std::llround(at);
    at += std::max((groups[static_cast<size_t>(s.group)].*side).cost, 0.0) * part;
    s.end = std::llround(at);
    s.times = 0;
  }
  // A call is around the slices that it was around.
  for (CompareSlice& call : lane.calls) {
    const auto first =
        std::partition_point(real.begin(), real.end(), [&](const auto& s) { return s.begin < call.begin; });
    const auto last = std::partition_point(first, real.end(), [&](const auto& s) { return s.end <= call.end; });
    const auto place = [&](auto slice) { return lane.own[static_cast<size_t>(slice - real.begin())]; };
    call.begin = first == real.end() ? std::llround(at) : place(first).begin;
    call.end = last == first ? call.begin : place(last - 1).end;
  }
  lane.is_usual = true;
  lane.duration = std::max<int64_t>(std::llround(std::max(at, usual)), 1);
  lane.usual = static_cast<double>(lane.duration);
  return lane;
}

std::string count_text(const std::optional<int64_t>& n) { return n ? inspector::format_count(*n) : std::string("–"); }
std::string bytes_text(const std::optional<int64_t>& n) { return n ? inspector::format_bytes(*n) : std::string("–"); }

template <class T>
std::optional<int64_t> of_side(const std::optional<T>& side, int64_t T::*member) {
  return side ? std::optional<int64_t>((*side).*member) : std::nullopt;
}

}  // namespace

double CompareLane::untypical() const {
  constexpr double kFar = 1.1;
  if (!(usual > 0) || duration <= 0) return 0;
  const double times = static_cast<double>(duration) / usual;
  return std::max(times, 1 / times) > kFar ? times : 0;
}

int64_t CompareLane::far_groups() const {
  std::set<int32_t> out;
  for (const CompareSlice& s : own) {
    if (s.times > 0) out.insert(s.group);
  }
  return std::ssize(out);
}

void CompareModel::make_lanes() {
  for (const inspector::DiffMethod& m : diff().methods) {
    CompareMethod made;
    made.name = m.name;
    made.before = lane_of(compared_->typical_before, m.name, group_of_before_, diff().unknown.before);
    made.after = lane_of(compared_->typical_after, m.name, group_of_after_, diff().unknown.after);
    find_partners(&made.before.own, by_group(made.after.own));
    find_partners(&made.after.own, by_group(made.before.own));
    // A sum is of all executions; so are the costs of its ops.
    if (diff().basis.kind != inspector::BasisKind::Total && !m.lacks_basis()) {
      made.before.usual = m.before;
      made.after.usual = m.after;
      find_far(&made.before, diff().groups, &inspector::DiffGroup::before);
      find_far(&made.after, diff().groups, &inspector::DiffGroup::after);
    }
    methods_.push_back(std::move(made));
  }
  const inspector::BasisKind kind = diff().basis.kind;
  if (kind != inspector::BasisKind::WarmMedian && kind != inspector::BasisKind::Mean) return;
  for (size_t m = 0; m < methods_.size(); ++m) {
    using inspector::DiffGroup;
    CompareMethod usual = methods_[m];
    usual.before = with_usual_times(usual.before, diff().groups, &DiffGroup::before, diff().methods[m].usual_before());
    usual.after = with_usual_times(usual.after, diff().groups, &DiffGroup::after, diff().methods[m].usual_after());
    usual_methods_.push_back(std::move(usual));
  }
}

CompareModel::Facts CompareModel::slice_facts(const CompareMethod& method, const CompareSlice& slice, bool after,
                                              bool call) const {
  const CompareLane& lane = after ? method.after : method.before;
  const auto named = [&](int64_t ticks) { return inspector::format_duration_named(static_cast<double>(ticks), unit_); };
  Facts out;
  if (lane.is_usual) {
    out.emplace_back(call ? "this call" : "this slice",
                     named(slice.end - slice.begin) + ", its usual time " + (after ? "after" : "before"));
    const Facts group_facts = facts(slice.group);
    out.insert(out.end(), group_facts.begin(), group_facts.end());
    return out;
  }
  out.emplace_back(call ? "this call" : "this slice", named(slice.end - slice.begin) + ", in execution #" +
                                                          std::to_string(lane.number) + (after ? " after" : " before"));
  out.emplace_back("begins", named(slice.begin) + " after the execution");
  int64_t all = 0, slices = 0;
  for (const CompareSlice& s : lane.own) {
    if (!call && s.group == slice.group) all += s.end - s.begin, ++slices;
  }
  if (slices > 1)
    out.emplace_back("all of them", named(all) + " in " + inspector::plural(slices, "slice") + " of this execution");
  if (slice.times > 0)
    out.emplace_back("against usual", inspector::format_real(slice.times, slice.times < 10 ? 1 : 0) +
                                          " times its usual time in this execution: interrupted, or work of its own");
  const Facts group_facts = facts(slice.group);
  out.insert(out.end(), group_facts.begin(), group_facts.end());
  return out;
}

void CompareModel::make_summary() {
  inspector::DelegationCount was, is;
  inspector::ArenaCount before, after;
  bool delegation = false, memory = false;
  for (const inspector::DelegationChange& c : compared_->changes.delegation) {
    if (!c.before || !c.after) continue;
    delegation = true;
    was.delegated += c.before->delegated;
    was.non_delegated += c.before->non_delegated;
    is.delegated += c.after->delegated;
    is.non_delegated += c.after->non_delegated;
  }
  for (const inspector::MemoryChange& c : compared_->changes.memory) {
    memory = memory || (c.before && c.after);
    before.bytes += c.before ? c.before->bytes : 0;
    after.bytes += c.after ? c.after->bytes : 0;
  }
  const auto add = [&](const std::string& text) { summary_ += (summary_.empty() ? "" : "  ·  ") + text; };
  const auto count = [](const inspector::DelegationCount& n) {
    return inspector::format_count(n.delegated) + " of " + inspector::format_count(n.delegated + n.non_delegated);
  };
  const auto bytes = [](int64_t a, int64_t b) {
    return a == b ? inspector::format_bytes(b) + ", unchanged"
                  : inspector::format_bytes(a) + " → " + inspector::format_bytes(b);
  };
  if (delegation) add("Delegated nodes " + (was == is ? count(is) + ", unchanged" : count(was) + " → " + count(is)));
  if (memory) add((summary_.empty() ? "Memory plan " : "memory plan ") + bytes(before.bytes, after.bytes));
  if (const auto& size = compared_->changes.size)
    add((summary_.empty() ? "Program " : "program ") + bytes(size->before, size->after));
}

void CompareModel::make_changes() {
  const auto signed_count = [](int64_t n) {
    return (n > 0 ? "+" : n < 0 ? "\u2212" : "") + inspector::format_count(std::abs(n));
  };
  const auto add_count = [&](const std::string& section, const char* what, std::optional<int64_t> a,
                             std::optional<int64_t> b) {
    changes_.push_back({section, what, count_text(a), count_text(b), a && b ? signed_count(*b - *a) : ""});
  };
  const auto add_bytes = [&](const std::string& section, const std::string& what, std::optional<int64_t> a,
                             std::optional<int64_t> b) {
    changes_.push_back({section, what, bytes_text(a), bytes_text(b), a && b ? inspector::signed_bytes(*b - *a) : ""});
  };
  const bool several = has_several_methods();
  for (const inspector::DiffMethod& m : diff().methods) {
    const std::string section = several && !m.name.empty() ? "Delegation, " + m.name : "Delegation";
    for (const inspector::DelegationChange& c : compared_->changes.delegation) {
      if (c.method != m.name && several) continue;
      using Count = inspector::DelegationCount;
      add_count(section, "delegated nodes", of_side(c.before, &Count::delegated), of_side(c.after, &Count::delegated));
      add_count(section, "non-delegated nodes", of_side(c.before, &Count::non_delegated),
                of_side(c.after, &Count::non_delegated));
      add_count(section, "subgraphs", of_side(c.before, &Count::subgraphs), of_side(c.after, &Count::subgraphs));
    }
    add_count(section, "delegate calls", m.calls_before, m.calls_after);
    add_count(section, "kernels", m.kernels_before, m.kernels_after);
    if (m.lacks_basis()) continue;
    changes_.push_back({section, "time in delegates", inspector::format_duration_named(m.delegated_before, unit_),
                        inspector::format_duration_named(m.delegated_after, unit_),
                        inspector::signed_duration(m.delegated_after - m.delegated_before, unit_)});
  }
  for (const inspector::MemoryChange& c : compared_->changes.memory) {
    std::string section = "Memory plan";
    if (several) section += ", " + c.method;
    const std::string arena = "arena " + std::to_string(c.memory_id) + (c.device.empty() ? "" : " on " + c.device);
    using Count = inspector::ArenaCount;
    add_bytes(section, arena, of_side(c.before, &Count::bytes), of_side(c.after, &Count::bytes));
    add_bytes(section, arena + ", peak in use", of_side(c.before, &Count::peak), of_side(c.after, &Count::peak));
  }
  if (!compared_->changes.size) return;
  add_bytes("Program", "file", compared_->changes.size->before, compared_->changes.size->after);
  for (const inspector::SizeChange& g : compared_->changes.size->groups)
    add_bytes("Program", g.group, g.before, g.after);
}

}  // namespace et::gui
