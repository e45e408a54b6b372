#include "gui/models/delegation_model.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <set>

#include "gui/core/text.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/csv_text.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::DelegationMap;
using inspector::MapItem;
using inspector::NonDelegatedOp;
using inspector::StayReason;

namespace {

constexpr float kLeast = 2;          // pixels, of equal widths
constexpr float kLeastSeen = 1;      // pixels, of what takes next to nothing beside the others
constexpr float kMostOfSeen = 0.1F;  // of the strip, for all of these together
constexpr float kStripNarrow = 3, kStripWide = 8,
                kStripNear = 2;  // pixels: beside a wide one a narrow one is easier to click

std::string tensor_of(const NonDelegatedOp& op) { return op.shape.empty() ? op.dtype : op.dtype + " " + op.shape; }

/// Where the operators of a row are: the most expensive one's module, and how many others.
std::string modules_of(const DelegationMap& map, const NonDelegatedRow& row) {
  std::set<std::string> modules;
  for (const int32_t i : row.ops) modules.insert(map.non_delegated[static_cast<size_t>(i)].module_path);
  modules.erase("");
  if (modules.empty()) return {};
  const std::string& first = map.non_delegated[static_cast<size_t>(row.ops.front())].module_path;
  const std::string& shown = first.empty() ? *modules.begin() : first;
  return modules.size() == 1 ? shown : shown + " and " + std::to_string(modules.size() - 1) + " more";
}

/// More than that nothing is delegated; then a copy needs no reason either.
bool says_why(const DelegationMap& map, const NonDelegatedRow& row, bool nothing_delegated) {
  return std::any_of(row.ops.begin(), row.ops.end(), [&](int32_t i) {
    const auto& reasons = map.non_delegated[static_cast<size_t>(i)].reasons;
    return std::any_of(reasons.begin(), reasons.end(), [&](const StayReason& r) {
      const bool copies = r.kind == StayReason::Kind::Moves || r.kind == StayReason::Kind::View;
      return r.kind != StayReason::Kind::NothingDelegated && !(copies && nothing_delegated);
    });
  });
}

}  // namespace

void DelegationModel::set(std::vector<DelegationMap> maps, std::shared_ptr<const TraceData> data) {
  maps_ = std::move(maps);
  data_ = std::move(data);
  strips_.assign(maps_.size(), {});
  totals_.clear();
  what_if_.clear();
  backends_.clear();
  whole_ns_ = 0;
  for (const DelegationMap& m : maps_) {
    whole_ns_ += m.total_ns;
    totals_.push_back(inspector::delegation_totals(m));
    what_if_.push_back(inspector::what_if_delegated(m));
    for (const MapItem& i : m.items) {
      if (i.kind == MapItem::Kind::Delegate &&
          std::find(backends_.begin(), backends_.end(), i.backend) == backends_.end())
        backends_.push_back(i.backend);
    }
  }
  if (shown_map_ >= static_cast<int32_t>(maps_.size())) shown_map_ = -1;
  find_places();
  refresh();
}

bool DelegationModel::has_graph() const {
  return std::any_of(maps_.begin(), maps_.end(), [](const DelegationMap& m) { return m.has_graph; });
}

void DelegationModel::show_map(int32_t index) {
  if (index == shown_map_ || index >= static_cast<int32_t>(maps_.size())) return;
  shown_map_ = std::max(index, -1);
  find_places();
  refresh();
}

void DelegationModel::choose_as(const DelegationModel& other) {
  set_equal(other.equal_);
  orders_ = other.orders_;
  by_reason_ = other.by_reason_;
  for (size_t m = 0; m < std::min(strips_.size(), other.strips_.size()); ++m)
    set_zoom(static_cast<int32_t>(m), other.strips_[m].zoom);
  if (maps_.empty() || other.shown_map_ < static_cast<int32_t>(maps_.size())) {
    shown_map_ = other.shown_map_;
    find_places();
    if (!maps_.empty()) refresh();
  }
  if (by_type_ == other.by_type_ && show_free_ == other.show_free_ && descending_ == other.descending_ &&
      sort_ == other.sort_ && filter_ == other.filter_)
    return;
  by_type_ = other.by_type_;
  show_free_ = other.show_free_;
  descending_ = other.descending_;
  sort_ = other.sort_;
  filter_ = other.filter_;
  refresh();
}

void DelegationModel::set_equal(bool equal) {
  if (equal_ == equal) return;
  equal_ = equal;
  for (Strip& s : strips_) s.width = -1;
}

void DelegationModel::set_zoom(int32_t map, float zoom) {
  constexpr float kClosest = 256;
  Strip& strip = strips_[static_cast<size_t>(map)];
  zoom = std::clamp(zoom, 1.0F, kClosest);
  if (strip.zoom == zoom) return;
  strip.zoom = zoom;
  strip.width = -1;
}

