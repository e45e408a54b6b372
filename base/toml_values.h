// The values of a TOML file as a flat list with their places. The parser is behind one source: it is slow to compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace et {

struct TomlValue {
  std::vector<std::string> path;  ///< keys from the root: {"et-run", "iterations"}
  std::vector<std::string>
      values;  ///< one, or the elements of an array; numbers and booleans as they are written in TOML
  bool is_array = false;
  std::string place;  ///< "file.toml:3:1"
};

/// Appends the values of all tables, in the order of their keys. Errors: InvalidArgument with the place for text that
/// is no TOML and for values that are neither texts, numbers, booleans nor arrays of these.
Status read_toml_values(std::string_view text, const std::string& file, std::vector<TomlValue>* out);

}  // namespace et
