// What the paths of several modules have in common, as one path: "encoder.layer.{0..11}.attention.*".
#pragma once

#include <string>
#include <vector>

namespace et::gui {

/// Numbers that differ are a set, other names that differ are "*"; what only some of them have behind the others' end
/// is "…". The path itself of one, "" where not even one part is the same or a number. Empty paths are left out.
std::string module_pattern(const std::vector<std::string>& paths);
/// Its parts: "encoder", "layer", "{0..11}".
std::vector<std::string> pattern_parts(const std::string& pattern);

}  // namespace et::gui