namespace {

/// Widths in proportion to `weights`, none below `least`; `short_ones`: how many are as narrow as that.
std::vector<float> proportional_widths(const std::vector<double>& weights, float least, float width,
                                       int64_t* short_ones) {
  // The least take their minimum first; the others share what is left.
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return weights[x] < weights[y]; });
  double total = 0, room = static_cast<double>(width);
  for (const double w : weights) total += w;
  std::vector<float> out(weights.size());
  for (const size_t i : order) {
    const double owed = total > 0 ? std::max(room, 0.0) * weights[i] / total : 0;
    out[i] = std::max(least, static_cast<float>(owed));
    *short_ones += static_cast<float>(owed) < least ? 1 : 0;
    room -= static_cast<double>(out[i]);
    total -= weights[i];
  }
  return out;
}

}  // namespace

const std::vector<StripBox>& DelegationModel::strip(int32_t index, float width) {
  Strip& strip = strips_[static_cast<size_t>(index)];
  if (strip.width == width) return strip.boxes;
  strip.width = width;
  width *= strip.zoom;
  strip.boxes.clear();
  strip.short_ones = 0;
  std::vector<double> weights;
  double total = 0;
  for (const MapItem& i : map(index).items) total += std::max(0.0, i.ns);
  const bool equal = equal_ || !(total > 0);
  for (const MapItem& i : map(index).items) weights.push_back(equal ? 1 : std::max(0.0, i.ns));
  const float all = std::max(1.0F, static_cast<float>(weights.size()));
  const float least = equal ? kLeast : std::min(kLeastSeen, width * kMostOfSeen / all);
  int64_t* const short_ones = &strip.short_ones;
  float x = 0;
  for (const float w : proportional_widths(weights, least, width, short_ones)) {
    strip.boxes.push_back({static_cast<int32_t>(strip.boxes.size()), x, x + w});
    x += w;
  }
  return strip.boxes;
}

int32_t DelegationModel::hit(int32_t index, float x) const {
  const auto& boxes = strips_[static_cast<size_t>(index)].boxes;
  const auto at = std::upper_bound(boxes.begin(), boxes.end(), x, [](float v, const StripBox& b) { return v < b.x1; });
  if (at == boxes.end() || x < at->x0) return -1;
  const auto is_narrow = [](const StripBox& b) { return b.x1 - b.x0 < kStripNarrow; };
  if (at->x1 - at->x0 < kStripWide) return at->item;
  if (x - at->x0 < kStripNear && at != boxes.begin() && is_narrow(*(at - 1))) return (at - 1)->item;
  if (at->x1 - x < kStripNear && at + 1 != boxes.end() && is_narrow(*(at + 1))) return (at + 1)->item;
  return at->item;
}

void DelegationModel::sort(Column column, bool descending) {
  sort_ = column;
  descending_ = descending;
  refresh();
}
void DelegationModel::filter(const std::string& text) {
  if (text == filter_) return;
  filter_ = text;
  refresh();
}
void DelegationModel::by_type(bool yes) {
  by_type_ = yes;
  refresh();
}
void DelegationModel::show_free(bool yes) {
  show_free_ = yes;
  refresh();
}

const NonDelegatedOp& DelegationModel::first(const NonDelegatedRow& row) const {
  return map(row.map).non_delegated[static_cast<size_t>(row.ops.front())];
}

