#include "inspector/analysis/work/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/mapped_file.h"
#include "base/read_double.h"
#include "base/toml_values.h"
#include "etdump/host_info_posix.h"
#include "inspector/store/store.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + '"';
}

std::string number(double value) {
  std::array<char, 32> text{};
  const int n = std::snprintf(text.data(), text.size(), "%.6g", value);
  const std::string out(text.data(), static_cast<size_t>(n));
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

Status bad(const TomlValue& v, const std::string& expected) {
  return {Error::InvalidArgument, v.place + ": " + v.path.back() + ": expected " + expected + ", got '" +
                                      (v.values.empty() ? "" : v.values[0]) + "'"};
}

Status read_number(const TomlValue& v, const std::string& text, double* out) {
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(*out) && *out >= 0
             ? Status()
             : bad(v, "a number that is not negative");
}

}  // namespace

size_t MachinePeaks::bandwidth_entry(double bytes) const {
  size_t at = 0;
  while (at + 1 < bandwidth.size() && reach * bandwidth[at].first < bytes) ++at;
  return at;
}

double MachinePeaks::gbytes_per_second(double bytes) const {
  return bandwidth.empty() ? 0 : bandwidth[bandwidth_entry(bytes)].second;
}

MachinePeaks::Roofs MachinePeaks::roofs_of(double flops, double bytes, double calls, bool integer) const {
  Roofs out;
  out.gops = integer && int8_gops > 0 ? int8_gops : gflops;
  out.entry = bandwidth_entry(bytes / std::max(calls, 1.0));
  if (out.gops > 0) out.compute_ns = flops / out.gops;
  if (!bandwidth.empty()) out.memory_ns = bytes / bandwidth[out.entry].second;
  return out;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

std::string machine_file(const std::string& host, int64_t threads) {
  std::string folder;
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/') {
    folder = cache;
  } else if (const char* const home = std::getenv("HOME"); home != nullptr && home[0] != '\0') {
    folder = std::string(home) + "/.cache";
  } else {
    return {};
  }
  std::string name;
  for (const char c : host) name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' ? c : '_';
  return folder + "/et-inspect/machines/" + name + "-" + std::to_string(threads) + "t.toml";
}

std::string machine_text(const MachinePeaks& peaks) {
  std::string out =
      "# Peaks of a machine, measured by et-run --calibrate; et-inspect roofline reads them.\n[machine]\n";
  out += "host = " + quoted(peaks.host) + "\ncpu = " + quoted(peaks.cpu) + "\n";
  out += "threads = " + std::to_string(peaks.threads) + "\n";
  out += "gflops_float32 = " + number(peaks.gflops) + "\ngops_int8 = " + number(peaks.int8_gops) + "\n";
  std::string sizes, speeds;
  for (const auto& [size, speed] : peaks.bandwidth) {
    if (!sizes.empty()) sizes += ", ", speeds += ", ";
    sizes += std::to_string(static_cast<int64_t>(size));
    speeds += number(speed);
  }
  return out + "working_set_bytes = [" + sizes + "]\ngigabytes_per_second = [" + speeds + "]\n";
}

Status read_machine(const std::string& path, MachinePeaks* out) {
  *out = {};
  MappedFile file;
  if (Status s = MappedFile::open(path, &file); !s.ok()) return s;
  const auto bytes = file.bytes();
  std::vector<TomlValue> values;
  if (Status s = read_toml_values({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, &values); !s.ok())
    return s;
  std::vector<double> sizes, speeds;
  for (const TomlValue& v : values) {
    if (v.path.size() != 2 || v.path[0] != "machine") continue;
    const std::string& key = v.path[1];
    if (key == "host" || key == "cpu") {
      (key == "host" ? out->host : out->cpu) = v.values.empty() ? "" : v.values[0];
      continue;
    }
    std::vector<double> numbers;
    for (const std::string& text : v.values) {
      if (Status s = read_number(v, text, &numbers.emplace_back()); !s.ok()) return s;
    }
    if (key == "working_set_bytes") sizes = numbers;
    if (key == "gigabytes_per_second") speeds = numbers;
    if (v.is_array) continue;
    if (key == "threads") out->threads = static_cast<int64_t>(numbers[0]);
    if (key == "gflops_float32") out->gflops = numbers[0];
    if (key == "gops_int8") out->int8_gops = numbers[0];
  }
  if (out->gflops <= 0 || sizes.empty() || sizes.size() != speeds.size()) {
    return {Error::InvalidArgument, path +
                                        ": [machine]: expected gflops_float32, and as many working_set_bytes as "
                                        "gigabytes_per_second; write it with et-run --calibrate"};
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (speeds[i] <= 0 || (i > 0 && sizes[i] <= sizes[i - 1]))
      return {Error::InvalidArgument, path + ": [machine]: expected rising working_set_bytes and speeds above 0"};
    out->bandwidth.emplace_back(sizes[i], speeds[i]);
  }
  return {};
}

Status read_trace_machine(const Store& store, int64_t trace_id, TraceMachine* out) {
  Statement st = store.query("SELECT coalesce(cpu, ''), coalesce(threads, 1) FROM traces WHERE trace_id = ?1");
  st.bind_all(trace_id);
  if (st.step()) *out = {st.str(0), st.integer(1)};
  return st.finish("the trace");
}

Status find_host_machine(const TraceMachine& trace, MachinePeaks* peaks, bool* found, std::string* hint) {
  *found = false;
  const std::string path = machine_file(host_name(), trace.threads);
  if (path.empty() || !std::filesystem::exists(path)) {
    const std::string option = trace.threads == 1 ? "" : " --threads " + std::to_string(trace.threads);
    *hint = "the peaks of its machine are not known: run 'et-run --calibrate" + option + "' where the trace was made";
    return {};
  }
  if (Status s = read_machine(path, peaks); !s.ok()) return s;
  *found = trace.cpu.empty() || peaks->cpu.empty() || peaks->cpu == trace.cpu;
  if (*found && trace.cpu.empty())
    *hint = "the trace does not say its processor: the peaks are this host's (" + peaks->cpu +
            "), and hold only if it was made here";
  if (!*found) *hint = path + " is of another processor (" + peaks->cpu + ") than the trace (" + trace.cpu + ")";
  return {};
}

bool may_be_of_host(const TraceMachine& trace) { return trace.cpu.empty() || trace.cpu == etdump::host_text().cpu; }

}  // namespace et::inspector
