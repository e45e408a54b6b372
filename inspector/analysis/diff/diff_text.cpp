#include "inspector/analysis/diff/diff_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inspector/text/words.h"

namespace et::inspector {
namespace {

std::string signed_share(double part) {
  const std::string text = format_share(std::fabs(part));
  return (part > 0 ? "+" : part < 0 ? "\u2212" : "") + text;
}

/// Both times, the new one first, as a comparison has it.
std::string against(double before, double after, const TimeUnit& unit) {
  return format_duration_named(after, unit) + " against " + format_duration_named(before, unit);
}

std::string confidence(const DiffMethod& m, const Basis& basis) {
  if (!m.low || !m.high) return {};
  const bool of_median = basis.kind == BasisKind::WarmMedian;
  return (of_median ? " (95 % confidence: " : " (95 % confidence of the warm medians: ") +
         ratio_range(*m.low, *m.high) + ", of these two runs)";
}

std::string sure_text(double before, double after, const TimeUnit& unit) {
  const double ratio = before > 0 ? after / before : 1;
  if (ratio < 1) return "After takes " + format_share(1 - ratio) + " less time: " + against(before, after, unit);
  if (ratio >= 2) return "After takes " + format_real(ratio, 1) + " times as long: " + against(before, after, unit);
  return "After is " + format_share(ratio - 1) + " slower: " + against(before, after, unit);
}

std::string unsure_text(const DiffMethod& m, const TimeUnit& unit) {
  if (m.before == m.after) return "No difference: both take " + format_duration_named(m.after, unit);
  std::string out = against(m.before, m.after, unit);
  if (m.low && m.high)
    return "No difference that matters: " + out + ", surely " + percent_range(*m.low, *m.high) +
           (*m.low > 1 ? " slower" : " faster");
  if (m.verdict == DiffVerdict::Unclear && !m.interval_low)
    return out + ": of single executions, so nothing says whether that is more than noise";
  constexpr double kTellsLittle = 0.2;
  if (m.interval_low && m.interval_high && *m.interval_high - *m.interval_low > kTellsLittle)
    return "Cannot say: " + out + ", but executions scatter so much that the medians may differ by " +
           percent_range(*m.interval_low, *m.interval_high) +
           " (95 % confidence). Take both traces again on an idle machine, with more executions";
  if (m.interval_low && m.interval_high)
    return "No difference beyond noise: " + out + ", the medians differ by " +
           percent_range(*m.interval_low, *m.interval_high) + " with 95 % confidence";
  return "No difference that matters: " + out + "; too few warm executions for an interval";
}

/// "Before" or "Before and after" of the traces that were disturbed, and of how much; "" of none.
std::string disturbed_text(const DiffMethod& m, const TimeUnit& unit) {
  const auto part = [&](double variation, double all) {
    return format_share(variation / all) + " of its " + format_duration_named(all, unit);
  };
  const bool before = m.disturbed(false), after = m.disturbed(true);
  if (!before && !after) return {};
  const std::string end = before && after ? " are in no op's usual time: measure both again"
                                          : " is in no op's usual time: measure it again";
  return std::string(before && after ? "Before and After were"
                     : before        ? "Before was"
                                     : "After was") +
         " measured on a disturbed machine, " + (before ? part(m.variation_before, m.before) : "") +
         (before && after ? " and " : "") + (after ? part(m.variation_after, m.after) : "") + end;
}

DiffSentence sentence_of(const DiffMethod& m, const Basis& basis, const TimeUnit& unit) {
  if (m.lacks_basis()) return {lacking_text(m, basis), m.verdict};
  switch (m.verdict) {
    case DiffVerdict::Added:
      return {"Runs only after: " + format_duration_named(m.after, unit), m.verdict};
    case DiffVerdict::Removed:
      return {"Runs only before: " + format_duration_named(m.before, unit), m.verdict};
    case DiffVerdict::Slower:
    case DiffVerdict::Faster:
      return {sure_text(m.before, m.after, unit) + confidence(m, basis), m.verdict};
    case DiffVerdict::TooFew:
      return {"Too few warm executions to be sure: " + against(m.before, m.after, unit) + " (" +
                  percent_change(m.before, m.after) + "), from " + format_count(m.warm_after) + " and " +
                  plural(m.warm_before, "execution") + "; 6 are the least, 20 are good",
              m.verdict};
    default:
      return {unsure_text(m, unit), m.verdict};
  }
}

}  // namespace

std::string percent_change(double before, double after) {
  return before > 0 ? signed_share(after / before - 1) : std::string();
}

std::string signed_duration(double ticks, const TimeUnit& unit) {
  return (ticks > 0 ? "+" : ticks < 0 ? "\u2212" : "") + format_duration_named(std::fabs(ticks), unit);
}

std::string signed_bytes(int64_t bytes) {
  return (bytes > 0 ? "+" : bytes < 0 ? "\u2212" : "") + format_bytes(std::abs(bytes));
}

std::string ratio_range(double low, double high) {
  if (high >= 2 && low > 1) return format_real(low, 1) + "–" + format_real(high, 1) + " times";
  return percent_range(low, high) + (low > 1 ? " slower" : " less");
}

std::string percent_range(double low, double high) {
  if (low <= 1 && high >= 1) return signed_share(low - 1) + " to " + signed_share(high - 1);
  double a = std::fabs(low - 1), b = std::fabs(high - 1);
  if (a > b) std::swap(a, b);
  return format_real(100 * a, 1) + "–" + format_real(100 * b, 1) + "%";
}

std::string verdict_word(const DiffGroup& group) {
  constexpr double kSeen = 0.02;  // of its own time: a change that the row shows
  const bool changed = group.change() != 0 && std::fabs(group.change()) >= kSeen * std::fabs(group.before.cost);
  return group.verdict == DiffVerdict::Same && changed ? "negligible" : diff_verdict_name(group.verdict);
}

std::string verdict_text(const DiffGroup& group) {
  const std::string name = verdict_word(group);
  const bool sure = group.verdict == DiffVerdict::Slower || group.verdict == DiffVerdict::Faster;
  return sure && group.low && group.high ? name + " " + percent_range(*group.low, *group.high) : name;
}

std::string with_change(const std::string& now, const std::string& was) {
  return was.empty() ? now : was + " → " + now;
}

std::string work_change(const std::optional<double>& before, const std::optional<double>& after) {
  constexpr double kAlike = 0.05;
  if (!before || !after || !(*before > 0) || !(*after > 0)) return {};
  const double ratio = *after / *before;
  if (std::fabs(ratio - 1) <= kAlike) return {};
  return ", " + format_real(ratio, ratio < 10 ? 2 : 0) + " times the operations";
}

std::string delegate_text(const DiffGroup& g) {
  const auto name = [](const DiffSide& side) { return side.backend.empty() ? std::string("(none)") : side.backend; };
  if (g.delegation_changed()) return name(g.before) + " → " + name(g.after);
  return g.after.parts.empty() ? g.before.backend : g.after.backend;
}

std::string lacking_text(const DiffMethod& m, const Basis& basis) {
  if (!m.lacks_basis()) return {};
  const bool both = m.lacks_before && m.lacks_after;
  const std::string who = both             ? "Neither trace has "
                          : m.lacks_before ? "The trace before has no "
                                           : "The trace after has no ";
  if (basis.kind == BasisKind::Execution) return who + (both ? "an execution " : "execution ") + basis.name();
  return who + (both ? "a cold execution: they were warmed up, or begin behind the first one"
                     : "cold execution: it was warmed up, or begins behind the first one");
}

std::string without_times(const TraceDiff& diff) {
  bool both_ran = false;
  std::string lacking;
  for (const DiffMethod& m : diff.methods) {
    both_ran |= m.both_ran() && !m.lacks_basis();
    if (lacking.empty()) lacking = lacking_text(m, diff.basis);
  }
  if (!both_ran && !lacking.empty()) return lacking + ". Another basis can be compared";
  if (!both_ran || (diff.before > 0) == (diff.after > 0)) return {};
  return std::string("All times ") + (diff.before > 0 ? "after" : "before") +
         " are 0: the clock of that trace did not tick, so no time can be compared";
}

std::string different_programs(const TraceDiff& diff) {
  if (!without_times(diff).empty()) return {};
  constexpr double kFew = 0.25;
  struct Side {
    int64_t rows = 0;
    double cost = 0, opaque = 0;
  } before, after;
  int64_t both = 0;
  const auto add = [](const DiffSide& side, bool alone, Side* to) {
    if (side.parts.empty()) return;
    ++to->rows;
    to->cost += side.cost;
    // A delegate that does not tell its ops apart may do the same work, so may kernels that lead to no node.
    if (alone && !side.has_nodes) to->opaque += side.cost;
  };
  for (const DiffGroup& g : diff.groups) {
    if (g.type.empty()) continue;  // what the runtime takes is in every trace
    const bool in_both = !g.before.parts.empty() && !g.after.parts.empty();
    add(g.before, !in_both, &before);
    add(g.after, !in_both, &after);
    // What is alike by its order alone, all linear layers are.
    both += in_both && g.via != NodeMatchVia::Order;
  }
  const int64_t rows = std::max(before.rows, after.rows);
  const auto is_opaque = [](const Side& side) { return side.opaque > 0.5 * side.cost; };
  if (rows == 0 || static_cast<double>(both) > kFew * static_cast<double>(rows)) return {};
  if (before.rows == 0 || after.rows == 0 || is_opaque(before) || is_opaque(after)) return {};
  // As many as the table has.
  return "These are different programs: " + format_count(both) + " of " +
         plural(static_cast<int64_t>(diff.groups.size()), "row") + (both == 1 ? " is" : " are") +
         " the same in both, so times say which program is faster, not what a change did";
}

std::string not_comparable(const TraceDiff& diff) {
  std::string why = without_times(diff);
  return why.empty() ? different_programs(diff) : why;
}

std::vector<DiffSentence> usual_sentences(const DiffMethod& m, const TimeUnit& unit) {
  std::vector<DiffSentence> out;
  const double before = m.usual_before(), after = m.usual_after();
  const std::string times = format_duration_named(after, unit) + " against " + format_duration_named(before, unit);
  const std::string change = percent_change(before, after);
  std::string usual;
  if (m.verdict == DiffVerdict::Unclear) {
    usual = "No change of the ops' usual times beyond noise: " + times + " together (" + change;
    if (m.interval_low && m.interval_high)
      usual += "; with 95 % confidence " + percent_range(*m.interval_low, *m.interval_high);
    usual += ")";
  } else {
    usual = std::string("The ops' usual times are ") + (after > before ? "longer: " : "shorter: ") + times +
            " together, " + change;
    if (m.low && m.high) usual += " (95 % confidence: " + ratio_range(*m.low, *m.high) + ", of these two runs)";
  }
  if (std::string disturbed = disturbed_text(m, unit); !disturbed.empty())
    out.push_back({std::move(disturbed), DiffVerdict::Unclear, false, true});
  out.push_back({std::move(usual), m.verdict});
  out.push_back({"Whole executions: " + against(m.before, m.after, unit) + ", and " +
                     signed_duration(m.variation_after - m.variation_before, unit) + " of the " +
                     signed_duration(m.after - m.before, unit) +
                     " are variation: executions were held up, each in another op",
                 DiffVerdict::Unclear, true});
  return out;
}

std::string of_same_program(const TraceDiff& diff, bool same_program) {
  const bool changed = std::any_of(diff.methods.begin(), diff.methods.end(), [](const DiffMethod& m) {
    return m.by_usual || m.verdict == DiffVerdict::Slower || m.verdict == DiffVerdict::Faster;
  });
  if (!same_program || !changed || !not_comparable(diff).empty()) return {};
  return "Both ran the same program: what differs is the machine, the runtime's build or settings, or the input";
}

std::vector<DiffSentence> diff_sentences(const TraceDiff& diff, const TimeUnit& unit, bool same_program) {
  std::vector<DiffSentence> out;
  if (std::string different = not_comparable(diff); !different.empty()) {
    out.push_back({std::move(different), DiffVerdict::Unclear});
    for (const DiffMethod& m : diff.methods) {
      if (m.lacks_basis()) continue;  // that is what was said
      const bool one = !m.both_ran();
      const std::string name = m.name.empty() ? "" : printable(m.name) + ": ";
      out.push_back({name + (one ? sentence_of(m, diff.basis, unit).text : against(m.before, m.after, unit)),
                     DiffVerdict::Unclear});
    }
    return out;
  }
  if (std::string same = of_same_program(diff, same_program); !same.empty())
    out.push_back({std::move(same), DiffVerdict::Unclear});
  if (std::string all = all_changed_alike(diff); !all.empty()) out.push_back({std::move(all), DiffVerdict::Unclear});
  const auto add = [&](const DiffMethod& m, const std::string& name) {
    std::vector<DiffSentence> of =
        m.by_usual ? usual_sentences(m, unit) : std::vector<DiffSentence>{sentence_of(m, diff.basis, unit)};
    for (DiffSentence& s : of) {
      s.text = name + s.text;
      out.push_back(std::move(s));
    }
  };
  if (diff.methods.size() == 1) {
    add(diff.methods.front(), "");
    return out;
  }
  if (diff.methods.size() > 1) {
    const std::string sum = ", sum of " + plural(static_cast<int64_t>(diff.methods.size()), "method");
    const std::string change = percent_change(diff.before, diff.after);
    out.push_back(
        {"In all " + against(diff.before, diff.after, unit) + (change.empty() ? "" : " (" + change + ")") + sum,
         DiffVerdict::Unclear});
  }
  for (const DiffMethod& m : diff.methods)
    add(m, (m.name.empty() ? std::string("(method not known)") : printable(m.name)) + ": ");
  return out;
}

std::string all_changed_alike(const TraceDiff& diff) {
  if (diff.basis.kind != BasisKind::WarmMedian) return {};  // single executions say nothing of all
  constexpr double kAlike = 1.2;                            // ratios of ops, around that of most of the time
  constexpr double kNearlyAll = 0.8;                        // of the ops' time
  constexpr double kMatters = 1.1;
  constexpr size_t kLeastRows = 5;  // of so few ops, all may have changed
  if (!different_programs(diff).empty()) return {};
  std::vector<std::pair<double, double>> ratios;  // and the time of both: the same either way round
  double all = 0;
  for (const DiffGroup& g : diff.groups) {
    if (g.type.empty()) continue;
    all += std::max(g.before.cost, 0.0) + std::max(g.after.cost, 0.0);
    if (g.delegation_changed() || !(g.before.cost > 0) || !(g.after.cost > 0)) continue;
    ratios.emplace_back(g.after.cost / g.before.cost, g.before.cost + g.after.cost);
  }
  if (ratios.size() < kLeastRows) return {};
  std::sort(ratios.begin(), ratios.end());
  double below = 0, middle = 1;
  for (const auto& [ratio, time] : ratios) {
    middle = ratio;
    if ((below += time) >= all / 2) break;
  }
  if (std::max(middle, 1 / middle) < kMatters) return {};
  double alike = 0;
  for (const auto& [ratio, time] : ratios) alike += ratio > middle / kAlike && ratio < middle * kAlike ? time : 0;
  if (alike < kNearlyAll * all) return {};
  return "Nearly all ops take " + format_real(middle, 2) + " times as long: those of " + format_share(alike / all) +
         " of the ops' time changed by about that. What does so is the machine (its clock, another load), the number "
         "of "
         "threads or the runtime's build, not an op of the program";
}

const char* variation_text() {
  return "what the executions take beyond the usual times of their ops: in each of them other ops are slow, so no op's "
         "median shows it. More of it: a busier machine, or a clock that changes";
}

std::string little_in_common(const TraceDiff& diff) {
  constexpr double kLittle = 0.5;
  double before = 0, after = 0, both_before = 0, both_after = 0;
  int64_t rows = 0, shared = 0;
  for (const DiffGroup& g : diff.groups) {
    if (g.type.empty()) continue;  // what the runtime takes is in every trace
    ++rows;
    before += g.before.cost;
    after += g.after.cost;
    if (g.before.parts.empty() || g.after.parts.empty()) continue;
    ++shared;
    both_before += g.before.cost;
    both_after += g.after.cost;
  }
  if (rows == 0 || !not_comparable(diff).empty() || (both_before >= kLittle * before && both_after >= kLittle * after))
    return {};
  return "Little is the same in both: " + format_count(shared) + " of " + plural(rows, "row") + ", with " +
         format_share(before > 0 ? both_before / before : 0) + " of the ops' time before and " +
         format_share(after > 0 ? both_after / after : 0) +
         " after. Other models, no ETRecord or program, or a delegate that does not tell its ops apart?";
}

}  // namespace et::inspector
