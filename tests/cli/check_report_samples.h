// Results of et-check as tests of its reports need them: each kind of failure and verdict, and texts that no format may
// take as they are.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "cli/check/report.h"

namespace et::cli::test {

using bundled::CaseVerdict;
using bundled::Failure;
using bundled::OutputVerdict;

inline constexpr const char* kSha = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

inline OutputVerdict output(uint32_t index, Failure failure) {
  OutputVerdict o;
  o.index = index;
  o.failure = failure;
  o.dtype = "float32";
  o.shape = {2, 5};
  o.tolerance = {1e-5, 1e-8};
  o.tolerance_from = "dtype";
  o.compared = true;
  o.figures.elements = 10;
  o.figures.signal = 385;
  o.figures.got_signal = 385;
  o.figures.product = 385;
  if (failure == Failure::None) return o;
  o.reason = "3 of 10 values out of tolerance, worst at [0, 3]: got 1.5, expected 1";
  o.tolerance_from = "policy.toml: [outputs.forward.0]";
  o.figures.outside = 3;
  o.figures.max_abs_error = 0.5;
  o.figures.worst_index = 3;
  o.figures.max_rel_error = 0.75;
  o.figures.worst_rel_index = 9;
  o.figures.mean_abs_error = 0.0625;
  o.figures.noise = 0.385;
  o.figures.got = 1.5;
  o.figures.want = 1;
  return o;
}

inline CaseVerdict verdict(const std::string& file, int64_t test_case, Failure failure) {
  CaseVerdict v;
  v.file = file;
  v.program = kSha;
  v.method = "forward";
  v.test_case = test_case;
  v.failure = failure;
  v.operators = {"aten::add.out", "aten::mm.out"};
  v.samples_ns = {13000, 12000, 12500};
  v.iterations = 3;
  v.memory_bytes = 4096;
  if (failure == Failure::None || failure == Failure::Values) {
    v.outputs = {output(0, failure)};
    if (failure != Failure::None) v.reason = "output 0: " + v.outputs[0].reason;
  } else {
    v.reason = std::string("it is because of ") + bundled::failure_name(failure);
  }
  return v;
}

inline PerformanceCheck performance(int64_t test_case, perf::PerfResult::Verdict verdict, bool passed,
                                    const std::string& text) {
  PerformanceCheck p;
  p.file = "models/fast.bpte";
  p.program = kSha;
  p.method = "forward";
  p.test_case = test_case;
  p.against = "baseline.json";
  p.max_slowdown = 0.05;
  p.result.verdict = verdict;
  p.result.passed = passed;
  p.result.text = text;
  p.result.clock = "cpu";
  if (verdict == perf::PerfResult::Refused) return p;
  p.result.median_ns = 1250;
  p.result.baseline_median_ns = 1180.5;
  p.result.ratio = 1.0589;
  p.result.ratio_low = 1.04;
  p.result.ratio_high = 1.07;
  p.result.noise = 0.004;
  p.result.rounds = 12;
  p.result.samples = 480;
  p.result.elapsed_s = 2.5;
  return p;
}

inline CheckReport empty_report() {
  CheckReport r;
  r.started = "2026-11-22T03:50:00Z";
  r.duration_ns = 1234567890;
  r.host.name = "builder";
  r.host.cpu = "Some Processor @ 2.50GHz";
  r.host.cores = 4;
  r.host.os = "Linux 6.1 x86_64";
  return r;
}

/// A bit of everything that et-check finds.
inline CheckReport mixed_report() {
  CheckReport r = empty_report();
  r.run.add(verdict("models/good.bpte", 0, Failure::None));
  r.run.cases[0].etdump = "traces/good.etdp";
  CaseVerdict wrong = verdict("models/wrong.bpte", 0, Failure::Values);
  wrong.outputs.push_back(output(1, Failure::None));
  OutputVerdict nan = output(2, Failure::Values);
  nan.reason = "1 of 10 values out of tolerance, worst at [0, 1]: got nan, expected inf";
  nan.figures.outside = 1;
  nan.figures.max_abs_error = 0;
  nan.figures.max_rel_error = 0;
  nan.figures.worst_rel_index = -1;
  nan.figures.worst_index = 1;
  nan.figures.mean_abs_error = 0;
  nan.figures.noise = 0;
  nan.figures.nan_mismatch = 1;
  nan.figures.inf_mismatch = 2;
  nan.figures.got = std::nan("");
  nan.figures.want = std::numeric_limits<double>::infinity();
  wrong.reason += "; output 2: " + nan.reason;
  wrong.outputs.push_back(nan);
  r.run.add(wrong);
  r.run.add(verdict("models/wrong.bpte", 1, Failure::None));
  for (int f = static_cast<int>(Failure::Metric); f <= static_cast<int>(Failure::Io); ++f) {
    r.run.add(verdict("models/kinds.bpte", f, static_cast<Failure>(f)));
  }
  CaseVerdict scalar = verdict("models/scalar.bpte", 0, Failure::Values);
  scalar.outputs[0].shape = {};
  scalar.outputs[0].dtype = "Int";
  scalar.outputs[0].figures.elements = 1;
  scalar.outputs[0].figures.worst_index = scalar.outputs[0].figures.worst_rel_index = 0;
  scalar.outputs[0].reason = "got 7, expected 8";
  scalar.reason = "output 0: got 7, expected 8";
  r.run.add(scalar);
  CaseVerdict cut;  // of a file that could not be read at all
  cut.file = "models/cut.bpte";
  cut.failure = Failure::Corrupt;
  cut.reason = "models/cut.bpte: offset 4: file identifier: expected BP08";
  r.run.add(cut);

  using P = perf::PerfResult;
  r.performance = {performance(0, P::NoDifference, true, "no difference (1.25 µs, ±0.4 %)"),
                   performance(1, P::Slower, false, "slower by 4–7 % (1.25 µs, was 1.18 µs)"),
                   performance(2, P::Slower, true, "slower by 2–3 % (1.25 µs, was 1.22 µs)"),
                   performance(3, P::Faster, true, "faster by 4–7 % (1.25 µs, was 1.33 µs)"),
                   performance(4, P::TooNoisy, false, "too noisy to tell (±6 %)"),
                   performance(5, P::Refused, false, "refused: recorded on another host")};
  Explanation e;
  e.file = "models/wrong.bpte";
  e.method = "forward";
  e.reference = "reference.pte";
  e.operator_name = "aten::mm.out";
  e.instruction = 3;
  e.node = "mm";
  e.source = "src/model.py:41";
  e.code = "return x @ self.weight";
  e.max_abs_error = 0.5;
  e.text = "3 of 10 values differ, worst at [0, 3]\n12 values before it agree (largest error 1e-07)";
  r.explanations.push_back(e);
  e.test_case = static_cast<int64_t>(Failure::Metric);
  e.file = "models/kinds.bpte";
  e.operator_name = "Convolution (NHWC, F32)";
  e.delegate = "XnnpackBackend";
  e.source = "/elsewhere/model.py:7";
  e.code = "";
  r.explanations.push_back(e);
  e.test_case = static_cast<int64_t>(Failure::Execution);
  e.operator_name = e.node = e.source = e.code = e.delegate = "";
  e.instruction = -1;
  e.text = "All operators agree with the reference.";
  r.explanations.push_back(e);
  return r;
}

/// Texts of files that mean something in one of the formats.
inline CheckReport hostile_report() {
  const std::string text =
      "a<b>&\"c\"'d' ]]> %0A, 100% : \\ `x` | [y](z)\r\n::error::injected\n\x01\x1b[31m\x7f \xff\xc0\x80 \xEF\xBF\xBF "
      "\xF0\x9F\x98\x80";
  CheckReport r = empty_report();
  CaseVerdict v = verdict("odd, name:" + text + ".bpte", 0, Failure::Values);
  v.method = text;
  v.reason = text + std::string(100000, 'x');
  v.operators = {text};
  v.etdump = text;
  v.outputs[0].reason = v.outputs[0].dtype = v.outputs[0].tolerance_from = text;
  r.run.add(v);
  PerformanceCheck p = performance(0, perf::PerfResult::Slower, false, text);
  p.file = v.file;
  p.against = text;
  r.performance.push_back(p);
  Explanation e;
  e.file = v.file;
  e.method = v.method;
  e.operator_name = e.node = e.delegate = e.reference = e.code = e.text = text;
  e.source = text + ":12";
  r.explanations.push_back(e);
  r.host.name = r.host.cpu = r.host.os = text;
  return r;
}

/// As of a conformance suite that goes wrong altogether.
inline CheckReport large_report(size_t cases) {
  CheckReport r = empty_report();
  for (size_t i = 0; i < cases; ++i) {
    r.run.add(verdict("suite/op_" + std::to_string(i / 10) + ".bpte", static_cast<int64_t>(i % 10),
                      i % 3 == 0 ? Failure::MissingOperator : Failure::Values));
  }
  return r;
}

}  // namespace et::cli::test
