// Text of JSON before it is parsed: what Python writes beyond the standard, and where a text is not JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace et {

/// Standard JSON for what Python's json.dumps may write; never touches what is inside strings but lone surrogates.
std::string rewrite_python_json(std::string_view text);

struct JsonFault {
  size_t offset = 0;
  std::string expected;
};
/// First place where `text` is not JSON (Python's non-finite tokens are taken), nullopt if it is.
std::optional<JsonFault> find_json_fault(std::string_view text, uint32_t max_depth);

}  // namespace et
