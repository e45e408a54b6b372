#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/printable.h"
#include "inspector/ingest/payloads/coreml/coreml_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/payload.h"

namespace et::inspector {
namespace {

constexpr std::string_view kReference = "CMJR";  // JSON that names a model in the program's named data
constexpr uint32_t kMaxJsonDepth = 16;
constexpr size_t kMaxFolders = 32;
constexpr size_t kLongestIndex = 16 << 20;

FileError bad_coreml(uint64_t offset, const char* field, const char* expected, int64_t index = -1) {
  return {Error::InvalidProgram, offset, field, expected, index};
}

/// The index as it reads: from the last byte backwards to the brace that closes the object.
std::string coreml_index(std::span<const uint8_t> bytes) {
  std::string out;
  size_t depth = 0;
  bool quoted = false, escaped = false;
  for (size_t i = bytes.size(); i > 0 && out.size() < kLongestIndex; --i) {
    const char c = static_cast<char>(bytes[i - 1]);
    out += c;
    if (escaped) {
      escaped = false;
    } else if (quoted) {
      escaped = c == '\\';
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return out;
    }
  }
  return {};
}

struct CoremlFile {
  std::string name;
  int64_t parent = -1, offset = 0, size = -1;  // size -1: a folder
};

std::string coreml_path(const std::vector<CoremlFile>& files, size_t i) {
  std::string path = files[i].name;
  int64_t up = files[i].parent;
  for (size_t n = 0; up > 0 && n < kMaxFolders; ++n, up = files[static_cast<size_t>(up)].parent) {
    path = files[static_cast<size_t>(up)].name + "/" + path;
  }
  return path;
}

FileError read_index(JsonValue root, size_t payload, std::vector<CoremlFile>* out) {
  const auto list = root.find("nodes");
  const auto nodes = list ? list->array() : std::nullopt;
  if (!nodes) return bad_coreml(payload, "Core ML index", "a list of nodes");
  for (const JsonValue node : *nodes) {
    CoremlFile& file = out->emplace_back();
    if (const auto name = node.find("name")) file.name = std::string(name->string().value_or(""));
    const auto children = node.find("children");
    const auto region = node.find("dataRegion");
    const bool folder = children && children->object() && json_minified(*children) != "{}";
    if (!region || folder) continue;
    const auto offset = region->find("offset"), size = region->find("size");
    file.offset = offset ? offset->integer().value_or(-1) : -1;
    file.size = size ? size->integer().value_or(-1) : -1;
    const auto limit = static_cast<int64_t>(payload);
    if (file.offset < 0 || file.size < 0 || file.offset > limit || file.size > limit - file.offset) {
      return bad_coreml(payload, "Core ML index dataRegion", "an offset and size inside the payload",
                        static_cast<int64_t>(out->size()) - 1);
    }
  }
  int64_t at = 0;
  for (const JsonValue node : *nodes) {
    const auto children = node.find("children");
    const auto members = children ? children->object() : std::nullopt;
    if (members) {
      for (const JsonMember m : *members) {
        const int64_t child = m.value.integer().value_or(-1);
        if (child > 0 && child < static_cast<int64_t>(out->size())) (*out)[static_cast<size_t>(child)].parent = at;
      }
    }
    ++at;
  }
  return {};
}

/// metadata.json and the like: each member a fact.
void add_coreml_json(std::string_view text, DelegateFacts* out) {
  JsonDocument json;
  if (!json.parse(text, "metadata", kMaxJsonDepth).ok()) return;
  const auto members = json.root().object();
  if (!members) return;
  for (const JsonMember m : *members) {
    const auto string = m.value.string();
    const std::string value = string ? std::string(*string) : json_minified(m.value);
    out->facts.push_back({"device", std::string(m.key), std::nullopt, printable(value, 200)});
  }
}

}  // namespace

bool is_coreml_payload(Span<const uint8_t> bytes) {
  return format::has_magic(bytes, 0, kReference) || bytes.back() == '{';
}

FileError read_coreml(Span<const uint8_t> bytes, DelegateFacts* out) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (all.starts_with(kReference)) {
    add_coreml_json(all.substr(kReference.size()), out);
    return {};
  }
  const std::string index = coreml_index(bytes);
  JsonDocument json;
  if (index.empty() || !json.parse(index, "index", kMaxJsonDepth).ok()) {
    return bad_coreml(bytes.size(), "Core ML index", "a JSON object in reverse order at the payload's end");
  }
  std::vector<CoremlFile> files;
  if (FileError e = read_index(json.root(), bytes.size(), &files); !e.ok()) return e;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].size < 0) continue;
    const std::string path = coreml_path(files, i);
    out->facts.push_back({"block", path, files[i].size, "at byte " + std::to_string(files[i].offset)});
    if (path.find("weights/") != std::string::npos) out->weights_bytes += static_cast<uint64_t>(files[i].size);
    if (files[i].name == "metadata.json")
      add_coreml_json(all.substr(static_cast<size_t>(files[i].offset), static_cast<size_t>(files[i].size)), out);
  }
  return {};
}

}  // namespace et::inspector
