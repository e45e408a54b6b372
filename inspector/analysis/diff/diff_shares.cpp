#include "inspector/analysis/diff/diff_shares.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "inspector/analysis/diff/changed_module.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Changes of all ops of a type together; what has none, each by itself.
struct TypeChange {
  std::string title;
  double change = 0;
  int64_t rows = 0;
  int32_t largest = -1;  // group
};

std::vector<TypeChange> changes_by_type(const TraceDiff& diff) {
  std::vector<TypeChange> out;
  std::map<std::string, size_t> at;
  for (size_t i = 0; i < diff.groups.size(); ++i) {
    const DiffGroup& g = diff.groups[i];  // by the size of the change
    if (g.is_variation) continue;
    const std::string title = g.type.empty() ? with_change(g.title, g.was_title) : operator_title(g.type);
    const auto [found, fresh] = at.try_emplace((g.type.empty() ? "\x01" : "") + title, out.size());
    if (fresh) out.push_back({title, 0, 0, static_cast<int32_t>(i)});
    out[found->second].change += g.change();
    ++out[found->second].rows;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const TypeChange& a, const TypeChange& b) { return std::fabs(a.change) > std::fabs(b.change); });
  return out;
}

bool is_framework(const DiffGroup& g) {
  return g.type.empty() && g.before.backend.empty() && g.after.backend.empty() &&
         g.before.parts.size() + g.after.parts.size() > 0;
}

constexpr size_t kMostShares = 3;
constexpr double kLeastShareOfChange = 0.05, kLeastOfFramework = 0.01;

/// What is no op's, after the ops: a reader looks for what to change. Its change is taken from `rest`.
std::optional<DiffShare> variation_share(const TraceDiff& diff, double moved, double* rest) {
  for (size_t i = 0; i < diff.groups.size(); ++i) {
    const DiffGroup& g = diff.groups[i];
    if (!g.is_variation || std::fabs(g.change()) < kLeastShareOfChange * moved) continue;
    *rest -= g.change();
    return DiffShare{"in no op's usual time (variation)", g.change(), static_cast<int32_t>(i)};
  }
  return std::nullopt;
}

std::vector<DiffShare> shares_by_type(const TraceDiff& diff, const std::vector<TypeChange>& types) {
  const double change = diff.after - diff.before, moved = std::max(std::fabs(types.front().change), std::fabs(change));
  std::vector<DiffShare> out;
  double rest = change;
  std::optional<DiffShare> variation = variation_share(diff, moved, &rest);
  for (const TypeChange& t : types) {
    const bool framework = is_framework(diff.groups[static_cast<size_t>(t.largest)]);
    const double least = out.size() < kMostShares ? kLeastShareOfChange : kLeastOfFramework;
    if (std::fabs(t.change) < least * moved || (out.size() >= kMostShares && !framework)) continue;
    out.push_back({t.title + (t.rows > 1 ? " ×" + format_count(t.rows) : ""),
                   t.change,
                   t.largest,
                   DiffShare::Of::Type,
                   {},
                   diff.groups[static_cast<size_t>(t.largest)].type});
    rest -= t.change;
  }
  const bool all = out.size() == types.size();
  if (variation) {
    variation->of = DiffShare::Of::Type;
    out.push_back(*std::move(variation));
  }
  if (!out.empty() && !all) out.push_back({"the rest", rest, -1, DiffShare::Of::Type});
  return out;
}

std::vector<DiffShare> shares_of_ops(const TraceDiff& diff) {
  constexpr double kSaysLittle = 0.5;  // of what the largest type changed: then single ops are not where to look
  const double change = diff.after - diff.before;
  std::vector<DiffShare> out;
  const std::vector<TypeChange> types = changes_by_type(diff);
  double largest = 0;  // of an op
  for (const DiffGroup& g : diff.groups) largest = std::max(largest, g.is_variation ? 0 : std::fabs(g.change()));
  if (!types.empty() && types.front().rows > 1 && largest < kSaysLittle * std::fabs(types.front().change))
    return shares_by_type(diff, types);
  double rest = change, moved = 0;
  for (const DiffGroup& g : diff.groups) moved = std::max(moved, std::fabs(g.change()));
  std::optional<DiffShare> variation = variation_share(diff, std::max(moved, std::fabs(change)), &rest);
  for (size_t i = 0; i < diff.groups.size() && out.size() < kMostShares; ++i) {
    const DiffGroup& g = diff.groups[i];  // by the size of the change
    if (g.is_variation) continue;
    if (g.change() == 0 || std::fabs(g.change()) < kLeastShareOfChange * std::max(moved, std::fabs(change))) break;
    const std::string& where = g.module.empty() ? g.place : g.module;
    const std::string title = with_change(g.title, g.was_title);
    out.push_back({(where.empty() ? title : title + " in " + where) + work_change(g.before.flops, g.after.flops),
                   g.change(), static_cast<int32_t>(i)});
    rest -= g.change();
  }
  // What the runtime itself takes is no op that one would look for in the rest.
  for (size_t i = 0; i < diff.groups.size() && !out.empty(); ++i) {
    const DiffGroup& g = diff.groups[i];
    const bool framework = is_framework(g);
    const bool shown =
        std::any_of(out.begin(), out.end(), [&](const DiffShare& s) { return s.group == static_cast<int32_t>(i); });
    if (!framework || shown || std::fabs(g.change()) < kLeastOfFramework * std::max(moved, std::fabs(change))) continue;
    out.push_back({g.title, g.change(), static_cast<int32_t>(i)});
    rest -= g.change();
  }
  if (variation) out.push_back(*std::move(variation));
  if (!out.empty() && out.size() < diff.groups.size()) out.push_back({"the rest", rest, -1});
  return out;
}

