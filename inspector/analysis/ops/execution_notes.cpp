#include "inspector/analysis/ops/execution_notes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "inspector/analysis/ops/execution_explainer.h"
#include "inspector/analysis/ops/execution_pattern.h"
#include "inspector/analysis/ops/held_up.h"
#include "inspector/analysis/ops/interruptions.h"
#include "inspector/analysis/ops/kept_executions.h"
#include "inspector/match/statistics.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr size_t kOutliersNamed = 3;      // of a method; the rest are counted
constexpr double kDisturbedShare = 0.25;  // of the median execution
constexpr size_t kGroupRead = 12;         // executions of a slow group that are looked into
constexpr size_t kHeldUpRead = 64;        // executions of a method that may have been held up
constexpr double kColdRatio = 1.25;       // a first execution of that many times the median is worth a line

struct RunFacts {
  LongerRun run;
  int64_t number = 0;  // among the executions of the method
  double held_up = 0;  // of its time, while the processor was taken away

  double time() const { return run.time; }
  double own_time() const { return time() - held_up; }
};

// The executions of a method that should take the same: those of one input.
struct MethodRuns {
  std::optional<std::string> method;
  std::optional<int64_t> test_case;
  std::vector<RunFacts> warm;
  std::optional<RunFacts> cold;
  double total = 0;

  // As all tables have it: of what was measured, held up or not.
  double median() const {
    std::vector<double> times;
    for (const RunFacts& r : warm) times.push_back(r.time());
    return median_of(std::move(times));
  }
};

class NoteFinder {
 public:
  NoteFinder(const Store& store, int64_t trace, std::vector<ExecutionNote>* out)
      : store_(store), trace_(trace), out_(*out), explainer_(store) {}

  Status find() {
    Status status = load();
    for (MethodRuns& s : series_) {
      if (status.ok()) status = patterns(s);
    }
    if (status.ok()) status = disturbed();
    if (status.ok()) few();
    // Of methods with many test cases the worst executions of all come first.
    std::stable_sort(out_.begin(), out_.end(), [](const ExecutionNote& a, const ExecutionNote& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.extra_share > b.extra_share;
    });
    return status;
  }

 private:
  // The worst outlier of each method, then what changes its median, then what to know of it; single executions last.
  static int rank(const ExecutionNote& n) {
    switch (n.kind) {
      case ExecutionNote::Kind::Disturbed:
        return -1;  // then nothing else is worth much
      case ExecutionNote::Kind::Outlier:
        return n.ordinal == 0 ? 0 : 4;
      case ExecutionNote::Kind::MoreOutliers:
        return 5;
      case ExecutionNote::Kind::Few:
        return 3;
      case ExecutionNote::Kind::Cold:
        return 2;
      default:
        return 1;
    }
  }

  Status load() {
    Statement st;
    Status status = store_.prepare("SELECT unit FROM traces WHERE trace_id = ?1", &st);
    if (!status.ok()) return status;
    st.bind_all(trace_);
    if (st.step()) unit_ = st.str(0);
    explainer_.set_unit(unit_);
    status = store_.prepare(
        "SELECT block_id, method, bundled_input_index, runs FROM blocks WHERE trace_id = ?1 AND kind = 'execute'", &st);
    if (!status.ok()) return status;
    st.bind_all(trace_);
    struct BlockFacts {
      std::optional<std::string> method;
      std::optional<int64_t> test_case;
    };
    std::map<int64_t, BlockFacts> blocks;
    while (st.step()) {
      blocks[st.integer(0)] = {st.maybe_text(1), st.maybe_integer(2)};
      explainer_.add_block(st.integer(0), st.maybe_text(1), st.integer(3));
    }
    status = st.finish("blocks");
    if (status.ok()) {
      status = store_.prepare(
          "SELECT run_id, block_id, execution, duration_ns, is_cold, complete FROM executions WHERE trace_id = ?1 "
          "ORDER BY run_id",
          &st);
    }
    if (!status.ok()) return status;
    st.bind_all(trace_);
    std::map<std::pair<std::optional<std::string>, std::optional<int64_t>>, size_t> index;
    std::map<std::optional<std::string>, int64_t> numbers;
    while (st.step()) {
      const auto block = blocks.find(st.integer(1));
      if (block == blocks.end()) continue;
      const BlockFacts& facts = block->second;
      const auto [at, is_new] = index.try_emplace({facts.method, facts.test_case}, series_.size());
      if (is_new) series_.push_back({facts.method, facts.test_case, {}, {}, 0});
      MethodRuns& s = series_[at->second];
      const RunFacts run = {{st.integer(0), block->first, st.integer(2), st.real(3)}, numbers[facts.method]++};
      if (st.integer(5) == 0) continue;  // failed or cut: says nothing about speed
      s.total += run.time();
      if (st.integer(4) != 0) {
        s.cold = run;
      } else {
        s.warm.push_back(run);
      }
    }
    std::stable_sort(series_.begin(), series_.end(),
                     [](const MethodRuns& a, const MethodRuns& b) { return a.total > b.total; });
    return st.finish("executions");
  }

