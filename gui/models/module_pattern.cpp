#include "gui/models/module_pattern.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "gui/core/text.h"
#include "gui/models/repeated_modules.h"

namespace et::gui {

std::string module_pattern(const std::vector<std::string>& paths) {
  std::set<std::vector<std::string>> all;
  for (const std::string& path : paths) {
    if (!path.empty()) all.insert(split_at(path, '.'));
  }
  if (all.empty()) return {};
  size_t least = all.begin()->size(), most = least;
  for (const auto& parts : all) least = std::min(least, parts.size()), most = std::max(most, parts.size());
  std::string out;
  bool any = false;
  for (size_t i = 0; i < least; ++i) {
    std::set<std::string> names;
    std::set<int> numbers;
    for (const auto& parts : all) {
      names.insert(parts[i]);
      if (is_module_number(parts[i])) numbers.insert(std::atoi(parts[i].c_str()));
    }
    const bool one = names.size() == 1, numbered = !one && numbers.size() == names.size();
    any = any || one || numbered;
    out += (i > 0 ? "." : "") + (one ? *names.begin() : numbered ? numbers_text(numbers) : "*");
  }
  if (!any) return {};
  return least == most ? out : out + ".…";
}

std::vector<std::string> pattern_parts(const std::string& pattern) {
  std::vector<std::string> out(1);
  bool set = false;
  for (const char c : pattern) {
    set = c == '{' || (set && c != '}');
    if (c == '.' && !set)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace et::gui
