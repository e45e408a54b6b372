#include "cli/run/run_report.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

#include "base/interruption.h"
#include "inspector/text/format.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/words.h"

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

}  // namespace

std::string report_json(const ModelRun& run, const Times& t, const RunFacts& facts) {
  std::string out;
  inspector::JsonWriter json(&out);
  json.begin_object().member("method", run.method_name());
  json.member("iterations", static_cast<int64_t>(t.us.size()));
  json.key("min_us").raw(json_us(t.at(0)));
  json.key("p50_us").raw(json_us(t.at(0.5)));
  json.key("p90_us").raw(json_us(t.at(0.9)));
  json.key("mean_us").raw(json_us(t.us.empty() ? 0 : t.sum / static_cast<double>(t.us.size())));
  json.key("load_us").raw(json_us(facts.load_us));
  json.member("threads", static_cast<int64_t>(facts.threads)).member("interrupted", facts.signal != 0);
  json.member("resident_bytes", static_cast<int64_t>(resident_bytes())).key("etdump");
  if (facts.trace_path.empty()) {
    json.value(nullptr);
  } else {
    json.value(facts.trace_path);
  }
  json.key("arenas").begin_array();
  for (const ModelRun::Arena& a : run.arenas()) {
    json.begin_object().member("name", a.name).member("capacity", static_cast<int64_t>(a.capacity));
    json.member("high_water", static_cast<int64_t>(a.high_water)).end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string report_text(const ModelRun& run, const Times& t, const RunFacts& facts) {
  char line[256];
  const auto time = [](double us) { return inspector::format_nanoseconds(us * 1000); };
  std::string out = run.method_name() + ": ";
  if (facts.signal != 0) {
    out += std::string("interrupted by ") + signal_name(facts.signal) + " after " +
           inspector::format_count(static_cast<int64_t>(t.us.size())) + " of " +
           inspector::plural(static_cast<int64_t>(facts.asked), "iteration");
  } else {
    out += inspector::plural(static_cast<int64_t>(t.us.size()), "iteration");
  }
  out += ", load " + time(facts.load_us) + "\n";
  if (t.us.empty()) {
    out += "latency   not measured\n";
  } else {
    out += "latency   min " + time(t.at(0)) + "   p50 " + time(t.at(0.5)) + "   p90 " + time(t.at(0.9)) + "   mean " +
           time(t.sum / static_cast<double>(t.us.size())) + "\n";
  }
  out += "memory (bytes)\n";
  for (const ModelRun::Arena& a : run.arenas()) {
    const std::string peak = inspector::format_count(static_cast<int64_t>(a.high_water));
    std::snprintf(line, sizeof(line), "  %-12s %14s peak", a.name.c_str(), peak.c_str());
    out += line;
    if (a.capacity > 0) out += " of " + inspector::format_count(static_cast<int64_t>(a.capacity));
    out += "\n";
  }
  if (!facts.trace_path.empty()) out += "trace: " + facts.trace_path + "\n";
  return out;
}

}  // namespace et::cli
