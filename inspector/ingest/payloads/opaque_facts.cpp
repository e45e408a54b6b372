#include "inspector/ingest/payloads/opaque_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/hex.h"
#include "base/sha256.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/payload.h"

namespace et::inspector {
namespace {

constexpr size_t kMostStrings = 16, kShortestString = 6, kLongestString = 100;

struct KnownStart {
  size_t at;
  std::string_view bytes;
  const char* what;
};
constexpr KnownStart kKnownStarts[] = {
    {0, std::string_view("PK\x03\x04", 4), "a zip archive"},
    {0,
     std::string_view("\x7F"
                      "ELF",
                      4),
     "an ELF file"},
    {0, std::string_view("\x1F\x8B", 2), "gzip"},
    {0, std::string_view("\x28\xB5\x2F\xFD", 4), "zstd"},
    {0, "<?xml", "XML"},
    {0, "<net", "XML of OpenVINO"},
    {0, "{", "JSON"},
    {4, "TFL3", "a TensorFlow Lite model"},
};

double entropy_bits(std::span<const uint8_t> bytes) {
  std::array<uint64_t, 256> counts{};
  for (const uint8_t b : bytes) ++counts[b];
  double bits = 0;
  for (const uint64_t c : counts) {
    if (c == 0) continue;
    const double share = static_cast<double>(c) / static_cast<double>(bytes.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

std::string looks_like(std::span<const uint8_t> bytes) {
  for (const KnownStart& k : kKnownStarts) {
    if (format::has_magic(bytes, k.at, k.bytes)) return k.what;
  }
  const auto printable_byte = [](uint8_t b) { return b >= ' ' && b <= '~'; };
  if (std::all_of(bytes.begin(), bytes.end(), [&](uint8_t b) { return printable_byte(b) || b == '\n' || b == '\t'; }))
    return "text";
  if (bytes.size() >= 8 && std::all_of(bytes.begin() + 4, bytes.begin() + 8, printable_byte))
    return "perhaps a flatbuffer '" + std::string(bytes.begin() + 4, bytes.begin() + 8) + "'";
  return {};
}

void add_strings(std::span<const uint8_t> bytes, DelegateFacts* out) {
  size_t found = 0, from = 0;
  for (size_t i = 0; i <= bytes.size() && found < kMostStrings; ++i) {
    if (i < bytes.size() && bytes[i] >= ' ' && bytes[i] <= '~') continue;
    if (i - from >= kShortestString) {
      const size_t length = std::min(i - from, kLongestString);
      std::string text(reinterpret_cast<const char*>(bytes.data()) + from, length);
      if (length < i - from) text += "…";
      out->facts.push_back({"content", "string", std::nullopt, std::move(text)});
      ++found;
    }
    from = i + 1;
  }
}

}  // namespace

void add_opaque_facts(std::span<const uint8_t> bytes, DelegateFacts* out) {
  if (bytes.empty()) return;
  out->facts.push_back({"content", "all", static_cast<int64_t>(bytes.size()), looks_like(bytes)});
  out->facts.push_back({"content", "SHA-256", std::nullopt, hex_text(sha256(bytes))});
  char text[64];
  std::snprintf(text, sizeof text, "%.2f bits per byte", entropy_bits(bytes));
  out->facts.push_back({"content", "entropy", std::nullopt, text});
  add_strings(bytes, out);
}

}  // namespace et::inspector
