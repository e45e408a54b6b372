// --source-map FROM=TO: where the source files that a trace names are on this machine.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace et::inspector {

/// FROM=TO prefixes of recorded source paths, tried in order.
using PathMaps = std::vector<std::pair<std::string, std::string>>;
/// The path with the first prefix that fits replaced. A prefix fits up to a "/" or the whole path.
std::string mapped_path(std::string_view path, const PathMaps& maps);

}  // namespace et::inspector
