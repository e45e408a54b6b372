// SARIF 2.1.0 (OASIS): a result for each failed check.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "base/interruption.h"
#include "cli/check/report_parts.h"
#include "cli/version.h"
#include "inspector/report/sarif.h"
#include "inspector/text/json_writer.h"

namespace et::cli {
namespace {

using bundled::CaseVerdict;
using bundled::Failure;
using inspector::JsonWriter;
using inspector::write_sarif_message;
using inspector::write_sarif_physical;

// What code scanning accepts of a run; `left_out` counts the rest.
constexpr size_t kMaxSarifResults = 5000;
constexpr size_t kSarifMessageBytes = 1000;  // bytes
constexpr size_t kSarifOutputs = 32;

/// What to do about a failure, in the order of Failure.
constexpr const char* kAdvice[] = {
    "",
    ("Compare with an earlier version of the program; --explain with --reference names the first operator that "
     "diverges. "
     "A tolerance that is too tight for the arithmetic belongs in the policy."),
    ("The output as a whole is further from the expected one than the policy allows; --explain names the first "
     "operator "
     "that diverges."),
    "The program was exported with another output dtype than the cases were recorded with.",
    "The program was exported for other shapes than the cases were recorded with.",
    "The memory layout of an output changed; record the cases again if that is intended.",
    "The method's signature changed; the cases belong to another version of the program.",
    "Record the current outputs: et-check bundle --record.",
    "The case's input does not fit the method: dtype, shape or kind.",
    "The runtime reported an error while the method ran; the message names the instruction.",
    "The program is incomplete, or needs external weights (--data).",
    "The runtime lacks this operator; et-inspect doctor lists all that are missing.",
    "The runtime lacks this backend; et-inspect doctor lists all that are missing.",
    "The file was truncated or modified after it was written, or is not a bundled program.",
    "It did not finish within the time limit (--timeout).",
    "The process that ran the program was terminated by a signal; run it alone to get a trace.",
    "The program needs more memory than is allowed or available.",
    "The method name or case number is wrong, or the file has no cases.",
    "The file does not exist or cannot be read.",
};
static_assert(std::size(kAdvice) == static_cast<size_t>(Failure::Io) + 1);

struct PerformanceRule {
  const char* id;
  const char* text;
  const char* advice;
};
/// The verdicts that fail.
constexpr PerformanceRule kPerformanceRules[] = {
    {"slower", "slower than allowed", "Compare both traces: et-inspect shows the time of each operator."},
    {"too_noisy", "too noisy to tell whether it is slower", "Measure on a quieter machine, or for longer."},
    {"refused", "nothing to compare with", "Record a baseline on this machine: --record-baseline."},
};
constexpr size_t kFailureRules = std::size(kAdvice) - 1;

size_t rule_of(Failure failure) { return static_cast<size_t>(failure) - 1; }
size_t rule_of(perf::PerfResult::Verdict verdict) {
  const size_t at = verdict == perf::PerfResult::Refused ? 2 : verdict == perf::PerfResult::TooNoisy ? 1 : 0;
  return kFailureRules + at;
}
const char* rule_id(size_t rule) {
  if (rule >= kFailureRules) return kPerformanceRules[rule - kFailureRules].id;
  return bundled::failure_name(static_cast<Failure>(rule + 1));
}

std::string sentence(const char* words) {
  std::string text = words;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

void write_rule(JsonWriter* json, size_t rule) {
  const bool performance = rule >= kFailureRules;
  const char* text = performance ? kPerformanceRules[rule - kFailureRules].text
                                 : bundled::failure_text(static_cast<Failure>(rule + 1));
  const char* advice = performance ? kPerformanceRules[rule - kFailureRules].advice : kAdvice[rule + 1];
  json->begin_object().member("id", rule_id(rule));
  write_sarif_message(json, "shortDescription", sentence(text));
  write_sarif_message(json, "help", advice);
  json->key("defaultConfiguration").begin_object().member("level", "error").end_object();
  json->key("properties").begin_object().key("tags").begin_array();
  json->value(performance ? "performance" : "correctness").end_array().end_object().end_object();
}

/// The one place that is shown, and what else has to do with it.
void write_locations(JsonWriter* json, const std::string& file, const std::string& method, const std::string& check,
                     const std::vector<const Explanation*>& explanations) {
  json->key("locations").begin_array().begin_object();
  write_sarif_physical(json, best_place(file, explanations));
  if (!method.empty()) {
    json->key("logicalLocations").begin_array().begin_object();
    json->member("name", method).member("fullyQualifiedName", check).member("kind", "function");
    json->end_object().end_array();
  }
  json->end_object().end_array();
  if (explanations.empty()) return;
  json->key("relatedLocations").begin_array();
  int64_t id = 0;
  const auto related = [&](const FilePlace& place, const std::string& text) {
    json->begin_object().member("id", ++id);
    write_sarif_physical(json, place);
    write_sarif_message(json, "message", text);
    json->end_object();
  };
  related(place_of_file(file), "The program that was checked");
  for (const Explanation* e : explanations) {
    if (!e->source.empty()) related(place_of_source(e->source), bounded(explanation_text(*e), kSarifMessageBytes));
  }
  json->end_array();
}

/// The same check of the same file is the same finding, whatever its figures are this time.
void write_fingerprint(JsonWriter* json, const std::string& file, const std::string& check, const char* rule) {
  const FilePlace place = place_of_file(file);
  const std::string name = (place.relative ? place.path : file) + '\n' + check + '\n' + rule;
  inspector::write_sarif_fingerprint(json, "etCheck/v1", name);
}

void figure(JsonWriter* json, const char* name, double value) {
  if (!std::isnan(value)) json->key(name);
  if (std::isinf(value)) {
    json->value(value < 0 ? "-Infinity" : "Infinity");
  } else if (!std::isnan(value)) {
    json->value(value);
  }
}

void begin_result(JsonWriter* json, size_t rule, const std::string& text) {
  json->begin_object().member("ruleId", rule_id(rule)).member("ruleIndex", static_cast<int64_t>(rule));
  json->member("level", "error").member("kind", "fail");
  write_sarif_message(json, "message", bounded(text, kSarifMessageBytes));
}

void write_case_result(JsonWriter* json, const CaseVerdict& v, const std::vector<const Explanation*>& explanations) {
  const size_t rule = rule_of(v.failure);
  const std::string check = short_name(v.method, v.test_case);
  std::string text = check_name(v.file, v.method, v.test_case) + ": " + reason_text(v);
  for (const Explanation* e : explanations) text += "; " + explanation_text(*e);
  begin_result(json, rule, text);
  write_locations(json, v.file, v.method, check, explanations);
  write_fingerprint(json, v.file, check, rule_id(rule));
  json->key("properties").begin_object();
  if (!v.program.empty()) json->member("program", v.program);
  figure(json, "max_abs_error", v.max_abs_error());
  json->key("outputs").begin_array();
  size_t left = kSarifOutputs;
  for (const bundled::OutputVerdict& o : v.outputs) {
    if (o.passed() || left == 0) continue;
    --left;
    json->begin_object()
        .member("index", static_cast<int64_t>(o.index))
        .member("kind", bundled::failure_name(o.failure));
    if (o.compared) {
      json->member("elements", static_cast<int64_t>(o.figures.elements));
      json->member("outside", static_cast<int64_t>(o.figures.outside));
      figure(json, "max_abs_error", o.figures.max_abs_error);
      figure(json, "max_rel_error", o.figures.max_rel_error);
      figure(json, "snr_db", o.figures.snr_db());
      figure(json, "cosine_similarity", o.figures.cosine_similarity());
    }
    json->member("tolerance", tolerance_text(o)).end_object();
  }
  json->end_array().end_object().end_object();
}

void write_performance_result(JsonWriter* json, const PerformanceCheck& check) {
  const perf::PerfResult& r = check.result;
  const size_t rule = rule_of(r.verdict);
  const std::string name = short_name(check.method, check.test_case);
  begin_result(json, rule, check_name(check.file, check.method, check.test_case) + ": " + performance_text(check));
  write_locations(json, check.file, check.method, name, {});
  write_fingerprint(json, check.file, name, rule_id(rule));
  json->key("properties").begin_object();
  json->member("against", check.against).member("max_slowdown", check.max_slowdown);
  if (r.ratio > 0) {
    figure(json, "median_ns", r.median_ns);
    figure(json, "baseline_median_ns", r.baseline_median_ns);
    figure(json, "ratio", r.ratio);
    figure(json, "ratio_low", r.ratio_low);
    figure(json, "ratio_high", r.ratio_high);
  }
  json->end_object().end_object();
}

}  // namespace

std::string sarif_report(const CheckReport& report) {
  std::string out;
  JsonWriter json(&out);
  json.begin_object().member("$schema", inspector::kSarifSchema).member("version", "2.1.0");
  json.key("runs").begin_array().begin_object();
  json.key("tool").begin_object().key("driver").begin_object();
  json.member("name", "et-check").member("version", kVersion).member("semanticVersion", kVersion);
  json.key("rules").begin_array();
  for (size_t rule = 0; rule < kFailureRules + std::size(kPerformanceRules); ++rule) write_rule(&json, rule);
  json.end_array().end_object().end_object();
  json.key("columnKind").value("unicodeCodePoints");
  json.key("results").begin_array();
  const ExplanationIndex explanations(report);
  size_t written = 0;
  for (const CaseVerdict& v : report.run.cases) {
    if (!v.passed() && written++ < kMaxSarifResults) write_case_result(&json, v, explanations.of(v));
  }
  for (const PerformanceCheck& p : report.performance) {
    if (outcome_of(p, report.fail_on_noise) == Outcome::Failed && written++ < kMaxSarifResults)
      write_performance_result(&json, p);
  }
  json.end_array();
  json.key("invocations").begin_array().begin_object().member("executionSuccessful", report.interrupted == 0);
  if (report.interrupted != 0) {
    json.member("exitSignalName", signal_name(report.interrupted));
    json.member("exitSignalNumber", static_cast<int64_t>(report.interrupted));
  }
  if (!report.started.empty()) json.member("startTimeUtc", report.started);
  if (!report.host.name.empty()) json.member("machine", report.host.name);
  json.end_object().end_array();
  json.key("properties").begin_object();
  json.member("passed", static_cast<int64_t>(report.passed())).member("failed", static_cast<int64_t>(report.failed()));
  json.member("skipped", static_cast<int64_t>(report.skipped()));
  json.member("left_out", static_cast<int64_t>(written - std::min(written, kMaxSarifResults)));
  json.end_object().end_object().end_array().end_object();
  return out;
}

}  // namespace et::cli
