#include "gui/core/recent_files.h"

#include "gui/core/text.h"

namespace et::gui {

std::vector<std::string> recent_files(const std::string& entry) { return split_at(entry, '\t'); }

std::string recent_title(const std::vector<std::string>& files) {
  std::string out = files.empty() ? std::string() : files.front();
  for (size_t i = 1; i < files.size(); ++i) out += " + " + base_name(files[i]);
  return out;
}

}  // namespace et::gui
