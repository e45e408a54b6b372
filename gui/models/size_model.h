// Where a program's bytes are, as a treemap: entries of the file in boxes by what they are or by module.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/size/program_size.h"

namespace et::gui {

enum class SizeBy : uint8_t { Kind, Module };

/// In pixels, from the left upper corner of the map.
struct SizeBox {
  float x = 0, y = 0, width = 0, height = 0;
  int depth = 0;
  std::string label;  ///< "weights of XnnpackBackend", "layer.0", "attention.query.weight", "convolution.out [8]"
  std::string path;   ///< of a group: its kind, or its module's path
  int64_t bytes = 0;
  int64_t entries = 1;    ///< inside
  int32_t entry = -1;     ///< index in ProgramSize::entries; -1: a group, or small entries together
  bool is_group = false;  ///< has a heading, boxes inside
};

/// What a colour of the map stands for.
struct SizeKey {
  std::string name;  ///< operator that uses the bytes; without one what they are
  bool is_operator = false;
  int64_t bytes = 0;
};

class SizeModel {
 public:
  void set(inspector::ProgramSize size);
  const inspector::ProgramSize& size() const { return size_; }
  bool has_modules() const { return has_modules_; }
  /// Part of the file, from 0 to 1.
  double share(int64_t bytes) const;
  /// All sizes of the panel are in one unit, by the size of the file: "MiB", "0.56", and both together.
  const char* unit() const;
  std::string in_unit(int64_t bytes) const;
  /// Of KiB from 1,024 on MiB.
  std::string size_text(int64_t bytes) const;
  static SizeKey key_of(const inspector::SizeEntry& entry);
  /// All keys, the largest first.
  const std::vector<SizeKey>& legend() const { return legend_; }
  /// ("Type", "fp32 [384, 128]"), ("Used by", "FullyConnected"), …: what is known of an entry.
  std::vector<std::pair<std::string, std::string>> facts(size_t entry) const;
  /// Groups before what is inside of them; areas are in proportion to bytes but for headings of `heading` pixels and
  /// boxes that would be smaller than `least` pixels, which are one box together. `inside`: path of the group that
  /// fills the map; "" for all of the file.
  std::vector<SizeBox> boxes(SizeBy by, float width, float height, float heading, float least = 3,
                             const std::string& inside = "") const;
  /// Entries with all words in name, module, what they are, operator, type or shape; the same vector until the search
  /// or the program changes. Of all without words.
  const std::vector<int32_t>& shown(const std::string& search);
  /// Of the entries that were last asked for.
  int64_t shown_bytes() const { return shown_bytes_; }
  /// An entry is among them.
  bool is_shown(int32_t entry) const { return std::binary_search(shown_.begin(), shown_.end(), entry); }
  /// It has the bytes of another entry, or another one has its.
  bool is_stored_twice(const inspector::SizeEntry& entry) const;
  /// The next such entry, the first again behind the last; -1 without one.
  int32_t next_stored_twice(int32_t after) const;
  std::string csv() const;
  std::string markdown() const;

 private:
  bool matches(size_t entry, const std::string& search) const;

  inspector::ProgramSize size_;
  std::vector<SizeKey> legend_;
  std::set<std::pair<std::string, int64_t>> originals_;  ///< by name and bytes, of entries that others repeat
  bool has_modules_ = false;
  std::vector<int32_t> shown_;
  std::string shown_for_;
  int64_t shown_bytes_ = 0;
  bool shown_made_ = false;
};

}  // namespace et::gui
