// "et-check/1": the results for other programs and for the store.
#include <algorithm>
#include <cmath>

#include "base/interruption.h"
#include "cli/check/report_parts.h"
#include "cli/version.h"
#include "inspector/text/json_writer.h"

namespace et::cli {
namespace {

using bundled::CaseVerdict;
using bundled::OutputVerdict;
using inspector::JsonWriter;

/// Numbers that JSON cannot hold are texts.
void number(JsonWriter* json, const char* name, double v) {
  json->key(name);
  if (std::isnan(v)) {
    json->value("NaN");
  } else if (std::isinf(v)) {
    json->value(v < 0 ? "-Infinity" : "Infinity");
  } else {
    json->value(v);
  }
}

/// NaN: does not apply.
void metric(JsonWriter* json, const char* name, double v) {
  if (std::isnan(v)) {
    json->member(name, nullptr);
  } else {
    number(json, name, v);
  }
}

/// Empty: does not apply.
void text(JsonWriter* json, const char* name, const std::string& v) {
  json->key(name);
  if (v.empty()) {
    json->value(nullptr);
  } else {
    json->value(v);
  }
}

/// Negative: does not apply.
void natural(JsonWriter* json, const char* name, int64_t v) {
  json->key(name);
  if (v < 0) {
    json->value(nullptr);
  } else {
    json->value(v);
  }
}

template <class List>
void list(JsonWriter* json, const char* name, const List& values) {
  json->key(name).begin_array();
  for (const auto& v : values) json->value(v);
  json->end_array();
}

void place(JsonWriter* json, const char* name, const OutputVerdict& output, int64_t index) {
  if (index < 0) {
    json->member(name, nullptr);
  } else {
    list(json, name, output.place(index));
  }
}

void failure(JsonWriter* json, bundled::Failure kind, const std::string& reason) {
  const bool passed = kind == bundled::Failure::None;
  json->member("passed", passed);
  text(json, "kind", passed ? "" : bundled::failure_name(kind));
  text(json, "reason", passed ? "" : reason.empty() ? bundled::failure_text(kind) : reason);
}

void write_output(JsonWriter* json, const OutputVerdict& output) {
  const bundled::Comparison& c = output.figures;
  const double none = std::nan("");
  const bool compared = output.compared;
  json->begin_object().member("index", static_cast<int64_t>(output.index)).member("name", nullptr);
  failure(json, output.failure, output.reason);
  text(json, "dtype", output.dtype);
  list(json, "shape", std::vector<int64_t>(output.shape.begin(), output.shape.end()));
  natural(json, "elements", compared ? static_cast<int64_t>(c.elements) : -1);
  natural(json, "outside", compared ? static_cast<int64_t>(c.outside) : -1);
  number(json, "rtol", output.tolerance.rtol);
  number(json, "atol", output.tolerance.atol);
  text(json, "tolerance_from", output.tolerance_from);
  metric(json, "max_abs_error", compared ? c.max_abs_error : none);
  place(json, "max_abs_at", output, compared ? c.worst_index : -1);
  metric(json, "max_rel_error", compared ? c.max_rel_error : none);
  place(json, "max_rel_at", output, compared ? c.worst_rel_index : -1);
  metric(json, "mean_abs_error", compared ? c.mean_abs_error : none);
  metric(json, "snr_db", compared ? c.snr_db() : none);
  metric(json, "cosine_similarity", compared ? c.cosine_similarity() : none);
  natural(json, "nan_mismatch", compared ? static_cast<int64_t>(c.nan_mismatch) : -1);
  natural(json, "inf_mismatch", compared ? static_cast<int64_t>(c.inf_mismatch) : -1);
  if (compared && c.worst_index >= 0) {
    number(json, "got", c.got);
    number(json, "want", c.want);
  } else {
    json->member("got", nullptr).member("want", nullptr);
  }
  json->end_object();
}

void write_name(JsonWriter* json, const std::string& file, const std::string& method, int64_t test_case) {
  json->member("file", file);
  text(json, "method", method);
  natural(json, "case", test_case);
}

void write_case(JsonWriter* json, const CaseVerdict& v) {
  json->begin_object();
  write_name(json, v.file, v.method, v.test_case);
  text(json, "program", v.program);
  failure(json, v.failure, v.reason);
  metric(json, "max_abs_error", v.max_abs_error());
  list(json, "operators", v.operators);
  list(json, "backends", v.backends);
  natural(json, "duration_ns", v.samples_ns.empty() ? -1 : v.duration_ns());
  natural(json, "memory_bytes", v.memory_bytes == 0 ? -1 : static_cast<int64_t>(v.memory_bytes));
  json->member("iterations", static_cast<int64_t>(v.iterations));
  const size_t samples = std::min(v.samples_ns.size(), CaseVerdict::kMaxSamples);
  list(json, "samples_ns",
       std::vector<int64_t>(v.samples_ns.begin(), v.samples_ns.begin() + static_cast<ptrdiff_t>(samples)));
  text(json, "etdump", v.etdump);
  json->key("outputs").begin_array();
  for (const OutputVerdict& output : v.outputs) write_output(json, output);
  json->end_array().end_object();
}

void write_performance(JsonWriter* json, const PerformanceCheck& check, Outcome outcome) {
  const perf::PerfResult& r = check.result;
  const double none = std::nan("");
  json->begin_object();
  write_name(json, check.file, check.method, check.test_case);
  text(json, "program", check.program);
  text(json, "against", check.against);
  json->member("verdict", perf::verdict_name(r.verdict)).key("passed");
  if (outcome == Outcome::Skipped) {
    json->value(nullptr);
  } else {
    json->value(outcome == Outcome::Passed);
  }
  text(json, "text", r.text);
  const bool measured = r.ratio > 0;
  metric(json, "median_ns", r.median_ns > 0 ? r.median_ns : none);
  metric(json, "baseline_median_ns", r.baseline_median_ns > 0 ? r.baseline_median_ns : none);
  metric(json, "ratio", measured ? r.ratio : none);
  metric(json, "ratio_low", measured ? r.ratio_low : none);
  metric(json, "ratio_high", measured ? r.ratio_high : none);
  metric(json, "noise", measured ? r.noise : none);
  json->member("rounds", static_cast<int64_t>(r.rounds)).member("samples", static_cast<int64_t>(r.samples));
  number(json, "max_slowdown", check.max_slowdown);
  text(json, "clock", r.clock);
  json->end_object();
}

void write_explanation(JsonWriter* json, const Explanation& e) {
  json->begin_object();
  write_name(json, e.file, e.method, e.test_case);
  text(json, "reference", e.reference);
  text(json, "operator", e.operator_name);
  natural(json, "instruction", e.instruction);
  text(json, "node", e.node);
  text(json, "source", e.source);
  text(json, "module", e.module);
  text(json, "code", e.code);
  text(json, "delegate", e.delegate);
  metric(json, "max_abs_error", e.operator_name.empty() ? std::nan("") : e.max_abs_error);
  text(json, "text", e.text);
  json->member("expectation", e.expectation).key("nodes").begin_array();
  for (const std::string& node : e.nodes) json->value(node);
  json->end_array().end_object();
}

}  // namespace

std::string json_report(const CheckReport& report) {
  std::string out;
  JsonWriter json(&out);
  json.begin_object().member("schema", "et-check/1");
  json.key("tool").begin_object().member("name", "et-check").member("version", kVersion).end_object();
  json.key("host").begin_object();
  text(&json, "name", report.host.name);
  text(&json, "cpu", report.host.cpu);
  natural(&json, "cores", report.host.cores == 0 ? -1 : static_cast<int64_t>(report.host.cores));
  text(&json, "os", report.host.os);
  json.end_object();
  json.member("started", report.started).member("duration_ns", report.duration_ns);
  json.member("passed", static_cast<int64_t>(report.passed()));
  json.member("failed", static_cast<int64_t>(report.failed()));
  json.member("skipped", static_cast<int64_t>(report.skipped()));
  text(&json, "interrupted", report.interrupted == 0 ? "" : signal_name(report.interrupted));
  list(&json, "unfinished", report.unfinished);
  json.key("cases").begin_array();
  for (const CaseVerdict& v : report.run.cases) write_case(&json, v);
  json.end_array().key("performance").begin_array();
  for (const PerformanceCheck& p : report.performance) {
    write_performance(&json, p, outcome_of(p, report.fail_on_noise));
  }
  json.end_array().key("explanations").begin_array();
  for (const Explanation& e : report.explanations) write_explanation(&json, e);
  json.end_array().end_object();
  return out;
}

}  // namespace et::cli
