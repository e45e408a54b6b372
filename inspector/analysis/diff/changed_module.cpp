#include "inspector/analysis/diff/changed_module.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace et::inspector {
namespace {

constexpr double kMostOfAll = 0.7, kStandsOut = 2;
constexpr double kPartOfIt = 0.02;  // of a module's change: what a row has to have to be named with it

struct Sum {
  double change = 0, time = 0;
};

bool is_below(const std::string& module, const std::string& path) {
  return module == path || (module.size() > path.size() && module.starts_with(path) && module[path.size()] == '.');
}

}  // namespace

std::optional<ChangedModule> changed_module(const TraceDiff& diff) {
  const double all = diff.after - diff.before, time = std::max(diff.before, diff.after);
  if (all == 0 || !(time > 0)) return std::nullopt;
  std::map<std::string, Sum> sums;  // by path, with all that is below it
  for (const DiffGroup& g : diff.groups) {
    for (size_t end = 0; !g.module.empty() && end != std::string::npos;) {
      end = g.module.find('.', end + 1);
      Sum& sum = sums[g.module.substr(0, end)];
      sum.change += g.change();
      sum.time += std::max(g.before.cost, g.after.cost);
    }
  }
  ChangedModule out;
  for (const auto& [path, sum] : sums) {  // a parent stands before what is below it
    const double part = sum.change / all;
    if (part < kMostOfAll || part > 1 / kMostOfAll || part < kStandsOut * sum.time / time) continue;
    if (!out.path.empty() && !is_below(path, out.path)) continue;
    out.path = path;
    out.change = sum.change;
  }
  if (out.path.empty()) return std::nullopt;
  for (size_t i = 0; i < diff.groups.size(); ++i) {
    const DiffGroup& g = diff.groups[i];  // by the size of the change
    if (is_below(g.module, out.path) && std::fabs(g.change()) >= kPartOfIt * std::fabs(out.change))
      out.groups.push_back(static_cast<int32_t>(i));
  }
  if (out.groups.size() < 2) return std::nullopt;
  return out;
}

}  // namespace et::inspector
