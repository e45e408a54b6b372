#include "gui/models/timeline_modules.h"

#include <algorithm>
#include <map>

namespace et::gui {
namespace {

using Components = std::vector<std::string>;

Components components_of(const std::string& path) {
  Components out;
  for (size_t at = 0; at <= path.size();) {
    const size_t dot = std::min(path.find('.', at), path.size());
    out.push_back(path.substr(at, dot - at));
    at = dot + 1;
  }
  return out;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string joined(const Components& parts, size_t first, size_t last) {
  std::string out;
  for (size_t i = first; i < last; ++i) out += (out.empty() ? "" : ".") + parts[i];
  return out;
}

/// Up to the number that tells equal modules apart, "encoder.layer.0"; the first component of one without.
size_t length_of_name(const Components& parts, size_t common) {
  for (size_t i = common; i < parts.size(); ++i) {
    if (is_number(parts[i])) return i + 1;
  }
  return std::min(common + 1, parts.size());
}

const std::string* module_of(const TraceData& data, const inspector::OpEntry& op) {
  // A delegate's call is of many modules; the ops inside know theirs.
  if (op.encloses || data.table.block_of(op).kind != "execute") return nullptr;
  const inspector::OpNode* node = data.table.main_node(op);
  if (node == nullptr || !node->node->has_module || node->node->module_path.empty()) return nullptr;
  return &node->node->module_path;
}

}  // namespace

TimelineModules::TimelineModules(const TraceData& data) {
  std::map<const std::string*, Components> paths;
  for (const inspector::OpEntry& op : data.table.ops) {
    if (const std::string* path = module_of(data, op)) paths.try_emplace(path, components_of(*path));
  }
  if (paths.empty()) return;
  size_t common = paths.begin()->second.size();
  for (const auto& [path, parts] : paths) {
    const Components& first = paths.begin()->second;
    size_t same = 0;
    while (same < common && same < parts.size() && parts[same] == first[same]) ++same;
    common = same;
  }
  // "layers.0" and "layers.1" keep the name that they share.
  if (common > 0 && std::any_of(paths.begin(), paths.end(),
                                [&](const auto& p) { return p.second.size() > common && is_number(p.second[common]); }))
    --common;
  std::map<std::string, int32_t> known;
  std::map<const std::string*, int32_t> of_path;
  for (const auto& [path, parts] : paths) {
    const size_t length = length_of_name(parts, common);
    const std::string whole = joined(parts, 0, length);
    const auto [at, is_new] = known.try_emplace(whole, static_cast<int32_t>(names_.size()));
    if (is_new) names_.push_back({whole, length > common ? joined(parts, common, length) : whole, ""});
    of_path.emplace(path, at->second);
  }
  tell_apart();
  of_op_.reserve(data.table.ops.size());
  for (const inspector::OpEntry& op : data.table.ops) {
    const std::string* path = module_of(data, op);
    of_op_.push_back(path == nullptr ? -1 : of_path.at(path));
  }
}

void TimelineModules::tell_apart() {
  std::map<std::string, int> ends;
  for (const Name& name : names_) {
    const Components parts = components_of(name.label);
    for (size_t first = 0; first < parts.size(); ++first) ++ends[joined(parts, first, parts.size())];
  }
  for (Name& name : names_) {
    const Components parts = components_of(name.label);
    name.least = name.label;
    for (size_t first = parts.size(); first-- > 0;) {
      const std::string end = joined(parts, first, parts.size());
      if (is_number(parts[first]) || ends[end] > 1) continue;
      name.least = end;
      break;
    }
  }
}

std::vector<std::string> TimelineModules::labels(const Name& name) {
  std::vector<std::string> out;
  for (std::string rest = name.label;; rest.erase(0, rest.find('.') + 1)) {
    out.push_back(rest);
    if (rest.size() <= name.least.size()) break;
  }
  Components parts = components_of(name.least);
  if (parts.size() < 2) return out;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!is_number(parts[i])) parts[i].resize(1);
  }
  out.push_back(joined(parts, 0, parts.size()));
  return out;
}

std::vector<ModuleSpan> TimelineModules::spans(const TraceData& data, const inspector::TimelineWindow& window) const {
  std::vector<ModuleSpan> parts;
  for (const inspector::WindowRow& row : window.rows) {
    if (row.track != 0 || row.lane != 0) continue;
    for (size_t i = row.first; i < row.last; ++i) {
      const inspector::WindowSlice& s = window.slices[i];
      const auto op = static_cast<size_t>(s.op);
      if (op < of_op_.size() && of_op_[op] >= 0) parts.push_back({s.start, s.end, of_op_[op]});
    }
  }
  std::sort(parts.begin(), parts.end(), [](const ModuleSpan& a, const ModuleSpan& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  const auto run_at = [&](int64_t time) {
    return std::upper_bound(data.runs.begin(), data.runs.end(), time,
                            [](int64_t t, const Run& run) { return t < run.start; });
  };
  std::vector<ModuleSpan> out;
  for (const ModuleSpan& part : parts) {
    const bool goes_on =
        !out.empty() && out.back().module == part.module && run_at(out.back().start) == run_at(part.start);
    if (goes_on) {
      out.back().end = std::max(out.back().end, part.end);
      continue;
    }
    if (!out.empty()) out.back().end = std::min(out.back().end, part.start);
    out.push_back(part);
  }
  return out;
}

}  // namespace et::gui
