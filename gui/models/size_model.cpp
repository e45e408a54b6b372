#include "gui/models/size_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "gui/core/text.h"
#include "inspector/analysis/size/tensor_names.h"
#include "inspector/report/size_report.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr size_t kMostLevels = 64;  // of module paths, in a damaged store

struct Group {
  std::string name, path;
  int64_t bytes = 0, entries = 0;
  std::map<std::string, std::unique_ptr<Group>> groups;
  std::vector<int32_t> own;
};

struct Area {
  float x = 0, y = 0, width = 0, height = 0;
};

/// Squarified treemap (Bruls, Huizing, van Wijk 2000): rows of boxes along the shorter side, each as square as it can
/// be.
std::vector<Area> squarify(const std::vector<double>& sizes, Area room) {
  std::vector<Area> out;
  double left = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  size_t begin = 0;
  while (begin < sizes.size() && left > 0) {
    const auto side = static_cast<double>(std::min(room.width, room.height));
    const double per_byte = static_cast<double>(room.width) * static_cast<double>(room.height) / left;
    const auto worst = [&](double sum, double smallest, double largest) {
      const double strip = sum * per_byte / std::max(side, 1e-6);
      return std::max(largest * per_byte / (strip * strip), strip * strip / std::max(smallest * per_byte, 1e-9));
    };
    size_t end = begin;
    double sum = 0, best = 1e300;
    while (end < sizes.size()) {
      const double ratio = worst(sum + sizes[end], sizes[end], sizes[begin]);
      if (end > begin && ratio > best) break;
      best = ratio;
      sum += sizes[end++];
    }
    const bool upright = room.width >= room.height;
    const float strip = end == sizes.size() ? (upright ? room.width : room.height)
                                            : static_cast<float>(sum / left) * (upright ? room.width : room.height);
    float at = upright ? room.y : room.x;
    for (size_t i = begin; i < end; ++i) {
      const float length = static_cast<float>(sizes[i] / sum) * (upright ? room.height : room.width);
      out.push_back(upright ? Area{room.x, at, strip, length} : Area{at, room.y, length, strip});
      at += length;
    }
    (upright ? room.x : room.y) += strip;
    (upright ? room.width : room.height) -= strip;
    left -= sum;
    begin = end;
  }
  return out;
}

class Layout {
 public:
  Layout(const inspector::ProgramSize& size, SizeBy by, float heading, float least, std::vector<SizeBox>* out)
      : size_(size), by_(by), heading_(heading), least_(least), out_(*out) {}

  void place(const Group& group, Area room, int depth) {
    struct Part {
      int64_t bytes;
      const Group* group;
      int32_t entry;
    };
    std::vector<Part> parts;
    for (const auto& [name, inner] : group.groups) parts.push_back({inner->bytes, inner.get(), -1});
    for (const int32_t e : group.own) parts.push_back({size_.entries[static_cast<size_t>(e)].bytes, nullptr, e});
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
    std::erase_if(parts, [](const Part& p) { return p.bytes <= 0; });
    // What would be no box of its own is one together.
    const double pixels = static_cast<double>(room.width) * static_cast<double>(room.height);
    const double smallest =
        static_cast<double>(least_ * least_) * static_cast<double>(group.bytes) / std::max(pixels, 1.0);
    size_t kept = parts.size();
    while (kept > 0 && static_cast<double>(parts[kept - 1].bytes) < smallest) --kept;
    if (parts.size() - kept < 2) kept = parts.size();
    std::vector<double> sizes;
    for (size_t i = 0; i < kept; ++i) sizes.push_back(static_cast<double>(parts[i].bytes));
    SizeBox rest;
    for (size_t i = kept; i < parts.size(); ++i) {
      rest.bytes += parts[i].bytes;
      rest.entries += parts[i].group != nullptr ? parts[i].group->entries : 1;
    }
    if (kept < parts.size()) sizes.push_back(static_cast<double>(rest.bytes)), --rest.entries;
    const std::vector<Area> areas = squarify(sizes, room);
    for (size_t i = 0; i < areas.size(); ++i) {
      SizeBox box;
      if (i < kept && parts[i].group != nullptr) {
        place_group(*parts[i].group, areas[i], depth);
        continue;
      }
      if (i < kept) {
        const inspector::SizeEntry& e = size_.entries[static_cast<size_t>(parts[i].entry)];
        box.label = label_of(e);
        box.bytes = e.bytes;
        box.entry = parts[i].entry;
      } else {
        box = rest;
        box.label = std::to_string(rest.entries) + " small ones";
      }
      add(std::move(box), areas[i], depth);
    }
  }

