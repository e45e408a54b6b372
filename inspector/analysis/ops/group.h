// --group-by: self time of ops added up by something they have in common. Sums equal the total of the
// blocks: what belongs to no group has a row of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

enum class GroupBy : uint8_t { Op, Type, Module, Line, Delegate, Method, Frame, Phase };
/// Errors: InvalidArgument, naming those there are.
Status parse_group_by(std::string_view text, GroupBy* out);
const char* group_by_name(GroupBy by);

/// A part of an op's time.
struct GroupPart {
  uint32_t op = 0;  // index in OpTable::ops
  double weight = 0;
};

struct GroupRow {
  std::string key;     // what the ops share; for `none` what they lack, in brackets
  std::string detail;  // class of a module, text of a line; of a frame_groups row without a line: what to do about it
  std::string function, module;  // of frames
  bool none = false;             // the row of what belongs to no group
  double self = 0;               // ticks, on the basis of the table
  double inner = 0;              // for modules: self and that of all modules inside; for frames: with what they call
  double share = 0;              // self / total
  int64_t ops = 0;               // ops with a part of their time here (op_count.h); 0: time of no op
  int64_t samples = 0;           // of these ops, or of that time
  std::vector<GroupPart> parts = {};

  /// The key; of `none` without its brackets: "framework".
  std::string name() const { return none ? key.substr(1, key.size() - 2) : key; }
};

struct GroupTable {
  std::vector<GroupRow> rows;  // by self time, then key
  double total = 0;            // of the blocks
  double hidden = 0;           // time of ops that the filter took out
  int64_t hidden_ops = 0;      // as GroupRow::ops
  bool hides = false;          // it took something out

  /// What no op explains: where the basis is a median, what the median execution took beyond the usual times.
  double unexplained() const;
};

/// Over the blocks of executions; over all blocks when there is none, and by phase. Not by frame: frame_tree.h.
GroupTable group_costs(const OpTable& table, GroupBy by, const Filter& filter);

}  // namespace et::inspector
