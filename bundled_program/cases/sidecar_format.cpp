#include "bundled_program/cases/sidecar_format.h"

#include <charconv>

#include "base/sha256.h"
#include "bundled_program/cases/npy.h"

namespace et::bundled {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kInput = "input_";
constexpr std::string_view kExpected = "expected_";
constexpr char kHex[] = "0123456789ABCDEF";

struct KindName {
  ValueKind kind;
  std::string_view text;
};
constexpr KindName kKinds[] = {{ValueKind::Int, "int"}, {ValueKind::Bool, "bool"}, {ValueKind::Double, "double"}};

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode_method(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3 || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) return std::nullopt;
    out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  // One name for each method.
  if (encode_method(out) != text) return std::nullopt;
  return out;
}

std::optional<uint32_t> parse_index(std::string_view text) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || n > kMaxIndex || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  return n;
}

bool parse_kind(std::string_view text, MemberName* out) {
  for (const KindName& k : kKinds) {
    if (text != k.text) continue;
    out->kind = k.kind;
    return true;
  }
  ScalarType type{};
  if (!scalar_type_of(text, &type) || npy_knows(type)) return false;
  out->type = type;
  return true;
}

}  // namespace

std::string encode_method(std::string_view method) {
  std::string out;
  for (size_t i = 0; i < method.size(); ++i) {
    const char c = method[i];
    if (plain(c) && (c != '.' || i > 0)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string member_name(const MemberName& name) {
  std::string out = encode_method(name.method) + "/" + std::to_string(name.test_case) + "/";
  out += name.expected ? kExpected : kInput;
  out += std::to_string(name.index);
  for (const KindName& k : kKinds) {
    if (k.kind == name.kind) out += "." + std::string(k.text);
  }
  if (name.kind == ValueKind::Tensor && name.type && !npy_knows(*name.type)) {
    out += std::string(".") + scalar_type_name(*name.type);
  }
  out += kSuffix;
  return out;
}

std::optional<MemberName> parse_member_name(std::string_view text) {
  const size_t first = text.find('/');
  const size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos || first == 0 || !text.ends_with(kSuffix)) return std::nullopt;
  MemberName out;
  const std::optional<std::string> method = decode_method(text.substr(0, first));
  const std::optional<uint32_t> test_case = parse_index(text.substr(first + 1, second - first - 1));
  if (!method || !test_case) return std::nullopt;
  out.method = *method;
  out.test_case = *test_case;
  std::string_view value = text.substr(second + 1);
  value.remove_suffix(kSuffix.size());
  out.expected = value.starts_with(kExpected);
  if (!out.expected && !value.starts_with(kInput)) return std::nullopt;
  value.remove_prefix(out.expected ? kExpected.size() : kInput.size());
  const size_t dot = value.find('.');
  const std::optional<uint32_t> index = parse_index(value.substr(0, dot));
  if (!index || (dot != std::string_view::npos && !parse_kind(value.substr(dot + 1), &out))) return std::nullopt;
  out.index = *index;
  return out;
}

std::string digest_text(std::span<const uint8_t> digest) {
  std::string out;
  for (uint8_t byte : digest) {
    out += static_cast<char>(kHex[byte >> 4] | 0x20);
    out += static_cast<char>(kHex[byte & 15] | 0x20);
  }
  return out;
}

std::string program_digest(std::span<const uint8_t> program) { return digest_text(et::sha256(program)); }

}  // namespace et::bundled