 private:
  void place_group(const Group& group, Area area, int depth) {
    SizeBox box;
    box.label = group.name;
    box.path = group.path;
    box.bytes = group.bytes;
    box.entries = group.entries;
    box.is_group = true;
    add(std::move(box), area, depth);
    const float frame = 2;
    const float top = area.height > 3 * heading_ ? heading_ : frame;
    const Area inside = {area.x + frame, area.y + top, area.width - 2 * frame, area.height - top - frame};
    if (inside.width >= least_ && inside.height >= least_) place(group, inside, depth + 1);
  }

  void add(SizeBox box, Area area, int depth) {
    box.x = area.x, box.y = area.y, box.width = area.width, box.height = area.height;
    box.depth = depth;
    out_.push_back(std::move(box));
  }

  /// The model's name, without the modules around that which the box is in.
  std::string label_of(const inspector::SizeEntry& e) const {
    if (e.shape.empty()) return e.name;
    if (inspector::is_made_up_name(e.name)) return (e.user().empty() ? e.name : e.user()) + " " + e.shape;
    if (by_ != SizeBy::Module || !e.name.starts_with(e.module + ".")) return e.name;
    // The last part of the module stays: "weight" alone says nothing where the frame has no room for its name.
    const size_t dot = e.module.rfind('.');
    return dot == std::string::npos ? e.name : e.name.substr(dot + 1);
  }

  const inspector::ProgramSize& size_;
  SizeBy by_;
  float heading_, least_;
  std::vector<SizeBox>& out_;
};

Group& inner(Group& group, const std::string& name, const std::string& path) {
  std::unique_ptr<Group>& at = group.groups[name];
  if (at == nullptr) {
    at = std::make_unique<Group>();
    at->name = name;
    at->path = path;
  }
  return *at;
}

/// A chain of groups with one group each and nothing else is one: "encoder.layer".
void fold(Group& group) {
  for (auto& [name, child] : group.groups) {
    while (child->groups.size() == 1 && child->own.empty()) {
      std::unique_ptr<Group> only = std::move(child->groups.begin()->second);
      only->name = child->name + "." + only->name;
      child = std::move(only);
    }
    fold(*child);
  }
}

}  // namespace

