// GitHub Actions: workflow commands, which become annotations, and the job's summary in Markdown.
#include <algorithm>

#include "cli/check/report_parts.h"
#include "inspector/text/format.h"

namespace et::cli {
namespace {

using bundled::CaseVerdict;

// GitHub shows ten annotations of a kind for a step; the rest is in the log only.
constexpr size_t kMaxCommands = 50;
constexpr size_t kMaxRows = 100;
constexpr size_t kGithubMessageBytes = 1000;  // bytes
constexpr size_t kLongestTitle = 200;
constexpr size_t kLongestCell = 300;

/// Line ends and % would end a command; its properties end at : and , too.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\n') {
      out += "%0A";
    } else if (c == '\r') {
      out += "%0D";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string command(const char* level, const FilePlace& place, const std::string& title, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::string out = std::string("::") + level + " file=" + escaped(inspector::printable(place.path), true);
  if (place.line > 0) out += ",line=" + std::to_string(place.line);
  return out + ",title=" + escaped(bounded(inspector::printable(title), kLongestTitle), true) +
         "::" + escaped(bounded(text, kGithubMessageBytes), false) + "\n";
}

/// One cell of a table: nothing in it is Markdown or HTML.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : bounded(inspector::printable(text), kLongestCell)) {
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      if (std::string_view("\\`*_|[]~#$@!").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

void row(std::string* out, const std::vector<std::string>& cells) {
  *out += "|";
  for (const std::string& c : cells) *out += " " + c + " |";
  *out += "\n";
}

std::string more(size_t count) { return "\n… and " + std::to_string(count) + " more.\n"; }

}  // namespace

std::string github_report(const CheckReport& report) {
  const ExplanationIndex explanations(report);
  std::vector<std::string> errors, warnings, notices;
  for (const CaseVerdict& v : report.run.cases) {
    if (v.passed()) continue;
    const auto& causes = explanations.of(v);
    errors.push_back(command("error", best_place(v.file, causes),
                             check_name(v.file, v.method, v.test_case) + ": " + bundled::failure_text(v.failure),
                             reason_text(v) + "\n" + detail_lines(v, causes, false, 4)));
  }
  for (const PerformanceCheck& p : report.performance) {
    const Outcome outcome = outcome_of(p, report.fail_on_noise);
    const bool faster = p.result.verdict == perf::PerfResult::Faster;
    if (outcome == Outcome::Passed && !faster) continue;
    const char* level = outcome == Outcome::Failed ? "error" : outcome == Outcome::Skipped ? "warning" : "notice";
    auto& list = outcome == Outcome::Failed ? errors : outcome == Outcome::Skipped ? warnings : notices;
    list.push_back(command(level, place_of_file(p.file), check_name(p.file, p.method, p.test_case) + ": performance",
                           performance_text(p)));
  }
  std::string out;
  if (report.interrupted != 0) out += "::error title=et-check::" + interruption_text(report) + "\n";
  size_t written = 0, left = 0, left_errors = 0;
  for (const auto* list : {&errors, &warnings, &notices}) {
    for (const std::string& line : *list) {
      if (written < kMaxCommands) {
        out += line;
        ++written;
      } else {
        ++left;
        left_errors += list == &errors;
      }
    }
  }
  if (left > 0) {
    out += std::string("::") + (left_errors > 0 ? "error" : "warning") + " title=et-check::and " +
           std::to_string(left) + " more";
    if (left_errors > 0) out += ", " + std::to_string(left_errors) + " of them failed";
    out += "\n";
  }
  return out;
}

std::string github_summary(const CheckReport& report) {
  std::string out =
      "### et-check: " + std::to_string(report.passed()) + " passed, " + std::to_string(report.failed()) + " failed";
  if (report.skipped() > 0) out += ", " + std::to_string(report.skipped()) + " without a verdict";
  if (report.interrupted != 0) out += ", " + interruption_text(report);
  out += "\n";
  if (report.run.failed > 0) {
    const ExplanationIndex explanations(report);
    out += "\n| failed | kind | why | largest error |\n|---|---|---|---:|\n";
    size_t rows = 0;
    for (const CaseVerdict& v : report.run.cases) {
      if (v.passed() || rows++ >= kMaxRows) continue;
      std::string why = cell(reason_text(v));
      for (const Explanation* e : explanations.of(v)) why += "<br>" + cell(explanation_text(*e));
      const double error = v.max_abs_error();
      row(&out, {cell(check_name(v.file, v.method, v.test_case)), cell(bundled::failure_text(v.failure)), why,
                 error == error ? number_text(error) : ""});
    }
    if (rows > kMaxRows) out += more(rows - kMaxRows);
  }
  if (!report.performance.empty()) {
    out += "\n| performance | verdict | median | before |\n|---|---|---:|---:|\n";
    // What failed first, then what could not be told.
    constexpr Outcome kOrder[] = {Outcome::Failed, Outcome::Skipped, Outcome::Passed};
    size_t rows = 0;
    for (const Outcome outcome : kOrder) {
      for (const PerformanceCheck& p : report.performance) {
        if (outcome_of(p, report.fail_on_noise) != outcome || rows++ >= kMaxRows) continue;
        const auto time = [](double ns) { return ns > 0 ? time_text(ns) : std::string(); };
        const std::string verdict = (outcome == Outcome::Failed ? "**failed**: " : "") + cell(performance_text(p));
        row(&out, {cell(check_name(p.file, p.method, p.test_case)), verdict, time(p.result.median_ns),
                   time(p.result.baseline_median_ns)});
      }
    }
    if (rows > kMaxRows) out += more(rows - kMaxRows);
  }
  out += "\n" + cell(report.host.cpu) + (report.host.os.empty() ? "" : ", " + cell(report.host.os)) + ", " +
         time_text(static_cast<double>(report.duration_ns)) + "\n";
  return out;
}

}  // namespace et::cli
