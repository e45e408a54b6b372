#include "cli/run/run_report.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

#include "cli/run/json_text.h"

namespace et::cli {
namespace {

std::string json_us(double us) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3f", us);
  return text;
}

uint64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    uint64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib * 1024;
  }
  return 0;
}

std::string thousands(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace

std::string report_json(const ModelRun& run, const Times& t, double load_us, const std::string& trace_path,
                        unsigned threads, bool interrupted) {
  std::string out = "{\n  \"method\": " + json_string(run.method_name());
  const auto field = [&](const char* name, const std::string& value) {
    out += std::string(",\n  \"") + name + "\": " + value;
  };
  field("iterations", std::to_string(t.us.size()));
  field("min_us", json_us(t.at(0)));
  field("p50_us", json_us(t.at(0.5)));
  field("p90_us", json_us(t.at(0.9)));
  field("mean_us", json_us(t.us.empty() ? 0 : t.sum / static_cast<double>(t.us.size())));
  field("load_us", json_us(load_us));
  field("threads", std::to_string(threads));
  field("interrupted", interrupted ? "true" : "false");
  field("resident_bytes", std::to_string(resident_bytes()));
  field("etdump", trace_path.empty() ? "null" : json_string(trace_path));
  out += ",\n  \"arenas\": [";
  bool first = true;
  for (const ModelRun::Arena& a : run.arenas()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += "    {\"name\": " + json_string(a.name) + ", \"capacity\": " + std::to_string(a.capacity) +
           ", \"high_water\": " + std::to_string(a.high_water) + "}";
  }
  return out + "\n  ]\n}\n";
}

std::string report_text(const ModelRun& run, const Times& t, double load_us, const std::string& trace_path) {
  char line[256];
  std::snprintf(line, sizeof(line), "%s: %zu iteration%s, load %.1f us\n", run.method_name().c_str(), t.us.size(),
                t.us.size() == 1 ? "" : "s", load_us);
  std::string out = line;
  std::snprintf(line, sizeof(line), "latency (us)   min %.1f   p50 %.1f   p90 %.1f   mean %.1f\n", t.at(0), t.at(0.5),
                t.at(0.9), t.us.empty() ? 0 : t.sum / static_cast<double>(t.us.size()));
  out += line;
  out += "memory (bytes)\n";
  for (const ModelRun::Arena& a : run.arenas()) {
    std::snprintf(line, sizeof(line), "  %-12s %14s used at most", a.name.c_str(), thousands(a.high_water).c_str());
    out += line;
    if (a.capacity > 0) out += " of " + thousands(a.capacity);
    out += "\n";
  }
  if (!trace_path.empty()) out += "trace: " + trace_path + "\n";
  return out;
}

}  // namespace et::cli
