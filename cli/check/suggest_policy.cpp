#include "cli/check/suggest_policy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cli/check/report_parts.h"
#include "inspector/text/format.h"

namespace et::cli {
namespace {

// Room for other processors, compilers and thread counts.
constexpr double kErrorRoom = 2;
constexpr double kSnrRoomDb = 6;
constexpr double kMemoryRoom = 1.25;

/// At most one digit, not below `v`: 0.0123 → 0.02.
double rounded_up(double v) {
  if (v <= 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(v)));
  return std::ceil(v / unit * (1 - 1e-12)) * unit;
}

/// A bare key, or one in quotes.
std::string toml_key(const std::string& name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  std::string out;
  if (bare) return name;
  inspector::append_json_string(&out, name);
  return out;
}

struct MeasuredOutput {
  double largest = 0;
  double allowed = HUGE_VAL;  // the smallest of the cases' absolute tolerances
  bool failed = false;
  std::optional<double> snr_db;
  size_t compared = 0;

  void add(const bundled::OutputVerdict& o) {
    ++compared;
    failed = failed || !o.passed();
    largest = std::max(largest, o.figures.max_abs_error);
    allowed = std::min(allowed, o.tolerance.atol);
    const double snr = o.figures.snr_db();
    if (std::isfinite(snr)) snr_db = std::min(snr_db.value_or(snr), snr);
  }
  /// Present limits are enough, with room: a narrower one would fail on the next processor.
  bool is_fine() const { return !failed && kErrorRoom * largest <= allowed; }
};

struct MeasuredMethod {
  std::map<uint32_t, MeasuredOutput> outputs;
  uint64_t memory = 0;
};

/// Whether a tolerance is all that the case needs.
bool tolerance_helps(const bundled::CaseVerdict& v) {
  if (v.passed()) return true;
  if (v.failure != bundled::Failure::Values && v.failure != bundled::Failure::Metric) return false;
  return std::all_of(v.outputs.begin(), v.outputs.end(), [](const bundled::OutputVerdict& o) {
    return o.passed() || (o.compared && o.figures.nan_mismatch == 0 && o.figures.inf_mismatch == 0);
  });
}

void write_method(const std::string& name, const MeasuredMethod& m, std::string* out) {
  const std::string table = "method." + toml_key(name);
  if (m.memory > 0) {
    const uint64_t kib = (static_cast<uint64_t>(static_cast<double>(m.memory) * kMemoryRoom) + 1023) / 1024;
    *out += "\n[" + table + "]\nmax_memory = \"" + std::to_string(kib) +
            " KiB\"  # measured: " + std::to_string(m.memory) + " bytes\n";
  }
  for (const auto& [i, o] : m.outputs) {
    if (o.is_fine()) {
      *out += "\n# " + table + ".output." + std::to_string(i) + ": largest error " + number_text(o.largest) +
              "; needs no more than it is allowed now\n";
      continue;
    }
    *out += "\n[" + table + ".output." + std::to_string(i) + "]\n";
    *out += "atol = " + number_text(rounded_up(kErrorRoom * o.largest)) + "  # largest error " +
            number_text(o.largest) + ", in " + std::to_string(o.compared) + (o.compared == 1 ? " case" : " cases") +
            "\n";
    if (!o.snr_db) continue;
    *out += "min_snr_db = " + number_text(std::floor(*o.snr_db - kSnrRoomDb)) + "  # measured " +
            number_text(*o.snr_db) + "\n";
  }
}

}  // namespace

std::string suggested_policy(const CheckReport& report, bool* covers) {
  std::map<std::string, MeasuredMethod> methods;
  std::string uncovered;
  for (const bundled::CaseVerdict& v : report.run.cases) {
    MeasuredMethod& m = methods[v.method];
    m.memory = std::max(m.memory, v.memory_bytes);
    if (!tolerance_helps(v)) uncovered += "# no tolerance covers " + v.name() + ": " + reason_text(v) + "\n";
    for (const bundled::OutputVerdict& o : v.outputs) {
      if (o.compared) m.outputs[o.index].add(o);
    }
  }
  methods.erase("");  // files that could not be read
  *covers = uncovered.empty();
  std::string out = "# Suggested by et-check from " + std::to_string(report.run.cases.size()) +
                    (report.run.cases.size() == 1 ? " case" : " cases") +
                    ": twice the largest errors, 6 dB below the lowest SNR, a quarter more memory.\n" + uncovered +
                    "version = 1\n";
  for (const auto& [name, m] : methods) write_method(name, m, &out);
  return out;
}

}  // namespace et::cli
