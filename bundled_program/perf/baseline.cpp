#include "bundled_program/perf/baseline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/mapped_file.h"

namespace et::perf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "et-baseline/1";
constexpr uint32_t kMaxDepth = 16;
constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kMaxEntries = 10000;
constexpr size_t kMaxRounds = 100000;
constexpr double kMaxNs = 1e15;  // eleven days

// --- Reading -----------------------------------------------------------------------------------------------------

/// Members of one object; the first that is wrong stands in the status, with its place.
class Members {
 public:
  Members(std::optional<JsonValue> value, std::string place, Status* status)
      : place_(std::move(place)), status_(status) {
    const auto object = value ? value->object() : std::nullopt;
    if (ok() && !object) fail("", "an object");
    object_ = object.value_or(JsonObject());
  }
  std::string text(const char* name) const {
    const auto member = find(name);
    const auto value = member ? member->string() : std::nullopt;
    if (!value) fail(name, "a string");
    return std::string(value.value_or(""));
  }
  /// Above 0.
  double time(const char* name) const {
    const double value = number(name);
    if (ok() && !(value > 0 && value <= kMaxNs)) fail(name, "nanoseconds > 0");
    return value;
  }
  double share(const char* name) const {
    const double value = number(name);
    if (ok() && !(value >= 0 && value <= 1)) fail(name, "a share from 0 to 1");
    return value;
  }
  uint64_t count(const char* name) const {
    const auto member = find(name);
    const auto value = member ? member->unsigned_integer() : std::nullopt;
    if (!value) fail(name, "an integer >= 0");
    return value.value_or(0);
  }
  JsonArray list(const char* name, size_t max) const {
    const auto member = find(name);
    const auto value = member ? member->array() : std::nullopt;
    if (!value) {
      fail(name, "a list");
    } else if (value->size() > max) {
      fail(name, "at most " + std::to_string(max) + " elements");
    }
    return ok() ? *value : JsonArray();
  }
  Members member(const char* name) const { return {find(name), place_ + "." + name, status_}; }
  void fail(const std::string& name, const std::string& expected) const {
    if (!ok()) return;
    *status_ = {Error::InvalidExternalData, place_ + (name.empty() ? "" : "." + name) + ": expected " + expected};
  }
  bool ok() const { return status_->ok(); }

 private:
  std::optional<JsonValue> find(const char* name) const { return ok() ? object_.find(name) : std::nullopt; }
  double number(const char* name) const {
    const auto member = find(name);
    const auto value = member ? member->real() : std::nullopt;
    if (!value) fail(name, "a number");
    return value.value_or(0);
  }

  JsonObject object_;
  std::string place_;
  Status* status_;
};

HostPrint read_host(const Members& from) {
  HostPrint host;
  host.name = from.text("name");
  host.cpu = from.text("cpu");
  host.cores = static_cast<unsigned>(from.count("cores"));
  host.os = from.text("os");
  host.build = from.text("build");
  host.version = from.text("version");
  return host;
}

BaselineEntry read_entry(const Members& from, const std::string& place, Status* status) {
  BaselineEntry entry;
  entry.file = from.text("file");
  entry.program = from.text("program");
  entry.method = from.text("method");
  entry.test_case = from.count("case");
  entry.recorded = from.text("recorded");
  entry.host = read_host(from.member("host"));
  if (const std::string name = from.text("clock"); from.ok() && !clock_of(name, &entry.clock)) {
    from.fail("clock", "\"cpu\" or \"wall\"");
  }
  entry.median_ns = from.time("median_ns");
  entry.samples = from.count("samples");
  entry.batch = from.count("batch");
  entry.undisturbed = from.share("undisturbed");
  entry.compute_ns = from.time("compute_ns");
  size_t i = 0;
  for (const JsonValue element : from.list("rounds", kMaxRounds)) {
    if (!status->ok()) break;
    const Members round(element, place + ".rounds[" + std::to_string(i++) + "]", status);
    entry.rounds.push_back({round.time("ns"), round.time("memory")});
  }
  return entry;
}

// --- Writing -----------------------------------------------------------------------------------------------------

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", u);
      out += escape;
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.10g", value);
  return text;
}

