// Texts of a data set that nobody should read, as hashes with a key: equal texts stay equal, so groups and joins work,
// and without the key nobody can try what a hash stands for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.h"

namespace et::inspector {

/// HMAC-SHA-256 (RFC 2104) of `text`, its first 16 bytes in hex.
std::string keyed_hash(std::string_view key, std::string_view text);

class Redaction {
 public:
  Redaction() = default;
  explicit Redaction(std::string key) : key_(std::move(key)) {}
  bool active() const { return !key_.empty(); }
  const std::string& of(std::string_view text);
  /// Tells keys apart and says nothing of them: data sets of one key can be joined.
  std::string key_id() const { return keyed_hash(key_, "et-inspect key id").substr(0, 8); }

 private:
  std::string key_;
  std::unordered_map<std::string, std::string> known_;
};

/// The key in a file: its bytes without white space at the end, at least 16.
/// Errors: AccessFailed, InvalidArgument, naming the file.
Status read_redaction_key(const std::string& path, std::string* out);

}  // namespace et::inspector
