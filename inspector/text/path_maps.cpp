#include "inspector/text/path_maps.h"

namespace et::inspector {

std::string mapped_path(std::string_view path, const PathMaps& maps) {
  for (const auto& [from, to] : maps) {
    std::string_view prefix = from;
    while (prefix.size() > 1 && prefix.back() == '/') prefix.remove_suffix(1);
    if (prefix.empty() || !path.starts_with(prefix)) continue;
    std::string_view rest = path.substr(prefix.size());
    if (!rest.empty() && rest.front() != '/' && prefix != "/") continue;
    while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
    std::string out = to;
    if (!rest.empty() && !out.empty() && out.back() != '/') out += '/';
    return out.append(rest);
  }
  return std::string(path);
}

}  // namespace et::inspector
