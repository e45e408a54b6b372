#include "gui/models/repeated_modules.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "gui/core/text.h"

namespace et::gui {
namespace {

constexpr double kFarMore = 1.5;    // times the median of its like
constexpr double kNearlyAll = 0.8;  // of what it is in
constexpr size_t kLongestNumber = 6;

/// A place in the model, whatever its numbers are.
struct Place {
  double time = 0, own = 0;
  std::set<std::string> types, typed;                               // typed: the members whose class is known
  std::map<std::string, double> members;                            // by path
  std::map<std::pair<std::string, std::string>, int32_t> children;  // by part and the class of leaves
};

class ModuleTree {
 public:
  explicit ModuleTree(const std::vector<ModuleCost>& modules) {
    places_.emplace_back();
    std::set<std::string> containers;
    for (const ModuleCost& module : modules) {
      for (size_t end = module.path.find('.'); end != std::string::npos; end = module.path.find('.', end + 1))
        containers.insert(module.path.substr(0, end));
    }
    for (const ModuleCost& module : modules) add(module, !containers.contains(module.path));
  }

  std::vector<ModuleTotal> rows() {
    std::vector<ModuleTotal> out;
    rows_inside(0, 0, &out);
    return out;
  }

 private:
  void add(const ModuleCost& module, bool leaf) {
    int32_t at = 0;
    places_[0].time += module.time;
    for (size_t begin = 0; begin <= module.path.size() && !module.path.empty();) {
      const size_t end = std::min(module.path.find('.', begin), module.path.size());
      const std::string part = module.path.substr(begin, end - begin);
      const bool index = is_module_number(part), last = end == module.path.size();
      const std::pair key = {index ? std::string("#") : part, index && last && leaf ? module.type : std::string()};
      const auto [child, is_new] =
          places_[static_cast<size_t>(at)].children.try_emplace(key, static_cast<int32_t>(places_.size()));
      at = child->second;
      if (is_new) places_.emplace_back();
      Place& place = places_[static_cast<size_t>(at)];
      place.time += module.time;
      place.members[module.path.substr(0, end)] += module.time;
      begin = end + 1;
    }
    places_[static_cast<size_t>(at)].own += module.time;
    places_[static_cast<size_t>(at)].types.insert(module.type);
    places_[static_cast<size_t>(at)].typed.insert(module.path);
  }

  /// The parts of its members' path, with the numbers that they have.
  static std::vector<std::string> path_of(const Place& place) {
    std::vector<std::string> out = split_at(place.members.begin()->first, '.');
    std::vector<std::set<int>> numbers(out.size());
    for (const auto& [member, time] : place.members) {
      const std::vector<std::string> parts = split_at(member, '.');
      for (size_t i = 0; i < parts.size(); ++i) {
        if (is_module_number(parts[i])) numbers[i].insert(std::atoi(parts[i].c_str()));
      }
    }
    for (size_t i = 0; i < out.size(); ++i) {
      if (!numbers[i].empty()) out[i] = numbers_text(numbers[i]);
    }
    return out;
  }

  static std::string joined_from(const std::vector<std::string>& parts, size_t first) {
    std::string out;
    for (size_t i = first; i < parts.size(); ++i) out += (i == first ? "" : ".") + parts[i];
    return out;
  }

  struct Sibling {
    int32_t place = 0;
    size_t parts = 0;  // of its path, from the row on that it is inside of
  };

  /// What is nearly all of its place stands for it, and the rest beside that.
  void add_siblings(int32_t at, size_t parts, std::vector<Sibling>* out) const {
    for (const auto& [key, child] : places_[static_cast<size_t>(at)].children) {
      const Place& place = places_[static_cast<size_t>(child)];
      if (!(place.time > 0)) continue;
      const bool folded = std::any_of(place.children.begin(), place.children.end(), [&](const auto& inside) {
        return places_[static_cast<size_t>(inside.second)].time >= kNearlyAll * place.time;
      });
      if (folded) {
        add_siblings(child, parts + 1, out);
      } else {
        out->push_back({child, parts + 1});
      }
    }
  }

  void rows_inside(int32_t at, int depth, std::vector<ModuleTotal>* out) const {
    std::vector<Sibling> siblings;
    if (depth == 0 && places_[0].own > 0) siblings.push_back({0, 0});
    add_siblings(at, 0, &siblings);
    const auto time_of = [&](const Sibling& s) {
      const Place& place = places_[static_cast<size_t>(s.place)];
      return s.place == 0 ? place.own : place.time;  // the model as a row is what it does itself
    };
    std::stable_sort(siblings.begin(), siblings.end(),
                     [&](const Sibling& x, const Sibling& y) { return time_of(x) > time_of(y); });
    for (const Sibling& sibling : siblings) {
      const Place& place = places_[static_cast<size_t>(sibling.place)];
      if (sibling.place == 0) {
        const std::string type = place.types.size() == 1 ? *place.types.begin() : std::string();
        out->push_back({"", "", type, 0, place.own, place.own, 1, "", place.own});
        continue;
      }
      out->push_back(row_of(place, sibling.parts, depth));
      rows_inside(sibling.place, depth + 1, out);
    }
  }

  static ModuleTotal row_of(const Place& place, size_t parts, int depth) {
    const std::vector<std::string> path = path_of(place);
    ModuleTotal row = {joined_from(path, 0),
                       joined_from(path, path.size() - parts),
                       "",
                       depth,
                       place.time,
                       place.own,
                       place.members.size(),
                       "",
                       0};
    // A block without ops of its own has no class here: it may be another one.
    if (place.types.size() == 1 && place.typed.size() == place.members.size()) row.type = *place.types.begin();
    std::vector<double> times;
    for (const auto& [member, time] : place.members) {
      times.push_back(time);
      row.members.push_back(member);
      if (time > row.most || row.costliest.empty()) row.most = time, row.costliest = member;
    }
    if (times.size() < 2) return row;
    std::sort(times.begin(), times.end());
    times.pop_back();
    const size_t middle = times.size() / 2;
    const double median = times.size() % 2 != 0 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
    row.stands_out = row.most > kFarMore * median;
    return row;
  }

  std::vector<Place> places_;
};

}  // namespace

bool is_module_number(const std::string& part) {
  return !part.empty() && part.size() <= kLongestNumber && part.find_first_not_of("0123456789") == std::string::npos;
}

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

std::vector<ModuleTotal> module_totals(const std::vector<ModuleCost>& modules, size_t most) {
  std::vector<ModuleTotal> all = ModuleTree(modules).rows();
  std::vector<size_t> order(all.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // What a row is in stands before it, and takes as long at least: so it is among the first, too.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return all[a].time > all[b].time; });
  for (size_t i = 0; i < order.size(); ++i) all[order[i]].rank = i;
  std::erase_if(all, [&](const ModuleTotal& row) { return row.rank >= most; });
  return all;
}

}  // namespace et::gui
