#include "cli/check/explain.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/interruption.h"
#include "base/quantity.h"
#include "cli/check/blame.h"
#include "cli/check/compare_values.h"
#include "cli/check/divergence.h"
#include "cli/check/node_keys.h"
#include "cli/check/reference_values.h"
#include "inspector/analysis/ops/value_layout.h"
#include "inspector/store/file_kind.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;
using inspector::LoggedValue;

bool is_program(const std::string& path) {
  const inspector::FileKind kind = inspector::file_kind(path);
  return kind == inspector::FileKind::Program || kind == inspector::FileKind::BundledProgram;
}

std::string short_number(double v) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3g", v);
  return text;
}

std::string place_text(const LoggedValue& v, int64_t n) {
  bundled::OutputVerdict shape;
  shape.shape = v.shape;
  std::string text = "[";
  for (const int64_t i : shape.place(n)) text += (text.size() > 1 ? ", " : "") + std::to_string(i);
  return text + "]";
}

std::string figures_text(const LoggedValue& v, const bundled::Comparison& c) {
  std::string text = std::to_string(c.outside) + " of " + std::to_string(c.elements) + " values differ, worst at " +
                     place_text(v, c.worst_index) + ": " + short_number(c.got) + " instead of " + short_number(c.want);
  const double snr = c.snr_db();
  if (std::isfinite(snr)) text += ", SNR " + short_number(snr) + " dB";
  return text;
}

/// "addmm.out (instruction 8)".
std::string operator_text(const LoggedValue& v) {
  return v.instruction < 0 ? v.name : v.name + " (instruction " + std::to_string(v.instruction) + ")";
}

/// What the pairs before the first divergence say.
std::string before_text(const Divergence& d, const std::vector<LoggedValue>& values) {
  size_t agree = 0, differ = 0;
  double most = 0;
  for (size_t i = 0; i < d.first.value_or(d.pairs.size()); ++i) {
    if (!d.pairs[i].agrees) {
      ++differ;
      continue;
    }
    ++agree;
    most = std::max(most, d.pairs[i].figures.max_abs_error);
  }
  std::string text = std::to_string(agree) + (agree == 1 ? " value" : " values") + " before it agree";
  if (agree > 0) text += " (largest error " + short_number(most) + ")";
  if (differ > 0) text += ", " + std::to_string(differ) + " differ without making the outputs fail";
  if (d.unmatched > 0) {
    text += ", " + std::to_string(d.unmatched) + " of " + std::to_string(values.size()) + " have no counterpart";
  }
  return text;
}

/// Where the signal to noise ratio falls most from one value to the next: of a quantised program nearly everything
/// differs a little.
std::string drops_text(const Divergence& d, const std::vector<LoggedValue>& values) {
  struct Drop {
    double db;
    size_t pair;
  };
  std::vector<Drop> drops;
  double worst = 200;
  for (size_t i = 0; i < d.pairs.size(); ++i) {
    const double snr = d.pairs[i].figures.snr_db();
    if (!std::isfinite(snr) || snr >= worst) continue;
    if (worst - snr >= 6) drops.push_back({worst - snr, i});
    worst = snr;
  }
  std::stable_sort(drops.begin(), drops.end(), [](const Drop& a, const Drop& b) { return a.db > b.db; });
  if (drops.size() > 3) drops.resize(3);
  std::string text;
  for (const Drop& drop : drops) {
    const LoggedValue& v = values[d.pairs[drop.pair].value];
    text += (text.empty() ? "SNR falls most at " : "; ") + operator_text(v) + " (to " +
            short_number(d.pairs[drop.pair].figures.snr_db()) + " dB)";
  }
  return text;
}

struct OutputAgreement {
  bool agrees = false;
  double largest = 0;  // difference between program and reference
};

