#include "gui/core/recent_files.h"

#include <algorithm>

#include "gui/core/text.h"

namespace et::gui {

std::vector<std::string> recent_files(const std::string& entry) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= entry.size();) {
    const size_t end = std::min(entry.find('\t', at), entry.size());
    out.push_back(entry.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string recent_title(const std::vector<std::string>& files) {
  std::string out = files.empty() ? std::string() : files.front();
  for (size_t i = 1; i < files.size(); ++i) out += " + " + base_name(files[i]);
  return out;
}

}  // namespace et::gui
