// JSON as Python writes it, parsed by simdjson. Internal to this room.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace et::etrecord {

/// A parsed document; its elements live until the next parse().
class JsonDocument {
 public:
  /// Strict JSON goes straight to simdjson. What Python adds is rewritten first, and only then: bare Infinity,
  /// -Infinity, NaN and numbers beyond 64 bit become strings (json_double reads them back), lone surrogates U+FFFD.
  /// Errors: InvalidExternalData with `where`, the byte offset in `text` and what was expected there.
  Status parse(std::string_view text, const std::string& where, uint32_t max_depth);

  simdjson::dom::element root() const { return root_; }
  /// The text was not standard JSON and has been rewritten.
  bool rewritten() const { return rewritten_; }

 private:
  simdjson::error_code parse_padded(std::string_view text, uint32_t max_depth);

  simdjson::dom::parser parser_;
  std::string buffer_;
  simdjson::dom::element root_;
  bool rewritten_ = false;
};

/// Standard JSON for what Python's json.dumps may write; never touches what is inside strings but lone surrogates.
std::string rewrite_python_json(std::string_view text);

struct JsonFault {
  size_t offset = 0;
  std::string expected;
};
/// First place where `text` is not JSON (Python's non-finite tokens are taken), nullopt if it is.
std::optional<JsonFault> find_json_fault(std::string_view text, uint32_t max_depth);

/// Numbers, booleans as 0 and 1, and the strings that rewriting made. Beyond int64 it fails.
std::optional<int64_t> json_int(simdjson::dom::element e);
std::optional<double> json_double(simdjson::dom::element e);
std::optional<std::string_view> json_string(simdjson::dom::element e);

}  // namespace et::etrecord