std::string entry_json(const BaselineEntry& e) {
  std::string out = "    {\"file\": " + in_quotes(e.file) + ", \"method\": " + in_quotes(e.method) +
                    ", \"case\": " + std::to_string(e.test_case) + ",\n     \"program\": " + in_quotes(e.program) +
                    ",\n     \"recorded\": " + in_quotes(e.recorded) +
                    ",\n     \"host\": {\"name\": " + in_quotes(e.host.name) + ", \"cpu\": " + in_quotes(e.host.cpu) +
                    ", \"cores\": " + std::to_string(e.host.cores) + ", \"os\": " + in_quotes(e.host.os) +
                    ", \"build\": " + in_quotes(e.host.build) + ", \"version\": " + in_quotes(e.host.version) +
                    "},\n     \"clock\": " + in_quotes(clock_name(e.clock)) +
                    ", \"median_ns\": " + number(e.median_ns) + ", \"samples\": " + std::to_string(e.samples) +
                    ", \"batch\": " + std::to_string(e.batch) + ", \"undisturbed\": " + number(e.undisturbed) +
                    ", \"compute_ns\": " + number(e.compute_ns) + ",\n     \"rounds\": [";
  for (size_t i = 0; i < e.rounds.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + ("      {\"ns\": " + number(e.rounds[i].ns)) +
           ", \"memory\": " + number(e.rounds[i].memory) + "}";
  }
  return out + "]}";
}

/// Names at the end that two paths have in common; all of one of them, or at least its folder and its name. 0: less.
size_t common_names(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto names = [](const std::filesystem::path& path) {
    const std::filesystem::path normal = path.lexically_normal();
    std::vector<std::string> out;
    for (const std::filesystem::path& name : normal.relative_path()) out.push_back(name.string());
    return out;
  };
  const std::vector<std::string> x = names(a), y = names(b);
  const size_t least = std::min(x.size(), y.size());
  size_t common = 0;
  while (common < least && x[x.size() - 1 - common] == y[y.size() - 1 - common]) ++common;
  return common == least || common >= 2 ? common : 0;
}

}  // namespace

const BaselineEntry* Baseline::find(std::string_view file, std::string_view method, size_t test_case) const {
  const BaselineEntry* best = nullptr;
  size_t most = 0;
  for (const BaselineEntry& e : entries) {
    if (e.method != method || e.test_case != test_case) continue;
    if (e.file == file) return &e;
    const size_t common = common_names(e.file, file);
    if (common == 0 || common < most) continue;
    best = common == most ? nullptr : &e;  // two that are as near: neither
    most = common;
  }
  return best;
}

void Baseline::put(BaselineEntry entry) {
  for (BaselineEntry& e : entries) {
    if (e.file != entry.file || e.method != entry.method || e.test_case != entry.test_case) continue;
    e = std::move(entry);
    return;
  }
  entries.push_back(std::move(entry));
}

Status parse_baseline(std::string_view text, const std::string& name, Baseline* out) {
  *out = Baseline();
  if (text.size() > kMaxBytes) return {Error::InvalidExternalData, name + ": expected at most 64 MB"};
  JsonDocument document;
  if (Status status = document.parse(text, name, kMaxDepth); !status.ok()) return status;
  Status status;
  const Members root(document.root(), name + ": baseline", &status);
  const std::string schema = root.text("schema");
  if (root.ok() && schema != kSchema) root.fail("schema", std::string("\"") + kSchema + "\", got " + in_quotes(schema));
  if (!root.ok()) return status;
  size_t i = 0;
  for (const JsonValue element : root.list("entries", kMaxEntries)) {
    if (!status.ok()) break;
    const std::string place = name + ": entries[" + std::to_string(i++) + "]";
    BaselineEntry entry = read_entry(Members(element, place, &status), place, &status);
    if (status.ok() && out->find(entry.file, entry.method, entry.test_case) != nullptr) {
      status = {Error::InvalidExternalData,
                place + ": expected one entry for each file, method and case, got a second one"};
    }
    out->entries.push_back(std::move(entry));
  }
  return status;
}

Status read_baseline(const std::string& path, Baseline* out) {
  MappedFile file;
  if (Status status = MappedFile::open(path, &file); !status.ok()) return status;
  const auto bytes = file.bytes();
  return parse_baseline({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, out);
}

std::string baseline_json(const Baseline& baseline) {
  std::string out = std::string("{\"schema\": \"") + kSchema + "\",\n  \"entries\": [";
  for (size_t i = 0; i < baseline.entries.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + entry_json(baseline.entries[i]);
  }
  return out + "]}\n";
}

Status write_baseline(const std::string& path, const Baseline& baseline) {
  const std::string beside = path + ".new";
  {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file << baseline_json(baseline) << std::flush;
    if (!file) {
      std::error_code ignored;
      fs::remove(beside, ignored);
      return {Error::AccessFailed, path + ": cannot be written"};
    }
  }
  std::error_code failed;
  fs::rename(beside, path, failed);
  if (!failed) return {};
  const std::string why = failed.message();
  fs::remove(beside, failed);
  return {Error::AccessFailed, path + ": cannot be written: " + why};
}

}  // namespace et::perf
