#include "inspector/report/sarif.h"

#include <cctype>
#include <filesystem>
#include <string_view>

#include "base/hex.h"
#include "base/sha256.h"

namespace et::inspector {
namespace {

/// A path as a URI reference; bytes that a URI cannot hold are escaped.
std::string uri(const FilePlace& place) {
  std::string text = place.relative ? "" : "file://";
  for (const char c : place.path) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos) {
      text += c;
    } else {
      static constexpr std::string_view kHex = "0123456789ABCDEF";
      text += {'%', kHex[u >> 4], kHex[u & 15]};
    }
  }
  return text;
}

}  // namespace

FilePlace place_of_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  const fs::path here = fs::current_path(ec).lexically_normal();
  const fs::path full = (here / path).lexically_normal();
  const fs::path below = full.lexically_relative(here);
  if (!below.empty() && *below.begin() != ".." && below != ".") return {below.string(), true};
  return {full.string(), false};
}

void write_sarif_message(JsonWriter* json, const char* key, const std::string& text) {
  json->key(key).begin_object().member("text", text).end_object();
}

void write_sarif_physical(JsonWriter* json, const FilePlace& place) {
  json->key("physicalLocation").begin_object().key("artifactLocation").begin_object().member("uri", uri(place));
  if (place.relative) json->member("uriBaseId", "%SRCROOT%");
  json->end_object();
  if (place.line > 0) json->key("region").begin_object().member("startLine", place.line).end_object();
  json->end_object();
}

void write_sarif_fingerprint(JsonWriter* json, const char* name, const std::string& identity) {
  const auto hash = et::sha256({reinterpret_cast<const uint8_t*>(identity.data()), identity.size()});
  json->key("partialFingerprints").begin_object();
  json->member(name, hex_text(hash)).end_object();
}

}  // namespace et::inspector
