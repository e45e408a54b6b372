// What was opened before, as the settings keep it: the files of one opening in a line, separated by tabs.
#pragma once

#include <string>
#include <vector>

namespace et::gui {

std::vector<std::string> recent_files(const std::string& entry);
/// "/runs/etdump.etdp + etrecord.bin".
std::string recent_title(const std::vector<std::string>& files);

}  // namespace et::gui