/// "net.layers.1.mlp (aten.addmm ×2, aten.gelu)": the types that make most of its change first, three at most.
std::string title_of(const TraceDiff& diff, const ChangedModule& module) {
  std::vector<std::pair<std::string, int64_t>> types;
  for (const int32_t g : module.groups) {
    const DiffGroup& group = diff.groups[static_cast<size_t>(g)];
    const std::string title = group.type.empty() ? group.title : operator_title(group.type);
    const auto same = std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.first == title; });
    if (same == types.end()) {
      types.emplace_back(title, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(types.size(), kMostShares); ++i)
    names.push_back(types[i].first + (types[i].second > 1 ? " ×" + format_count(types[i].second) : ""));
  if (types.size() > kMostShares) names.emplace_back("…");
  std::optional<double> before = 0, after = 0;
  const auto add = [](std::optional<double>* sum, const std::optional<double>& n) {
    *sum = *sum && n ? std::optional(**sum + *n) : std::nullopt;
  };
  for (const int32_t g : module.groups) {
    add(&before, diff.groups[static_cast<size_t>(g)].before.flops);
    add(&after, diff.groups[static_cast<size_t>(g)].after.flops);
  }
  return module.path + " (" + joined(names, ", ") + ")" + work_change(before, after);
}

std::vector<DiffShare> shares_of_module(const TraceDiff& diff, const ChangedModule& module) {
  const double change = diff.after - diff.before;
  double rest = change - module.change;
  std::vector<DiffShare> out;
  out.push_back({title_of(diff, module), module.change, module.groups.front(), DiffShare::Of::Module, module.path});
  if (auto variation = variation_share(diff, std::fabs(change), &rest)) {
    variation->of = DiffShare::Of::Module;
    out.push_back(*std::move(variation));
  }
  out.push_back({"the rest", rest, -1, DiffShare::Of::Module});
  return out;
}

}  // namespace

std::vector<DiffShare> diff_shares(const TraceDiff& diff) {
  constexpr double kNothing = 0.001;
  if (!different_programs(diff).empty()) return {};
  // Of nothing there are no parts.
  if (std::fabs(diff.after - diff.before) < kNothing * std::max(diff.before, diff.after)) return {};
  if (const auto module = changed_module(diff)) return shares_of_module(diff, *module);
  return shares_of_ops(diff);
}

std::vector<MethodShares> diff_shares_by_method(const TraceDiff& diff) {
  std::vector<MethodShares> out;
  if (!different_programs(diff).empty()) return out;
  for (const DiffMethod& m : diff.methods) {
    if (!m.both_ran() || m.lacks_basis() || m.verdict == DiffVerdict::Same) continue;
    TraceDiff own;
    own.unit = diff.unit;
    own.basis = diff.basis;
    own.methods = {m};
    own.before = m.before;
    own.after = m.after;
    std::vector<int32_t> at;  // of its rows in all
    for (size_t i = 0; i < diff.groups.size(); ++i) {
      if (diff.groups[i].method != m.name) continue;
      own.groups.push_back(diff.groups[i]);
      at.push_back(static_cast<int32_t>(i));
    }
    std::vector<DiffShare> shares = diff_shares(own);
    for (DiffShare& share : shares) share.group = share.group < 0 ? -1 : at[static_cast<size_t>(share.group)];
    if (!shares.empty()) out.push_back({m.name, m.after - m.before, std::move(shares)});
  }
  return out;
}

}  // namespace et::inspector
