// What ops cost an execution (inspector/match/execution_basis.h): the blocks of a method are one group of executions,
// and ops with the same key in them are one op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inspector/ingest/dump/sample_buffer.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

class ExecutionCosts {
 public:
  /// Says which ops are one: sets `merged_into`, and the groups of executions.
  explicit ExecutionCosts(Trace& trace);

  /// All ops, those that are one behind each other, the first of them first.
  const std::vector<uint32_t>& order() const { return order_; }

  /// Each op once, in that order, with its samples in order of time.
  void add(size_t op, std::span<const Sample> samples);

  /// Costs of the ops that enclose others. After the last op.
  void finish();

 private:
  struct Group {
    ExecutionBasis basis{{}};
    int64_t first_run = 0;              // row; executions of a group are counted from it
    std::vector<int32_t> execution_of;  // by row - first_run: position in the group, -1 of another's
    std::vector<int32_t> heads;         // ops on the trace's clock
  };
  void group_blocks();
  void merge_ops();
  size_t head_of(size_t op) const;
  /// Adds `sign` times `times` to what an enclosing op spent itself.
  static void merge(const std::vector<PartTime>& times, int sign, std::vector<PartTime>* into);

  Trace& trace_;
  std::vector<int32_t> group_of_block_;
  std::vector<Group> groups_;
  std::vector<uint32_t> order_;
  std::vector<bool> encloses_;                 // by op
  std::vector<std::vector<PartTime>> inside_;  // by op: own times of those that enclose others
  std::vector<PartTime> pending_;              // of the op that is being added
  size_t next_ = 0;                            // in order_
};

}  // namespace et::inspector
