#include "inspector/report/dataset/redaction.h"

#include <fstream>
#include <iterator>
#include <vector>

#include "base/hex.h"
#include "base/sha256.h"

namespace et::inspector {
namespace {

constexpr size_t kBlock = 64;     // of SHA-256, bytes
constexpr size_t kShortest = 16;  // a key

std::vector<uint8_t> padded(std::string_view key, uint8_t pad) {
  std::vector<uint8_t> out(key.begin(), key.end());
  if (out.size() > kBlock) {
    const auto hash = et::sha256(out);
    out.assign(hash.begin(), hash.end());
  }
  out.resize(kBlock);
  for (uint8_t& b : out) b = static_cast<uint8_t>(b ^ pad);
  return out;
}

}  // namespace

std::string keyed_hash(std::string_view key, std::string_view text) {
  std::vector<uint8_t> inner = padded(key, 0x36);
  inner.insert(inner.end(), text.begin(), text.end());
  const auto inside = et::sha256(inner);
  std::vector<uint8_t> outer = padded(key, 0x5c);
  outer.insert(outer.end(), inside.begin(), inside.end());
  const auto hash = et::sha256(outer);
  return hex_text(std::span(hash).first(16));
}

const std::string& Redaction::of(std::string_view text) {
  const auto [at, fresh] = known_.try_emplace(std::string(text));
  if (fresh) at->second = keyed_hash(key_, text);
  return at->second;
}

Status read_redaction_key(const std::string& path, std::string* out) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return {Error::AccessFailed, path + ": cannot be read"};
  out->assign(std::istreambuf_iterator<char>(in), {});
  while (!out->empty() && (out->back() == '\n' || out->back() == '\r' || out->back() == ' ' || out->back() == '\t'))
    out->pop_back();
  if (out->size() < kShortest) {
    return {Error::InvalidArgument, path + ": expected a key of at least " + std::to_string(kShortest) +
                                        " bytes, got " + std::to_string(out->size()) +
                                        "; openssl rand -hex 32 makes one"};
  }
  return {};
}

}  // namespace et::inspector
