// What the ops of a group take together in each execution, as the pictures of one op's samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/models/group_op_names.h"
#include "gui/models/operators_model.h"
#include "gui/models/samples_model.h"
#include "inspector/analysis/ops/op_count.h"

namespace et::gui {

/// The costliest first; a call and its kernel are one. What is around the ops and has time is there as well.
std::vector<GroupOp> ops_of_group(const TraceData& data, const inspector::GroupRow& row);

class GroupSamplesModel {
 public:
  /// Whether there is one sum an execution: not of several methods, and not of a range, which cuts executions.
  static bool has_sums(const TraceData& data, const OperatorsGroup& row);
  /// Follows one group of a table of groups.
  void refresh(const Document& document, Jobs& jobs, inspector::GroupBy by, const OperatorsGroup& row);
  /// nullptr until it was read. Its samples are of warm executions alone.
  const SamplesView* view() const { return view_.get(); }
  const Status& status() const { return status_; }
  bool reading() const { return reading_; }
  /// Unit and percentiles of the sums, where plots ask an op for its own.
  const inspector::OpEntry& figures() const { return figures_; }
  const std::vector<GroupOp>& ops() const { return ops_; }
  /// What they are called, in the same order.
  const std::vector<GroupOpName>& names() const { return names_; }
  /// Of these, which are ops and which calls around them.
  const inspector::OpCount& count() const { return count_; }
  /// Grows with each group that is looked at.
  int32_t version() const { return seen_; }

 private:
  struct Asked {
    inspector::GroupBy by = inspector::GroupBy::Type;
    std::string key;
    bool none = false;
    uint64_t version = 0;
    size_t parts = 0;
    std::optional<double> mean;
    bool operator==(const Asked&) const = default;
  };
  std::unique_ptr<SamplesView> view_;
  Status status_;
  std::shared_ptr<const TraceData> data_;  // owns the texts of figures_
  inspector::OpEntry figures_;
  std::vector<GroupOp> ops_;
  std::vector<GroupOpName> names_;
  inspector::OpCount count_;
  std::optional<Asked> asked_;
  int32_t seen_ = 0;
  bool reading_ = false;
  JobHandle job_;
};

}  // namespace et::gui