  std::string time(double ticks) const { return format_duration_with_unit(ticks, unit_); }

  ExecutionNote note_of(const MethodRuns& s, ExecutionNote::Kind kind) const {
    ExecutionNote note;
    note.kind = kind;
    note.method = s.method;
    note.test_case = s.test_case;
    note.warm = static_cast<int64_t>(s.warm.size());
    note.count = 1;
    return note;
  }
  static void set_run(const RunFacts& run, ExecutionNote* note) {
    note->run_id = run.run.id;
    note->execution = run.number;
    note->time = run.time();
  }

  static TimePattern pattern_of(const MethodRuns& s, bool groups = true) {
    std::vector<double> times;
    for (const RunFacts& r : s.warm) times.push_back(r.own_time());
    TimePattern out = find_pattern(times, groups);
    out.median = s.median();
    return out;
  }

  /// Which executions were held up, so that neither groups nor a step are seen that the program has no part in.
  Status hold_ups(MethodRuns* s, std::vector<HeldUp>* out) {
    std::vector<double> times;
    for (const RunFacts& r : s->warm) times.push_back(r.time());
    const auto explain = [&](size_t index, double usual, std::vector<ExtraTime>* ops) {
      OpCount slower;
      return explainer_.extra_times(s->warm[index].run, s->method, usual, ops, &slower);
    };
    Status status = find_held_up(times, kHeldUpRead, explain, out);
    for (RunFacts& r : s->warm) r.held_up = 0;  // what was found before one of them was taken for the cold one
    for (const HeldUp& h : *out) s->warm[h.index].held_up = h.ticks;
    return status;
  }

  /// Not `groups` where the executions of the slow group were held up each in another op: stalls of about the same
  /// length look like a second mode, and are none of the program's.
  Status pattern_of(const MethodRuns& s, TimePattern* out) {
    *out = pattern_of(s);
    if (!out->modes || out->modes->high_count > out->modes->low_count) return {};
    const double border = std::sqrt(out->modes->low * out->modes->high);
    std::vector<const RunFacts*> slow;
    for (const RunFacts& r : s.warm) {
      if (r.own_time() > border) slow.push_back(&r);
    }
    // By what most of the time is in: a delegate's ops of one type have one name.
    std::map<std::pair<int64_t, std::string>, size_t> held_up;
    size_t read = 0, one_op = 0;
    const size_t step = std::max<size_t>(1, slow.size() / kGroupRead);
    for (size_t i = 0; i < slow.size(); i += step) {
      std::vector<ExtraTime> ops;
      OpCount slower;
      Status status = explainer_.extra_times(slow[i]->run, s.method, out->modes->low, &ops, &slower);
      if (!status.ok()) return status;
      ++read;
      const bool one = !ops.empty() && ops[0].ticks >= kHeldUp * (slow[i]->time() - out->modes->low);
      one_op += one ? 1 : 0;
      if (one) ++held_up[{ops[0].op_id.value_or(0), ops[0].name}];
    }
    size_t most = 0;
    for (const auto& [op, times] : held_up) most = std::max(most, times);
    // Of three, all three: two of them in one op may be that op's slow way.
    if (read > 0 && 4 * one_op >= 3 * read && 2 * most < one_op) *out = pattern_of(s, false);
    return {};
  }

