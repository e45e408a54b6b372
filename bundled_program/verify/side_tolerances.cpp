#include "bundled_program/verify/side_tolerances.h"

#include <filesystem>

#include "base/json.h"
#include "base/mapped_file.h"

namespace et::bundled {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMaxDepth = 64;

/// Python writes such files: bare NaN and Infinity are taken.
Status parse_file(const std::string& path, JsonDocument* out) {
  MappedFile file;
  if (Status s = MappedFile::open(path, &file); !s.ok()) return s;
  const auto bytes = file.bytes();
  return out->parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, kMaxDepth);
}

std::optional<Tolerance> tolerance_of(JsonValue value) {
  const auto rtol = value.find("rtol"), atol = value.find("atol");
  if (!rtol || !atol || !rtol->real() || !atol->real()) return std::nullopt;
  Tolerance t;
  t.rtol = *rtol->real();
  t.atol = *atol->real();
  return t;
}

JsonObject members_of(std::optional<JsonValue> value) {
  return value ? value->object().value_or(JsonObject()) : JsonObject();
}

/// An index of thousands of bundles has much that is of no interest here, and each worker reads it: no document.
bool read_index(const MappedFile& file, std::map<std::string, Tolerance>* out) {
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  return scan_json_rows(text, text.size() + file.readable_behind(), "file", {"rtol", "atol"},
                        [out](std::string_view name, std::span<const double> numbers) {
                          Tolerance t;
                          t.rtol = numbers[0];
                          t.atol = numbers[1];
                          out->insert_or_assign(out->end(), std::string(name), t);
                        });
}

}  // namespace

const SideTolerances::Table& SideTolerances::index_of(const std::string& folder) {
  const auto [it, is_new] = indices_.try_emplace(folder);
  const std::string path = (fs::path(folder) / "index.json").string();
  std::error_code ec;
  if (!is_new || !fs::is_regular_file(path, ec)) return it->second;
  MappedFile file;
  Status s = MappedFile::open(path, &file);
  if (s.ok() && !read_index(file, &it->second)) {
    // A document says what is wrong, and where.
    JsonDocument document;
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
  JsonDocument document;
  if (Status s = parse_file(path, &document); !s.ok()) {
    if (status_.ok()) status_ = std::move(s);
    return it->second;
  }
  for (const JsonMember method : members_of(document.root().find("tolerance"))) {
    for (const JsonMember test : members_of(method.value)) {
      for (const JsonMember output : members_of(test.value)) {
        const auto t = tolerance_of(output.value);
        if (!t) continue;
        it->second[std::string(method.key) + "/" + std::string(test.key) + "/" + std::string(output.key)] = *t;
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
