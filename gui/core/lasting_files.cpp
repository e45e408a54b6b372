#include "gui/core/lasting_files.h"

#include <algorithm>
#include <filesystem>

namespace et::gui {

bool is_lasting(const OpenRequest& request) {
  const std::vector<std::string> files = request.files();
  return request.is_store() || std::all_of(files.begin(), files.end(), [](const std::string& file) {
           std::error_code ignored;
           return file != "/dev/stdin" && std::filesystem::is_regular_file(file, ignored);
         });
}

}  // namespace et::gui