  /// Of an op with a slow way some of the slow executions may look held up, as another op was slow for as long in them:
  /// they are of the slow group all the same, and are counted there alone.
  Status whole_groups(MethodRuns* s, std::vector<HeldUp>* held, TimePattern* p) {
    if (!p->modes || held->empty()) return {};
    MethodRuns whole = *s;
    for (RunFacts& r : whole.warm) r.held_up = 0;
    TimePattern groups;
    if (Status status = pattern_of(whole, &groups); !status.ok() || !groups.modes) return status;
    const double border = std::sqrt(groups.modes->low * groups.modes->high);
    std::erase_if(*held, [&](const HeldUp& h) { return whole.warm[h.index].time() > border; });
    *s = std::move(whole);
    *p = std::move(groups);
    return {};
  }

  Status find_pattern_of(MethodRuns* s, std::vector<HeldUp>* held, TimePattern* p) {
    Status status = hold_ups(s, held);
    if (status.ok()) status = pattern_of(*s, p);
    if (status.ok()) status = whole_groups(s, held, p);
    return status;
  }

  Status patterns(MethodRuns& s) {
    TimePattern p;
    std::vector<HeldUp> held;
    Status status = find_pattern_of(&s, &held, &p);
    if (!status.ok()) return status;
    const bool taken_for_cold = !s.cold && first_stands_out(p) && s.warm[0].number == 0;
    const double median = p.median;  // that all tables name
    if (taken_for_cold) {
      s.cold = s.warm.front();
      s.warm.erase(s.warm.begin());
      if (status = find_pattern_of(&s, &held, &p); !status.ok()) return status;
    }
    status = outliers(s, p, held);
    if (status.ok()) shape(s, p, taken_for_cold);
    if (status.ok() && s.cold) status = cold(s, taken_for_cold ? median : p.median, taken_for_cold);
    return status;
  }

  struct Outlier {
    size_t index = 0;
    double time = 0, expected = 0;
    const HeldUp* held_up = nullptr;
  };

  static std::vector<Outlier> outliers_of(const MethodRuns& s, const TimePattern& p, const std::vector<HeldUp>& held) {
    std::vector<Outlier> out;
    for (const TimeOutlier& o : p.outliers) {
      const auto is_it = [&](const HeldUp& h) { return h.index == o.index; };
      // Times without stalls are compared: where most executions have some, what stands out may be below the median.
      const bool of_all = !p.modes && !p.step && !p.drift;
      if ((!of_all || o.time > p.median) && std::none_of(held.begin(), held.end(), is_it))
        out.push_back({o.index, o.time, o.expected, nullptr});
    }
    for (const HeldUp& h : held) out.push_back({h.index, s.warm[h.index].time(), p.median, &h});
    std::stable_sort(out.begin(), out.end(), [](const Outlier& a, const Outlier& b) { return a.time > b.time; });
    return out;
  }

  Status outliers(const MethodRuns& s, const TimePattern& p, const std::vector<HeldUp>& held) {
    const std::string expected = p.modes   ? "its group's median of "
                                 : p.step  ? "that part's median of "
                                 : p.drift ? "the trend's "
                                           : "a median of ";
    double warm = 0;
    for (const RunFacts& r : s.warm) warm += r.time();
    const std::vector<Outlier> all = outliers_of(s, p, held);
    for (size_t i = 0; i < std::min(all.size(), kOutliersNamed); ++i) {
      const Outlier& o = all[i];
      ExecutionNote note = note_of(s, ExecutionNote::Kind::Outlier);
      set_run(s.warm[o.index], &note);
      note.reference = o.expected;
      note.ordinal = static_cast<int>(i);
      note.extra_share = warm > 0 ? (o.time - o.expected) / warm : 0;
      note.text = "#" + format_count(*note.execution) + " took " + time(o.time) + " against " +
                  (o.held_up != nullptr ? "a median of " : expected) + time(o.expected);
      if (Status status = explainer_.explain(s.warm[o.index].run, &note); !status.ok()) return status;
      if (o.held_up != nullptr) name_interruption(*o.held_up, &note);
      out_.push_back(std::move(note));
    }
    for (const bool interrupted : {false, true}) more_outliers(s, all, interrupted, warm);
    return {};
  }

  void name_interruption(const HeldUp& held, ExecutionNote* note) {
    note->interrupted = true;
    if (note->ops.empty()) note->ops = held.ops;
    note->text += "; most likely an interruption";
    const ExtraTime& most = note->ops.front();
    if (most.op_id) note->text += ": the op takes " + time(most.usual) + " otherwise";
  }