void SizeModel::set(inspector::ProgramSize size) {
  size_ = std::move(size);
  has_modules_ =
      std::any_of(size_.entries.begin(), size_.entries.end(), [](const auto& e) { return !e.module.empty(); });
  originals_.clear();
  for (const inspector::SizeEntry& e : size_.entries) {
    if (!e.same_as.empty()) originals_.emplace(e.same_as, e.bytes);
  }
  std::map<std::string, SizeKey> keys;
  for (const inspector::SizeEntry& e : size_.entries) {
    SizeKey& key = keys.try_emplace(key_of(e).name, key_of(e)).first->second;
    key.bytes += e.bytes;
  }
  legend_.clear();
  for (auto& [name, key] : keys) legend_.push_back(std::move(key));
  std::stable_sort(legend_.begin(), legend_.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

SizeKey SizeModel::key_of(const inspector::SizeEntry& e) {
  return e.user().empty() ? SizeKey{e.group, false, 0} : SizeKey{e.user(), true, 0};
}

namespace {
constexpr int64_t kKiB = 1024, kMiB = kKiB * kKiB;
bool in_mebibytes(int64_t file) { return file >= 10 * kMiB; }
}  // namespace

const char* SizeModel::unit() const { return in_mebibytes(size_.file_bytes) ? "MiB" : "KiB"; }

std::string SizeModel::in_unit(int64_t bytes) const {
  const bool mebi = in_mebibytes(size_.file_bytes);
  const double least = mebi ? 0.01 : 0.1;
  const double amount = static_cast<double>(bytes) / static_cast<double>(mebi ? kMiB : kKiB);
  if (bytes > 0 && amount < least) return mebi ? "<0.01" : "<0.1";
  const auto whole = static_cast<int64_t>(amount);
  const std::string digits = inspector::format_real(amount - static_cast<double>(whole), mebi ? 2 : 1);
  // What rounds up to 1 is one more before the point.
  return inspector::format_count(whole + (digits[0] == '1' ? 1 : 0)) + digits.substr(1);
}

std::string SizeModel::size_text(int64_t bytes) const {
  if (in_mebibytes(size_.file_bytes) || bytes < kMiB) return in_unit(bytes) + " " + unit();
  return inspector::format_real(static_cast<double>(bytes) / static_cast<double>(kMiB), 2) + " MiB";
}

bool SizeModel::matches(size_t entry, const std::string& search) const {
  const inspector::SizeEntry& e = size_.entries[entry];
  return has_all_words(e.name + "\n" + e.module + "\n" + e.group + "\n" + e.user() + "\n" + e.dtype + "\n" + e.shape +
                           "\n" + e.shared_with,
                       search);
}

const std::vector<int32_t>& SizeModel::shown(const std::string& search) {
  if (shown_made_ && shown_for_ == search) return shown_;
  shown_made_ = true;
  shown_for_ = search;
  shown_.clear();
  shown_bytes_ = 0;
  for (size_t i = 0; i < size_.entries.size(); ++i) {
    if (!matches(i, search)) continue;
    shown_.push_back(static_cast<int32_t>(i));
    shown_bytes_ += size_.entries[i].bytes;
  }
  return shown_;
}

bool SizeModel::is_stored_twice(const inspector::SizeEntry& e) const {
  return !e.same_as.empty() || originals_.contains({e.name, e.bytes});
}

int32_t SizeModel::next_stored_twice(int32_t after) const {
  const auto count = static_cast<int32_t>(size_.entries.size());
  for (int32_t i = 1; i <= count; ++i) {
    const int32_t at = (std::max(after, -1) + i) % count;
    if (is_stored_twice(size_.entries[static_cast<size_t>(at)])) return at;
  }
  return -1;
}

double SizeModel::share(int64_t bytes) const {
  return size_.file_bytes > 0 ? static_cast<double>(bytes) / static_cast<double>(size_.file_bytes) : 0;
}

std::vector<std::pair<std::string, std::string>> SizeModel::facts(size_t entry) const {
  const inspector::SizeEntry& e = size_.entries[entry];
  std::vector<std::pair<std::string, std::string>> out;
  const std::string type = e.dtype + (e.shape.empty() ? "" : (e.dtype.empty() ? "" : " ") + e.shape);
  for (const auto& [name, text] : {std::pair{"What", e.group},
                                   {"Type", type},
                                   {"Used by", e.user()},
                                   {"Through", e.leads_to.empty()        ? std::string()
                                               : e.operator_name.empty() ? e.used_by
                                                                         : e.operator_name},
                                   {"In the program", e.user() == e.used_by ? std::string() : e.used_by},
                                   {"Module", e.module},
                                   {"Same bytes as", e.same_as},
                                   {"Shared with", e.shared_with},
                                   {"In the file", e.stored_as}}) {
    if (!text.empty()) out.emplace_back(name, text);
  }
  return out;
}

namespace {

/// nullptr when there is none.
const Group* find_group(const Group& group, const std::string& path) {
  for (const auto& [name, inner] : group.groups) {
    if (inner->path == path) return inner.get();
    if (const Group* const found = find_group(*inner, path)) return found;
  }
  return nullptr;
}

}  // namespace

std::vector<SizeBox> SizeModel::boxes(SizeBy by, float width, float height, float heading, float least,
                                      const std::string& inside) const {
  Group root;
  for (size_t i = 0; i < size_.entries.size(); ++i) {
    const inspector::SizeEntry& e = size_.entries[i];
    std::vector<Group*> way = {&root};
    if (by == SizeBy::Kind) {
      way.push_back(&inner(root, e.group, e.group));
    } else if (e.module.empty()) {
      way.push_back(&inner(root, e.group, ""));
    } else {
      for (size_t begin = 0; begin <= e.module.size() && way.size() < kMostLevels;) {
        const size_t dot = std::min(e.module.find('.', begin), e.module.size());
        way.push_back(&inner(*way.back(), e.module.substr(begin, dot - begin), e.module.substr(0, dot)));
        begin = dot + 1;
      }
    }
    for (Group* g : way) g->bytes += e.bytes, ++g->entries;
    way.back()->own.push_back(static_cast<int32_t>(i));
  }
  fold(root);
  std::vector<SizeBox> out;
  const Group* const found = inside.empty() ? nullptr : find_group(root, inside);
  const Group& shown = found == nullptr ? root : *found;
  if (width > 0 && height > 0 && shown.bytes > 0)
    Layout(size_, by, heading, least, &out).place(shown, {0, 0, width, height}, 0);
  return out;
}

std::string SizeModel::csv() const {
  std::string out;
  if (!size_.entries.empty()) (void)inspector::write_size(size_, {.format = "csv"}, &out);
  return out;
}

std::string SizeModel::markdown() const {
  std::string out;
  if (!size_.entries.empty()) (void)inspector::write_size(size_, {.format = "markdown"}, &out);
  return out;
}

}  // namespace et::gui
