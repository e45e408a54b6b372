// JUnit XML. Only what the schemas of Jenkins and Surefire know: figures of a case stand in its system-out, because
// they allow properties for suites only.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "base/utf8.h"
#include "cli/check/report_parts.h"
#include "cli/version.h"
#include "inspector/text/format.h"

namespace et::cli {
namespace {

using bundled::CaseVerdict;

constexpr size_t kJunitMessageBytes = 1000;  // bytes
constexpr size_t kJunitTextBytes = 16384;
constexpr size_t kJunitOutputs = 32;

/// As the content of an element or of an attribute in quotes. XML 1.0 forbids most control characters, U+FFFE and
/// U+FFFF even as references: they become U+FFFD, as do DEL and bytes that are not UTF-8.
std::string xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto length = static_cast<size_t>(utf8_length(text, i));
    const std::string_view c = text.substr(i, std::max<size_t>(length, 1));
    i += c.size();
    if (length == 0 || c == "\xEF\xBF\xBE" || c == "\xEF\xBF\xBF") {
      out += kReplacementCharacter;
    } else if (c == "&") {
      out += "&amp;";
    } else if (c == "<") {
      out += "&lt;";
    } else if (c == ">") {
      out += "&gt;";
    } else if (c == "\"") {
      out += "&quot;";
    } else if (c == "\r" || c == "\t") {
      out += c == "\r" ? "&#13;" : "&#9;";
    } else if ((static_cast<unsigned char>(c[0]) < 0x20 && c != "\n") || c == "\x7f") {
      out += kReplacementCharacter;
    } else {
      out += c;
    }
  }
  return out;
}

/// ` name="value"`; a line end would be read as a space.
std::string attribute(std::string_view name, std::string_view value) {
  std::string text = " " + std::string(name) + "=\"";
  for (const char c : xml(value)) {
    if (c == '\n') {
      text += "&#10;";
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string seconds(double s, int digits) {
  char text[400];
  std::snprintf(text, sizeof(text), "%.*f", digits, s > 0 ? s : 0);
  return text;
}

struct Suite {
  std::string file, program = {}, cases = {};
  size_t tests = 0, failures = 0, skipped = 0;
  double time_s = 0;
};

struct TestCase {
  std::string name;
  double time_s = 0;
  Outcome outcome = Outcome::Passed;
  std::string message, type;  // when it did not pass
  std::string details;        // below the message
  std::string figures;        // of every case
};

void add_case(Suite* suite, const TestCase& test) {
  ++suite->tests;
  suite->time_s += test.time_s;
  std::string& out = suite->cases;
  out += "    <testcase" + attribute("name", test.name) + attribute("classname", suite->file) +
         attribute("time", seconds(test.time_s, 6)) + ">\n";
  const std::string message = attribute("message", bounded(test.message, kJunitMessageBytes));
  if (test.outcome == Outcome::Failed) {
    ++suite->failures;
    out += "      <failure" + message + attribute("type", test.type) + ">" +
           xml(bounded(test.message + "\n" + test.details, kJunitTextBytes)) + "</failure>\n";
  } else if (test.outcome == Outcome::Skipped) {
    ++suite->skipped;
    out += "      <skipped" + message + "/>\n";
  }
  if (!test.figures.empty()) {
    out += "      <system-out>" + xml(bounded(test.figures, kJunitTextBytes)) + "</system-out>\n";
  }
  out += "    </testcase>\n";
}

TestCase case_of(const CaseVerdict& v, const ExplanationIndex& index) {
  TestCase test;
  test.name = short_name(v.method, v.test_case);
  test.time_s = static_cast<double>(v.duration_ns()) / 1e9;
  const auto& explanations = index.of(v);
  if (!v.passed()) {
    test.outcome = Outcome::Failed;
    test.message = reason_text(v);
    test.type = bundled::failure_name(v.failure);
    test.details = detail_lines(v, explanations, false, kJunitOutputs);
  }
  if (v.iterations > 0) {
    test.figures = std::to_string(v.iterations) + (v.iterations == 1 ? " execution, " : " executions, median ") +
                   time_text(static_cast<double>(v.duration_ns())) + "\n";
  }
  if (v.memory_bytes > 0) {
    test.figures += "memory " + inspector::format_bytes(static_cast<int64_t>(v.memory_bytes)) + "\n";
  }
  if (!v.etdump.empty()) test.figures += "trace " + inspector::printable(v.etdump) + "\n";
  test.figures += detail_lines(v, {}, true, kJunitOutputs);
  return test;
}

TestCase performance_of(const PerformanceCheck& check, bool fail_on_noise) {
  const perf::PerfResult& r = check.result;
  TestCase test;
  test.name = short_name(check.method, check.test_case) + " performance";
  test.time_s = r.elapsed_s;
  test.outcome = outcome_of(check, fail_on_noise);
  test.message = performance_text(check);
  test.type = perf::verdict_name(r.verdict);
  test.figures = test.message + "\n";
  if (r.ratio > 0) {
    test.figures += "median " + time_text(r.median_ns) + ", of the baseline " + time_text(r.baseline_median_ns) +
                    "; ratio " + number_text(r.ratio) + " (" + number_text(r.ratio_low) + " to " +
                    number_text(r.ratio_high) + "), noise " + percent_text(r.noise) + "; " + std::to_string(r.rounds) +
                    " rounds, " + std::to_string(r.samples) + " samples, " + r.clock + " time\n";
  }
  return test;
}

std::string property(std::string_view name, std::string_view value) {
  if (value.empty()) return "";
  return "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

}  // namespace

std::string junit_report(const CheckReport& report) {
  std::vector<Suite> suites;
  std::unordered_map<std::string_view, size_t> by_file;
  const auto suite_of = [&](const std::string& file, const std::string& program) -> Suite* {
    const auto [at, added] = by_file.try_emplace(file, suites.size());
    if (added) suites.push_back({.file = file});
    Suite& suite = suites[at->second];
    if (suite.program.empty()) suite.program = program;
    return &suite;
  };
  const ExplanationIndex explanations(report);
  for (const CaseVerdict& v : report.run.cases) add_case(suite_of(v.file, v.program), case_of(v, explanations));
  for (const PerformanceCheck& p : report.performance) {
    add_case(suite_of(p.file, p.program), performance_of(p, report.fail_on_noise));
  }
  for (const std::string& file : report.unfinished) {
    TestCase rest;
    rest.name = "interrupted";
    rest.outcome = Outcome::Skipped;
    rest.message = "not checked to the end: " + interruption_text(report);
    add_case(suite_of(file, ""), rest);
  }

  const size_t tests = report.run.cases.size() + report.performance.size() + report.unfinished.size();
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"et-check\"" +
                    attribute("tests", std::to_string(tests)) + attribute("failures", std::to_string(report.failed())) +
                    " errors=\"0\"" + attribute("time", seconds(static_cast<double>(report.duration_ns) / 1e9, 3)) +
                    ">\n";
  for (const Suite& suite : suites) {
    out += "  <testsuite" + attribute("name", suite.file) + attribute("tests", std::to_string(suite.tests)) +
           attribute("failures", std::to_string(suite.failures)) + " errors=\"0\"" +
           attribute("skipped", std::to_string(suite.skipped)) + attribute("time", seconds(suite.time_s, 3)) +
           attribute("timestamp", report.started) + attribute("hostname", report.host.name) + ">\n";
    out += "    <properties>\n" + property("et-check", kVersion) + property("program_sha256", suite.program) +
           property("cpu", report.host.cpu) + property("os", report.host.os) + "    </properties>\n";
    out += suite.cases + "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace et::cli