  /// Those that are not named, which were held up or not.
  void more_outliers(const MethodRuns& s, const std::vector<Outlier>& all, bool interrupted, double warm) {
    const Outlier* slowest = nullptr;
    int64_t count = 0;
    double more = 0;
    for (size_t i = kOutliersNamed; i < all.size(); ++i) {
      if ((all[i].held_up != nullptr) != interrupted) continue;
      if (slowest == nullptr) slowest = &all[i];
      ++count;
      more += all[i].time - all[i].expected;
    }
    if (slowest == nullptr) return;
    ExecutionNote note = note_of(s, ExecutionNote::Kind::MoreOutliers);
    note.count = count;
    note.interrupted = interrupted;
    note.reference = s.median();
    set_run(s.warm[slowest->index], &note);
    note.extra_share = warm > 0 ? more / warm : 0;
    const std::string what =
        interrupted  ? count == 1 ? " was interrupted as well: #" : " were interrupted as well, the slowest of them #"
        : count == 1 ? " stands out: #"
                     : " stand out, the slowest of them #";
    note.text = format_count(count) + " more of " + plural(note.warm, "warm execution") + what +
                format_count(*note.execution) + ": " + time(note.time) + " against " + time(note.reference) +
                (count == 1 ? "" : ", together " + time(more) + " more than usual");
    out_.push_back(std::move(note));
  }

  void shape(const MethodRuns& s, const TimePattern& p, bool without_first) {
    const auto changed = [](double from, double to) {
      return format_real(std::fabs(to / from - 1) * 100, 0) + "% " + (to > from ? "slower" : "faster");
    };
    if (p.step) {
      ExecutionNote note = note_of(s, ExecutionNote::Kind::Step);
      set_run(s.warm[p.step->index], &note);
      note.count = static_cast<int64_t>(s.warm.size() - p.step->index);
      note.time = p.step->after;
      note.reference = p.step->before;
      note.text = "from #" + format_count(*note.execution) + " on executions are " +
                  changed(note.reference, note.time) + ": median " + time(note.time) + " against " +
                  time(note.reference) + " before (a clock that changed, or another load)";
      out_.push_back(std::move(note));
    } else if (p.drift) {
      ExecutionNote note = note_of(s, ExecutionNote::Kind::Drift);
      note.count = note.warm;
      note.reference = p.drift->first;
      note.time = p.drift->last;
      note.text = "executions get steadily " + std::string(note.time > note.reference ? "slower" : "faster") +
                  ": median " + time(note.reference) + " of the first " +
                  format_count(static_cast<int64_t>(p.drift->ends)) + ", " + time(note.time) + " of the last, over " +
                  (without_first ? "the other " : "") + plural(note.warm, "execution");
      out_.push_back(std::move(note));
    } else if (p.modes) {
      ExecutionNote note = note_of(s, ExecutionNote::Kind::Modes);
      note.count = static_cast<int64_t>(p.modes->high_count);
      note.time = p.modes->high;
      note.reference = p.modes->low;
      note.text = "executions fall into two groups: " + format_count(static_cast<int64_t>(p.modes->low_count)) +
                  " around " + time(note.reference) + ", " + format_count(note.count) + " around " + time(note.time) +
                  "; the median stands for one of them only";
      out_.push_back(std::move(note));
    }
  }

  Status cold(const MethodRuns& s, double usual, bool only_the_first) {
    // The first test case of a method is cold, and may be the only one of its kind.
    for (const MethodRuns& other : series_) {
      if (s.warm.empty() && other.method == s.method && !other.warm.empty()) usual = other.median();
    }
    if (!(usual > 0) || s.cold->time() < kColdRatio * usual) return {};
    ExecutionNote note = note_of(s, ExecutionNote::Kind::Cold);
    set_run(*s.cold, &note);
    note.reference = usual;
    const double ratio = note.time / usual;
    // Where the runs before it are not in the trace, as warm-up, it is in the median with the others.
    note.text = (only_the_first ? "#" + format_count(*note.execution) + ", the first in this trace, took "
                                : "the first execution took ") +
                time(note.time) + ", " + format_real(ratio, ratio < 10 ? 1 : 0) + " times the " +
                (only_the_first ? "" : "warm ") + "median of " + time(usual);
    Status status = explainer_.explain(s.cold->run, &note);
    out_.push_back(std::move(note));
    return status;
  }

