// The report for a person at a terminal or in a log: what failed comes first in words, its figures below it.
#include <map>

#include "cli/check/report_parts.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::cli {
namespace {

using bundled::CaseVerdict;
using bundled::Failure;

// Failures up to here are shown with their figures, up to the second number with one line each; --verbose shows all.
constexpr size_t kDetailed = 20;
constexpr size_t kListed = 200;
constexpr size_t kTextOutputs = 8;
constexpr size_t kLongestLine = 400;

constexpr std::string_view kRed = "\033[31m", kYellow = "\033[33m", kGreen = "\033[32m", kPlain = "\033[0m";

std::string painted(const TextStyle& style, std::string_view color, const std::string& text) {
  return style.color ? std::string(color) + text + std::string(kPlain) : text;
}

std::string name_of(const CaseVerdict& v) { return check_name(v.file, v.method, v.test_case); }

std::string passed_line(const CaseVerdict& v) {
  std::string text = name_of(v) + ": passed";
  const double error = v.max_abs_error();
  if (error == error) text += ", largest error " + number_text(error);
  if (!v.samples_ns.empty()) {
    text += ", " + time_text(static_cast<double>(v.duration_ns()));
  }
  return text + "\n";
}

std::string failures(const CheckReport& report, const TextStyle& style) {
  const ExplanationIndex explanations(report);
  std::string text;
  size_t failed = 0;
  std::map<Failure, size_t> left_out;
  for (const CaseVerdict& v : report.run.cases) {
    if (v.passed()) {
      if (style.verbose) text += passed_line(v);
      continue;
    }
    ++failed;
    if (!style.verbose && failed > kListed) {
      ++left_out[v.failure];
      continue;
    }
    text += painted(style, kRed, name_of(v)) + ": " + bounded(reason_text(v), kLongestLine) + "\n";
    if (style.verbose || failed <= kDetailed) {
      text += detail_lines(v, explanations.of(v), style.verbose, style.verbose ? v.outputs.size() : kTextOutputs);
    }
  }
  for (const auto& [failure, count] : left_out) {
    text += "and " + inspector::format_count(static_cast<int64_t>(count)) + " more: " + bundled::failure_text(failure) +
            "\n";
  }
  return text;
}

/// Many failures: how many there are of each kind.
std::string kinds(const CheckReport& report) {
  std::map<Failure, int64_t> count;
  for (const CaseVerdict& v : report.run.cases) {
    if (!v.passed()) ++count[v.failure];
  }
  inspector::Table table;
  table.columns = {{.title = "failed", .kind = inspector::CellKind::Integer}, {.title = "because"}};
  for (const auto& [failure, n] : count) table.add({n, std::string(bundled::failure_text(failure))});
  std::string text;
  static_cast<void>(table.write({}, &text));  // fails for unknown formats only
  return "\n" + text + "\n";
}

std::string by_operator(const CheckReport& report, const TextStyle& style) {
  struct Count {
    int64_t passed = 0, failed = 0;
  };
  std::map<std::string, Count> operators;
  for (const CaseVerdict& v : report.run.cases) {
    const auto add = [&](const std::string& row) { ++(v.passed() ? operators[row].passed : operators[row].failed); };
    for (const std::string& op : v.operators) add(op);
    for (const std::string& backend : v.backends) add(backend + " (delegate)");
    if (v.operators.empty() && v.backends.empty()) add(v.method.empty() ? "(not loaded)" : "(no operators)");
  }
  inspector::Table table;
  table.columns = {{.title = "operator"},
                   {.title = "passed", .kind = inspector::CellKind::Integer},
                   {.title = "failed", .kind = inspector::CellKind::Integer}};
  for (const auto& [op, n] : operators) {
    table.add({inspector::printable(op), n.passed, n.failed}, inspector::RowStyle::Normal, n.failed > 0 ? 1 : -1);
  }
  std::string text;
  static_cast<void>(table.write({.color = style.color}, &text));
  return text;
}

std::string performance(const CheckReport& report, const TextStyle& style) {
  std::string text;
  for (const PerformanceCheck& p : report.performance) {
    const Outcome outcome = outcome_of(p, report.fail_on_noise);
    const std::string_view color = outcome == Outcome::Failed ? kRed : outcome == Outcome::Skipped ? kYellow : kGreen;
    text += painted(style, color, check_name(p.file, p.method, p.test_case)) + ": " + performance_text(p) + "\n";
  }
  return text;
}

}  // namespace

std::string text_report(const CheckReport& report, const TextStyle& style) {
  std::string text = failures(report, style);
  text += performance(report, style);
  if (style.by_operator) text += by_operator(report, style);
  if (report.run.failed > kDetailed) text += kinds(report);
  std::string sum = std::to_string(report.passed()) + " passed, " + std::to_string(report.failed()) + " failed";
  if (report.skipped() > 0) sum += ", " + std::to_string(report.skipped()) + " too noisy to tell";
  if (report.interrupted != 0) sum += ", " + interruption_text(report);
  return text + sum + "\n";
}

}  // namespace et::cli