void DelegationModel::refresh() {
  rows_.clear();
  has_reasons_ = false;
  hidden_free_ = 0;
  std::map<std::pair<int32_t, std::string>, size_t> of_type;
  for (size_t m = 0; m < maps_.size(); ++m) {
    const DelegationMap& map = maps_[m];
    if (!shows_map(static_cast<int32_t>(m))) continue;
    for (size_t i = 0; i < map.non_delegated.size(); ++i) {
      const NonDelegatedOp& op = map.non_delegated[i];
      std::string all = op.op + "\n" + op.node + "\n" + op.module_path + "\n" + op.dtype;
      for (const StayReason& r : op.reasons) all += "\n" + r.text + "\n" + inspector::reason_name(r.kind);
      if (!has_all_words(all, filter_)) continue;
      if (op.instruction < 0 && !show_free_) {
        ++hidden_free_;
        continue;
      }
      size_t at = rows_.size();
      if (by_type_) at = of_type.try_emplace({static_cast<int32_t>(m), op.op}, at).first->second;
      if (at == rows_.size()) rows_.emplace_back().map = static_cast<int32_t>(m);
      NonDelegatedRow& row = rows_[at];
      row.ops.push_back(static_cast<int32_t>(i));
      row.ns += op.ns;
      row.bytes = row.bytes < 0 || op.crossing_bytes < 0 ? -1 : row.bytes + op.crossing_bytes;
      row.share = whole_ns_ > 0 ? row.ns / whole_ns_ : 0;
      for (const StayReason& r : op.reasons) {
        const std::string name = inspector::reason_name(r.kind);
        if (row.reasons.find(name) == std::string::npos) row.reasons += (row.reasons.empty() ? "" : ", ") + name;
      }
    }
  }
  for (NonDelegatedRow& row : rows_) {
    const auto& ops = map(row.map).non_delegated;
    std::stable_sort(row.ops.begin(), row.ops.end(), [&](int32_t a, int32_t b) {
      return ops[static_cast<size_t>(a)].ns > ops[static_cast<size_t>(b)].ns;
    });
    row.module = modules_of(map(row.map), row);
    if (sort_ == Column::Reasons) row.said = reasons_of(row);
    has_reasons_ = has_reasons_ || says_why(map(row.map), row, backends_.empty());
  }
  const auto less = [&](const NonDelegatedRow& a, const NonDelegatedRow& b) {
    const NonDelegatedOp &x = first(a), &y = first(b);
    switch (sort_) {
      case Column::Time:
        return a.ns < b.ns;
      case Column::Count:
        return a.ops.size() < b.ops.size();
      case Column::Method:
        return map(a.map).method < map(b.map).method;
      case Column::Operator:
        return x.op < y.op;
      case Column::Module:
        return x.module_path < y.module_path;
      case Column::Node:
        return x.node < y.node;
      case Column::Instruction:
        return std::make_pair(a.map, x.instruction) < std::make_pair(b.map, y.instruction);
      case Column::Tensor:
        return tensor_of(x) < tensor_of(y);
      case Column::Bytes:
        return a.bytes < b.bytes;
      case Column::Reasons:
        return a.said < b.said;
    }
    return false;
  };
  static std::atomic<uint64_t> versions = 0;  // models are made in jobs
  rows_version_ = ++versions;
  largest_ns_ = largest_share_ = 0;
  for (const NonDelegatedRow& row : rows_) {
    largest_ns_ = std::max(largest_ns_, row.ns);
    largest_share_ = std::max(largest_share_, row.share);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [&](const NonDelegatedRow& a, const NonDelegatedRow& b) {
    if (descending_ ? less(b, a) : less(a, b)) return true;
    if (descending_ ? less(a, b) : less(b, a)) return false;
    return sort_ != Column::Instruction && a.ns > b.ns;  // of those that are alike the dearest first
  });
}

std::string DelegationModel::reasons_of(const NonDelegatedRow& row) const {
  constexpr size_t kMost = 3;  // of several operators
  std::vector<std::pair<std::string, size_t>> said;
  for (const int32_t i : row.ops) {
    for (const StayReason& r : map(row.map).non_delegated[static_cast<size_t>(i)].reasons) {
      if (r.kind == StayReason::Kind::NothingDelegated) continue;  // said once, of the whole program
      // Each lies between calls of its own.
      const bool between = r.kind == StayReason::Kind::Between && row.ops.size() > 1;
      const std::string text = between ? "splits delegate calls: reads from one and feeds the other" : r.text;
      const auto at = std::find_if(said.begin(), said.end(), [&](const auto& s) { return s.first == text; });
      at == said.end() ? said.emplace_back(text, 1) : * at = {text, at->second + 1};
    }
  }
  if (row.ops.size() > 1) {
    std::stable_sort(said.begin(), said.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  }
  const size_t shown = row.ops.size() > 1 ? std::min(said.size(), kMost) : said.size();
  std::string out;
  for (size_t i = 0; i < shown; ++i) {
    out += (out.empty() ? "" : "\n") + inspector::printable(said[i].first);
    if (said[i].second < row.ops.size())
      out += " (" + std::to_string(said[i].second) + " of " + std::to_string(row.ops.size()) + ")";
  }
  if (shown < said.size()) out += "\n… and " + std::to_string(said.size() - shown) + " more";
  return out;
}

std::string DelegationModel::csv() const {
  if (maps_.empty()) return {};
  const std::string unit = maps_.front().unit;
  std::string out = "method,instruction,operator,node,tensor,time_" + unit + ",share,crossing_bytes,reasons\n";
  for (const NonDelegatedRow& row : rows_) {
    for (const int32_t i : row.ops) {
      const DelegationMap& m = map(row.map);
      const NonDelegatedOp& op = m.non_delegated[static_cast<size_t>(i)];
      std::string reasons;
      for (const StayReason& r : op.reasons) reasons += (reasons.empty() ? "" : "; ") + r.text;
      out += inspector::csv_text(m.method) + "," + (op.instruction < 0 ? "" : std::to_string(op.instruction)) + "," +
             inspector::csv_text(op.op) + "," + inspector::csv_text(op.node) + "," +
             inspector::csv_text(tensor_of(op)) + "," + inspector::format_double(op.ns) + "," +
             inspector::format_double(whole_ns_ > 0 ? op.ns / whole_ns_ : 0) + "," +
             (op.crossing_bytes < 0 ? "" : std::to_string(op.crossing_bytes)) + "," + inspector::csv_text(reasons) +
             "\n";
    }
  }
  return out;
}

}  // namespace et::gui