/// Whether the elements that are not as expected are as in the reference. Those of a program that rounds otherwise are
/// nearly so: all but a few are nearer to it by far, or all together.
OutputAgreement agreement(const LoggedValue& got, const LoggedValue& good, const LoggedValue& expected,
                          const bundled::Tolerance& tolerance) {
  constexpr double kNear = 0.1;
  constexpr double kShare = 0.99;
  OutputAgreement out;
  const std::vector<double> a = numbers_of(got), b = numbers_of(good), want = numbers_of(expected);
  if (a.empty() || a.size() != b.size() || a.size() != want.size() || got.shape != good.shape) return out;
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  size_t outside = 0, near = 0;
  double from_expected = 0, from_reference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double off = std::abs(a[i] - want[i]), apart = std::abs(a[i] - b[i]);
    if (std::isfinite(apart)) out.largest = std::max(out.largest, apart);
    if (same(a[i], want[i]) || off <= tolerance.atol + tolerance.rtol * std::abs(want[i])) continue;
    ++outside;
    near += same(a[i], b[i]) || apart <= kNear * off ? 1 : 0;
    from_expected += off * off;
    from_reference += same(a[i], b[i]) ? 0 : apart * apart;
  }
  out.agrees = outside > 0 && (static_cast<double>(near) >= kShare * static_cast<double>(outside) ||
                               from_reference <= kNear * from_expected);
  return out;
}

class Explainer {
 public:
  Explainer(const CheckOptions& options, const bundled::CaseVerdict& of) : options_(options), of_(of) {
    out_.file = of.file;
    out_.method = of.method;
    out_.test_case = of.test_case;
  }

  Explanation run() {
    ValueList values;
    ValueList reference;
    Status status = run_logged(request(of_.file), &values);
    if (status.ok()) status = read_reference(&reference);
    if (status.ok() && across()) {
      status = name_by_module(options_.etrecord, of_.method, &values);
      if (status.ok()) status = name_by_module(options_.reference_etrecord, of_.method, &reference);
    }
    if (status.ok()) {
      compare(values, reference);
    } else {
      out_.text = "no explanation: " + status.message();
    }
    return std::move(out_);
  }

 private:
  RunRequest request(const std::string& program) const {
    RunRequest r;
    r.program = program;
    r.method = of_.method;
    r.data_files = options_.verify.data_files;
    r.sidecar = options_.verify.sidecar;
    r.cases = of_.file;
    r.test_case = static_cast<size_t>(of_.test_case);
    r.etrecord = options_.etrecord;
    r.tick = [line = options_.progress] { line->tick(); };
    r.timeout_s = options_.verify.timeout_s ? 10 * *options_.verify.timeout_s : 0;
    return r;
  }

  Status read_reference(ValueList* out) const {
    // Of several the one that is named like the file that is explained.
    std::string chosen;
    for (const std::string& r : options_.references) {
      if (chosen.empty() || fs::path(r).stem() == fs::path(of_.file).stem()) chosen = r;
    }
    if (chosen.empty() && !options_.etrecord.empty()) {
      const ProgressTicker ticker(*options_.progress);
      return run_record(request(of_.file), {}, out);
    }
    if (chosen.empty()) {
      return {Error::InvalidArgument,
              "expected a good run: --reference good.pte, --reference run.etdp, or --etrecord etrecord.bin"};
    }
    RunRequest good = request(chosen);
    if (across()) good.etrecord = options_.reference_etrecord;
    if (is_program(chosen)) return run_logged(good, out);
    return read_logged(chosen, good.etrecord, static_cast<size_t>(of_.test_case), out);
  }

  bundled::Tolerance tolerance() const {
    for (const bundled::OutputVerdict& o : of_.outputs) {
      if (!o.passed() && o.compared) return o.tolerance;
    }
    return bundled::default_tolerance(ScalarType::Float);
  }

  /// Rounding differs from one implementation to the next: what is much closer than the outputs are is not the cause.
  double snr_limit() const {
    constexpr double kMargin = 40;
    double worst = HUGE_VAL;
    for (const bundled::OutputVerdict& o : of_.outputs) {
      if (!o.passed() && o.compared && o.figures.snr_db() < worst) worst = o.figures.snr_db();
    }
    // Of a quantised program nearly everything differs a little.
    constexpr double kQuantised = 20, kQuantisedMargin = 10;
    return across() ? std::min(worst + kQuantisedMargin, kQuantised) : worst + kMargin;
  }

  /// The reference is another export of the model: float32 for int8.
  bool across() const { return !options_.reference_etrecord.empty(); }
  bool by_record() const { return options_.references.empty() && !options_.etrecord.empty(); }

