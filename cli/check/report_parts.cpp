#include "cli/check/report_parts.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/interruption.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

using bundled::CaseVerdict;
using bundled::OutputVerdict;

// What one line of a report may hold.
constexpr size_t kLongestReason = 2000;

void join(std::string* text, const char* separator, const std::string& part) {
  if (part.empty()) return;
  if (!text->empty()) *text += separator;
  *text += part;
}

}  // namespace

Outcome outcome_of(const PerformanceCheck& check, bool fail_on_noise) {
  if (check.result.judged()) return check.result.passed ? Outcome::Passed : Outcome::Failed;
  // Asked to compare, it could not: nobody may take that for a pass.
  if (check.result.verdict == perf::PerfResult::Refused) return Outcome::Failed;
  return fail_on_noise ? Outcome::Failed : Outcome::Skipped;
}

std::string check_name(const std::string& file, const std::string& method, int64_t test_case) {
  CaseVerdict verdict;
  verdict.file = inspector::printable(file);
  verdict.method = inspector::printable(method);
  verdict.test_case = test_case;
  return verdict.name();
}

std::string short_name(const std::string& method, int64_t test_case) {
  if (method.empty()) return "file";
  return test_case < 0 ? method : method + "[" + std::to_string(test_case) + "]";
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string place_text(const std::vector<int64_t>& place) {
  std::string text = "[";
  for (size_t i = 0; i < place.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(place[i]);
  return text + "]";
}

std::string time_text(double ns) { return inspector::format_nanoseconds(ns); }

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %%", share * 100);
  return text;
}

std::string bounded(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  size_t end = most > kEllipsis.size() ? most - kEllipsis.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string reason_text(const CaseVerdict& verdict) {
  if (verdict.passed()) return "passed";
  // Many messages about files begin with the file's name already.
  std::string_view reason = verdict.reason;
  if (reason.starts_with(verdict.file + ": ")) reason.remove_prefix(verdict.file.size() + 2);
  if (reason.empty()) return bundled::failure_text(verdict.failure);
  return bounded(inspector::printable(reason), kLongestReason);
}

std::string output_title(const OutputVerdict& output) {
  std::string text = "output " + std::to_string(output.index);
  if (output.dtype.empty()) return text;
  text += ", " + inspector::printable(output.dtype);
  const std::vector<int64_t> shape(output.shape.begin(), output.shape.end());
  return shape.empty() ? text : text + " " + place_text(shape);
}

std::string figures_text(const OutputVerdict& output) {
  if (!output.compared) return "";
  const bundled::Comparison& c = output.figures;
  const auto at = [&](int64_t index) {
    const std::vector<int64_t> place = output.place(index);
    return place.empty() ? "" : " at " + place_text(place);
  };
  // The worst place is that of a NaN or an infinity on one side, where there is one.
  const bool special = c.nan_mismatch + c.inf_mismatch > 0;
  if (c.max_abs_error == 0 && !special) return "no difference";
  std::string errors = "largest error " + number_text(c.max_abs_error) + (special ? "" : at(c.worst_index));
  if (c.max_rel_error > 0) join(&errors, ", ", "relative " + number_text(c.max_rel_error) + at(c.worst_rel_index));
  if (c.elements > 1) join(&errors, ", ", "mean " + number_text(c.mean_abs_error));
  std::string whole;
  const double snr = c.snr_db(), cosine = c.cosine_similarity();
  if (std::isfinite(snr)) whole = "SNR " + number_text(snr) + " dB";
  if (c.elements > 1 && std::isfinite(cosine)) join(&whole, ", ", "cosine similarity " + number_text(cosine));
  if (c.nan_mismatch > 0) join(&whole, ", ", std::to_string(c.nan_mismatch) + " NaN on one side only");
  if (c.inf_mismatch > 0) join(&whole, ", ", std::to_string(c.inf_mismatch) + " infinities on one side only");
  join(&errors, "; ", whole);
  return errors;
}

std::string tolerance_text(const OutputVerdict& output) {
  std::string text = "rtol " + number_text(output.tolerance.rtol) + ", atol " + number_text(output.tolerance.atol);
  return output.tolerance_from.empty() ? text : text + " (" + inspector::printable(output.tolerance_from) + ")";
}

std::string explanation_text(const Explanation& e) {
  std::string text;
  if (!e.operator_name.empty()) {
    text = "first divergence: " + e.operator_name;
    std::string where = e.delegate.empty() ? "" : "in " + e.delegate;
    if (e.instruction >= 0) join(&where, ", ", "instruction " + std::to_string(e.instruction));
    if (!where.empty()) text += " (" + where + ")";
    join(&text, " ← ", e.node);
    join(&text, " ← ", e.source);
    if (!e.module.empty()) text += " in module " + e.module;
    if (e.max_abs_error > 0) text += ", largest error " + number_text(e.max_abs_error);
    if (!e.reference.empty()) text += ", against " + e.reference;
  } else {
    text = e.text.empty() ? "no operator diverges" : e.text;
  }
  return bounded(inspector::printable(text), kLongestReason);
}

std::string performance_text(const PerformanceCheck& check) {
  std::string text = check.result.text.empty() ? perf::verdict_name(check.result.verdict) : check.result.text;
  if (!check.against.empty()) text += ", against " + check.against;
  if (check.result.verdict == perf::PerfResult::Slower && check.max_slowdown > 0) {
    text += (check.result.passed ? "; " : "; too slow, ") + percent_text(check.max_slowdown) + " allowed";
  }
  return bounded(inspector::printable(text), kLongestReason);
}

std::string interruption_text(const CheckReport& report) {
  if (report.interrupted == 0) return "";
  std::string text = std::string("interrupted by ") + signal_name(report.interrupted);
  if (report.unfinished.empty()) return text;
  return text + ": " + std::to_string(report.unfinished.size()) + " of " +
         inspector::plural(static_cast<int64_t>(report.files), "file") + " not checked to the end";
}

std::string detail_lines(const CaseVerdict& verdict, const std::vector<const Explanation*>& explanations, bool all,
                         size_t most_outputs) {
  std::string text;
  size_t wanted = 0;
  for (const OutputVerdict& output : verdict.outputs) {
    if (!all && output.passed()) continue;
    const std::string figures = figures_text(output);
    if (figures.empty() || ++wanted > most_outputs) continue;
    text += "  " + output_title(output) + ": " + figures + "\n";
    text += "    tolerance: " + tolerance_text(output) + "\n";
  }
  if (wanted > most_outputs) text += "  and " + std::to_string(wanted - most_outputs) + " more outputs\n";
  for (const Explanation* e : explanations) {
    text += "  " + explanation_text(*e) + "\n";
    if (!e->code.empty()) text += "      " + inspector::printable(e->code) + "\n";
    if (e->operator_name.empty()) continue;
    for (std::string_view rest = e->text; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      text += "    " + bounded(inspector::printable(std::string(rest.substr(0, end))), kLongestReason) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return text;
}

ExplanationIndex::ExplanationIndex(const CheckReport& report) {
  for (const Explanation& e : report.explanations) by_case_[{e.file, e.method, e.test_case}].push_back(&e);
}

const std::vector<const Explanation*>& ExplanationIndex::of(const CaseVerdict& verdict) const {
  const auto found = by_case_.find({verdict.file, verdict.method, verdict.test_case});
  return found == by_case_.end() ? none_ : found->second;
}

FilePlace place_of_source(const std::string& source) {
  const size_t colon = source.rfind(':');
  int64_t line = 0;
  if (colon != std::string::npos && colon > 0) {
    const char* end = source.data() + source.size();
    const auto [rest, error] = std::from_chars(source.data() + colon + 1, end, line);
    if (error != std::errc() || rest != end || line < 1) line = 0;
  }
  FilePlace place = place_of_file(line > 0 ? source.substr(0, colon) : source);
  place.line = line;
  return place;
}

FilePlace best_place(const std::string& file, const std::vector<const Explanation*>& explanations) {
  for (const Explanation* e : explanations) {
    if (e->source.empty()) continue;
    FilePlace place = place_of_source(e->source);
    if (place.relative && place.line > 0) return place;
  }
  return place_of_file(file);
}

}  // namespace et::cli