  // Where much of the usual execution is in no op's usual time, each execution was held up, each time elsewhere.
  Status disturbed() {
    if (!store_.has_table("raw_execution_basis")) return {};
    Statement st;
    Status status = store_.prepare(
        "SELECT e.method, e.warm, e.warm_median_ns, (SELECT total(c.warm_median_ns) FROM blocks b JOIN ops o ON "
        "o.block_id = b.block_id JOIN op_costs c ON c.op_id = o.op_id WHERE b.trace_id = e.trace_id AND b.kind = "
        "'execute' AND b.method IS e.method AND o.clock IS NULL AND c.merged_into_op_id IS NULL) FROM execution_bases "
        "e "
        "WHERE e.trace_id = ?1",
        &st);
    if (!status.ok()) return status;
    st.bind_all(trace_);
    while (st.step()) {
      ExecutionNote note;
      note.kind = ExecutionNote::Kind::Disturbed;
      note.method = st.maybe_text(0);
      note.count = note.warm = st.integer(1);
      note.time = st.real(2);
      note.reference = st.real(3);
      const double variation = note.time - note.reference;
      // Test cases may take more or less: their median is of no one input.
      const auto cases =
          std::count_if(series_.begin(), series_.end(), [&](const auto& s) { return s.method == note.method; });
      if (cases > 1 || note.warm < static_cast<int64_t>(kFewExecutions) || variation < kDisturbedShare * note.time)
        continue;
      double fastest = note.time;
      for (const MethodRuns& s : series_) {
        for (const RunFacts& run : s.warm) fastest = s.method == note.method ? std::min(fastest, run.time()) : fastest;
      }
      note.text = "the machine was disturbed: " + format_share(variation / note.time) + " of the median execution of " +
                  time(note.time) + " is in no op's usual time, each time in another op; the ops usually take " +
                  time(note.reference) + " together, the fastest execution took " + time(fastest) +
                  ". Measure again on an idle machine";
      out_.push_back(std::move(note));
    }
    return st.finish("costs of executions");
  }

  void few() {
    std::map<std::optional<std::string>, int64_t> warm;
    for (const MethodRuns& s : series_) {
      if (s.total > 0) warm[s.method] += static_cast<int64_t>(s.warm.size());  // all failed: nothing to measure
    }
    for (const auto& [method, count] : warm) {
      if (count >= static_cast<int64_t>(kFewExecutions)) continue;
      ExecutionNote note;
      note.kind = ExecutionNote::Kind::Few;
      note.method = method;
      note.count = note.warm = count;
      note.text = count == 0 ? "no warm execution: times are of the first one, cold; run with -n 20"
                             : plural(count, "warm execution") + (count == 1 ? ": its time is" : ": medians are") +
                                   " uncertain, run with -n 20";
      out_.push_back(std::move(note));
    }
  }

  const Store& store_;
  int64_t trace_;
  std::vector<ExecutionNote>& out_;
  ExecutionExplainer explainer_;
  std::string unit_ = "ns";
  std::vector<MethodRuns> series_;
};

}  // namespace

const char* execution_note_name(ExecutionNote::Kind kind) {
  static constexpr const char* kNames[] = {"outlier", "more_outliers", "cold", "step",
                                           "drift",   "modes",         "few",  "disturbed"};
  return kNames[static_cast<size_t>(kind)];
}

Status load_execution_notes(const Store& store, int64_t trace_id, std::vector<ExecutionNote>* out) {
  if (load_kept_notes(store, trace_id, out)) return {};
  out->clear();
  return NoteFinder(store, trace_id, out).find();
}

std::string execution_note_line(const ExecutionNote& note, bool name_method) {
  std::string place = name_method ? note.method.value_or("(method unknown)") : "";
  if (note.test_case) place += (place.empty() ? "test case " : ", test case ") + std::to_string(*note.test_case);
  return place.empty() ? note.text : place + ": " + note.text;
}

bool several_methods(const std::vector<ExecutionNote>& notes) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const ExecutionNote& n) { return n.method != notes.front().method; });
}

}  // namespace et::inspector
