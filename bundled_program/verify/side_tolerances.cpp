#include "bundled_program/verify/side_tolerances.h"

#include <filesystem>

#include "etrecord/json_text.h"
#include "runtime/format/mapped_file.h"

namespace et::bundled {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMaxDepth = 64;

/// Python writes such files: bare NaN and Infinity are taken.
Status parse_file(const std::string& path, etrecord::JsonDocument* out) {
  format::MappedFile file;
  if (Status s = format::MappedFile::open(path, &file); !s.ok()) return s;
  const auto bytes = file.bytes();
  return out->parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, kMaxDepth);
}

bool number(simdjson::dom::element e, std::string_view key, double* out) {
  return e[key].get_double().get(*out) == simdjson::SUCCESS;
}

bool read_tolerance(simdjson::dom::element e, Tolerance* out) {
  return number(e, "rtol", &out->rtol) && number(e, "atol", &out->atol);
}

}  // namespace

const SideTolerances::Table& SideTolerances::index_of(const std::string& folder) {
  const auto [it, is_new] = indices_.try_emplace(folder);
  const std::string path = (fs::path(folder) / "index.json").string();
  std::error_code ec;
  if (!is_new || !fs::is_regular_file(path, ec)) return it->second;
  etrecord::JsonDocument document;
  if (Status s = parse_file(path, &document); !s.ok()) {
    if (status_.ok()) status_ = std::move(s);
    return it->second;
  }
  const simdjson::dom::element root = document.root();
  simdjson::dom::object sections;
  if (root.get(sections) != simdjson::SUCCESS) return it->second;
  for (const auto& section : sections) {
    simdjson::dom::array entries;
    if (section.value.get(entries) != simdjson::SUCCESS) continue;
    for (simdjson::dom::element entry : entries) {
      std::string_view name;
      Tolerance t;
      if (entry["file"].get(name) == simdjson::SUCCESS && read_tolerance(entry, &t)) it->second[std::string(name)] = t;
    }
  }
  return it->second;
}

const SideTolerances::Table& SideTolerances::reference_of(const std::string& folder) {
  const auto [it, is_new] = references_.try_emplace(folder);
  const std::string path = (fs::path(folder) / "reference" / "tolerance.json").string();
  std::error_code ec;
  if (!is_new || !fs::is_regular_file(path, ec)) return it->second;
  etrecord::JsonDocument document;
  if (Status s = parse_file(path, &document); !s.ok()) {
    if (status_.ok()) status_ = std::move(s);
    return it->second;
  }
  const simdjson::dom::element root = document.root();
  simdjson::dom::object methods;
  if (root["tolerance"].get(methods) != simdjson::SUCCESS) return it->second;
  for (const auto& method : methods) {
    simdjson::dom::object cases;
    if (method.value.get(cases) != simdjson::SUCCESS) continue;
    for (const auto& test : cases) {
      simdjson::dom::object outputs;
      if (test.value.get(outputs) != simdjson::SUCCESS) continue;
      for (const auto& output : outputs) {
        Tolerance t;
        if (!read_tolerance(output.value, &t)) continue;
        it->second[std::string(method.key) + "/" + std::string(test.key) + "/" + std::string(output.key)] = t;
      }
    }
  }
  return it->second;
}

const SideTolerances::Tables& SideTolerances::tables_of(const std::string& bundle) {
  if (last_.reference != nullptr && last_.bundle == bundle) return last_;
  const fs::path path(bundle);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  // The index of a folder also lists the files of folders below it.
  last_ = {bundle,
           path.filename().string(),
           {&index_of(folder.string()), &index_of((folder / "..").string())},
           &reference_of(folder.string())};
  return last_;
}

std::optional<SideTolerances::Found> SideTolerances::find(const std::string& bundle, const std::string& method,
                                                          size_t test_case, size_t output) {
  const Tables& tables = tables_of(bundle);
  for (const Table* index : tables.indices) {
    if (const auto it = index->find(tables.name); it != index->end()) return Found{it->second, "index.json"};
  }
  if (tables.reference->empty()) return std::nullopt;
  const auto it = tables.reference->find(method + "/" + std::to_string(test_case) + "/" + std::to_string(output));
  if (it != tables.reference->end()) return Found{it->second, "reference/tolerance.json"};
  return std::nullopt;
}

}  // namespace et::bundled
