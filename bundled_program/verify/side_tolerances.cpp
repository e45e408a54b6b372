#include "bundled_program/verify/side_tolerances.h"

#include <filesystem>

#include "base/json_text.h"
#include "base/mapped_file.h"

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

/// On-demand parsing: an index of thousands of bundles has much that is of no interest here, and each worker reads it.
/// Python's bare NaN is passed over with the rest. False where the text is no JSON of this form.
bool read_index(const format::MappedFile& file, std::map<std::string, Tolerance>* out) {
  const auto* data = reinterpret_cast<const char*>(file.bytes().data());
  const size_t size = file.bytes().size();
  // The parser reads behind the end: without a copy where that is allowed.
  const bool in_place = file.readable_behind() >= simdjson::SIMDJSON_PADDING;
  const simdjson::padded_string copy = in_place ? simdjson::padded_string() : simdjson::padded_string(data, size);
  const simdjson::padded_string_view text =
      in_place ? simdjson::padded_string_view(data, size, size + file.readable_behind())
               : static_cast<simdjson::padded_string_view>(copy);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::object root;
  if (parser.iterate(text).get(document) != simdjson::SUCCESS || document.get_object().get(root) != simdjson::SUCCESS) {
    return false;
  }
  for (auto section : root) {
    simdjson::ondemand::array entries;
    if (section.error() != simdjson::SUCCESS) return false;
    if (section.value().get_array().get(entries) != simdjson::SUCCESS) continue;
    for (auto element : entries) {
      simdjson::ondemand::object entry;
      if (element.error() != simdjson::SUCCESS) return false;
      if (element.get_object().get(entry) != simdjson::SUCCESS) continue;
      std::string_view name;
      Tolerance t;
      if (entry["file"].get_string().get(name) == simdjson::SUCCESS &&
          entry["rtol"].get_double().get(t.rtol) == simdjson::SUCCESS &&
          entry["atol"].get_double().get(t.atol) == simdjson::SUCCESS) {
        out->insert_or_assign(out->end(), std::string(name), t);
      }
    }
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind it
}

}  // namespace

const SideTolerances::Table& SideTolerances::index_of(const std::string& folder) {
  const auto [it, is_new] = indices_.try_emplace(folder);
  const std::string path = (fs::path(folder) / "index.json").string();
  std::error_code ec;
  if (!is_new || !fs::is_regular_file(path, ec)) return it->second;
  format::MappedFile file;
  Status s = format::MappedFile::open(path, &file);
  if (s.ok() && !read_index(file, &it->second)) {
    // The other parser says what is wrong, and where.
    etrecord::JsonDocument document;
    s = parse_file(path, &document);
  }
  if (!s.ok() && status_.ok()) status_ = std::move(s);
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
  const size_t slash = bundle.rfind('/');
  const std::string_view folder = slash == std::string::npos ? "." : std::string_view(bundle).substr(0, slash + 1);
  if (last_.reference == nullptr || last_.folder != folder) {
    last_.folder = folder;
    // The index of a folder also lists the files of folders below it.
    last_.indices[0] = &index_of(last_.folder);
    last_.indices[1] = &index_of((fs::path(last_.folder) / "..").string());
    last_.reference = &reference_of(last_.folder);
  }
  last_.name = slash == std::string::npos ? bundle : bundle.substr(slash + 1);
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