  /// All outputs that failed are the reference's: nobody in the program is to blame. The text says how near they are.
  bool only_expectation(const ValueList& values, const ValueList& reference, std::string* text) const {
    if (values.outputs.size() != reference.outputs.size()) return false;
    std::vector<LoggedValue> expected;
    if (!read_expected(request(of_.file), values.outputs, &expected).ok()) return false;
    bool all = false;
    double largest = 0;
    for (const bundled::OutputVerdict& o : of_.outputs) {
      if (o.passed()) continue;
      if (!o.compared || o.index >= expected.size()) return false;
      const OutputAgreement a =
          agreement(values.outputs[o.index], reference.outputs[o.index], expected[o.index], o.tolerance);
      if (!a.agrees) return false;
      largest = std::max(largest, a.largest);
      all = true;
    }
    *text = "the program agrees with " + reference.from + " (largest difference " + short_number(largest) +
            "): only the expected outputs of the test case differ";
    return all;
  }

  std::vector<FailedOutput> failed_outputs() const {
    std::vector<FailedOutput> out;
    for (const bundled::OutputVerdict& o : of_.outputs) {
      if (!o.passed() && o.compared) out.push_back({o.index, o.tolerance});
    }
    return out;
  }

  void compare(const ValueList& values, const ValueList& reference) {
    out_.reference = reference.from;
    const Closeness close{tolerance(), snr_limit()};
    Divergence d = compare_runs(values.values, reference.values, close);
    std::string agrees;
    if (only_expectation(values, reference, &agrees)) {
      out_.expectation = true;
      out_.text = agrees;
      if (!d.first && !d.pairs.empty()) {
        out_.text += "; all " + std::to_string(d.pairs.size()) + " logged values agree";
      }
      return;
    }
    if (d.pairs.empty()) {
      out_.text = "none of the " + std::to_string(values.values.size()) + " logged values matches one in " +
                  reference.from +
                  (options_.etrecord.empty() ? "; --etrecord allows matching different programs by graph node" : "");
      return;
    }
    if (!d.first) {
      out_.expectation = true;
      out_.text = "all " + std::to_string(d.pairs.size()) + " logged values agree with " + reference.from +
                  ": only the expected outputs of the test case differ";
      return;
    }
    if (by_record()) {
      const ProgressTicker ticker(*options_.progress);
      d.first = blamed_by_record(request(of_.file), d, values, reference, close, failed_outputs());
    }
    const ValuePair& first = d.pairs[*d.first];
    const LoggedValue& v = values.values[first.value];
    out_.operator_name = v.name;
    out_.instruction = v.instruction;
    out_.node = across() && !v.nodes.empty() ? v.nodes.front() : v.node;
    if (!out_.node.empty()) out_.nodes.push_back(out_.node);
    for (const std::string& node : v.nodes) {
      if (node != out_.node) out_.nodes.push_back(node);
    }
    if (!v.file.empty()) out_.source = v.file + ":" + std::to_string(v.line);
    out_.module = v.module;
    out_.delegate = v.backend;
    out_.max_abs_error = first.figures.max_abs_error;
    out_.code = v.code;
    out_.text = figures_text(v, first.figures) + "\n" + before_text(d, values.values);
    const std::string drops = drops_text(d, values.values);
    if (!drops.empty()) out_.text += "\n" + drops;
  }

  const CheckOptions& options_;
  const bundled::CaseVerdict& of_;
  Explanation out_;
};

bool ran(const bundled::CaseVerdict& v) {
  using bundled::Failure;
  return !v.method.empty() &&
         (v.failure == Failure::Values || v.failure == Failure::Metric || v.failure == Failure::Execution);
}

}  // namespace

Status explain_failures(const CheckOptions& options, CheckReport* report) {
  const auto missing = [](const std::string& path) {
    const inspector::FileKind kind = inspector::file_kind(path);
    return kind == inspector::FileKind::Missing || kind == inspector::FileKind::Directory;
  };
  for (const std::string& path : options.references) {
    if (missing(path)) return {Error::AccessFailed, path + ": cannot open: no such file (--reference)"};
  }
  if (!options.etrecord.empty() && missing(options.etrecord)) {
    return {Error::AccessFailed, options.etrecord + ": cannot open: no such file (--etrecord)"};
  }
  const auto failed = static_cast<uint64_t>(std::count_if(report->run.cases.begin(), report->run.cases.end(), ran));
  uint64_t done = 0;
  for (const bundled::CaseVerdict& v : report->run.cases) {
    if (interruption() != 0) break;
    if (!ran(v)) continue;
    (*options.progress)("explaining " + v.name(), done++, failed);
    Explanation found = Explainer(options, v).run();
    if (interruption() == 0) report->explanations.push_back(std::move(found));
  }
  return {};
}

}  // namespace et::cli
