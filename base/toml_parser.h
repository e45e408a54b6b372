// toml++ as this project uses it, and where something stands. Slow to compile: for sources that parse, not for headers.
#pragma once

#include <string>

// The parser's assertions do not hold for every wrong file ("[[["): they must neither end the process nor become
// promises to the compiler.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include "base/status.h"

namespace et {

/// "file.toml:3:1"
inline std::string toml_place(const std::string& file, const toml::source_region& source) {
  return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

inline Status toml_error(const std::string& file, const toml::parse_error& e) {
  return {Error::InvalidArgument, toml_place(file, e.source()) + ": " + std::string(e.description())};
}

}  // namespace et
