#include "gui/models/repeated_modules.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace et::gui {
namespace {

constexpr double kFarMore = 1.5;  // times the median of its like
constexpr size_t kLongestNumber = 6;

struct PathShape {
  std::vector<std::string> parts;  // "" where a number stands
  std::vector<int> numbers;
};

PathShape shape_of(const std::string& path) {
  PathShape out;
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const bool number =
        !part.empty() && part.size() <= kLongestNumber && part.find_first_not_of("0123456789") == std::string::npos;
    out.parts.push_back(number ? std::string() : part);
    if (number) {
      int value = 0;
      std::from_chars(part.data(), part.data() + part.size(), value);
      out.numbers.push_back(value);
    }
    begin = end + 1;
  }
  return out;
}

std::string family_title(const std::vector<std::string>& parts, const std::vector<std::set<int>>& numbers) {
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    out += i == 0 ? "" : ".";
    out += parts[i].empty() && at < numbers.size() ? numbers_text(numbers[at++]) : parts[i];
  }
  return out;
}

/// Of those from `first` on, which are in the order of their times.
double median_from(const std::vector<const ModuleCost*>& sorted, size_t first) {
  const size_t middle = first + (sorted.size() - first) / 2;
  const double high = sorted[middle]->time;
  return (sorted.size() - first) % 2 != 0 ? high : (sorted[middle - 1]->time + high) / 2;
}

}  // namespace

std::string numbers_text(const std::set<int>& numbers) {
  const std::string first = std::to_string(*numbers.begin()), last = std::to_string(*numbers.rbegin());
  if (numbers.size() == 1) return first;
  if (*numbers.rbegin() - *numbers.begin() + 1 == static_cast<int>(numbers.size()) && numbers.size() > 2)
    return "{" + first + ".." + last + "}";
  if (numbers.size() > 3) return "{" + first + "…" + last + "}";
  std::string out;
  for (const int n : numbers) out += (out.empty() ? "{" : ",") + std::to_string(n);
  return out + "}";
}

std::vector<ModuleFamily> module_families(const std::vector<ModuleCost>& modules) {
  struct Members {
    std::vector<const ModuleCost*> of;
    double time = 0;
  };
  std::map<std::pair<std::vector<std::string>, std::string>, Members> families;
  std::vector<ModuleFamily> out;
  for (const ModuleCost& module : modules) {
    Members& members = families[{shape_of(module.path).parts, module.type}];
    members.of.push_back(&module);
    members.time += module.time;
  }
  for (auto& [key, members] : families) {
    // The largest first; what stands out of those that are left stands alone.
    std::stable_sort(members.of.begin(), members.of.end(),
                     [](const ModuleCost* a, const ModuleCost* b) { return a->time > b->time; });
    size_t first = 0;
    while (first + 1 < members.of.size() && members.of[first]->time > kFarMore * median_from(members.of, first + 1)) {
      const ModuleCost& alone = *members.of[first++];
      members.time -= alone.time;
      out.push_back({alone.path, alone.type, alone.time, 1, alone.path});
    }
    std::vector<std::set<int>> numbers;
    for (size_t i = first; i < members.of.size(); ++i) {
      const PathShape shape = shape_of(members.of[i]->path);
      numbers.resize(std::max(numbers.size(), shape.numbers.size()));
      for (size_t n = 0; n < shape.numbers.size(); ++n) numbers[n].insert(shape.numbers[n]);
    }
    out.push_back({family_title(key.first, numbers), key.second, members.time, members.of.size() - first,
                   members.of[first]->path});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ModuleFamily& a, const ModuleFamily& b) { return a.time > b.time; });
  return out;
}

}  // namespace et::gui
