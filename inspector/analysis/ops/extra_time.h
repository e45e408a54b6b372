// Which ops took longer in one execution than they usually do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct ExplainedRun {
  int64_t id = 0, position = 0;  // run_id, place in its block
  double time = 0, usual = 0;    // ticks
};

/// A run and what is usual, each split: ops + outside make its time, usual_ops + usual_outside + variation the usual
/// one.
struct ExplainedParts {
  double ops = 0, usual_ops = 0;
  double outside = 0, usual_outside = 0;  // in no op
  double variation = 0;                   // of usual executions: held up, each in another op
};

/// What ops usually take, from the medians of one block. Compared by what they are: the cold execution and those with
/// another input are blocks of their own, whose ops are other rows.
class UsualTimes {
 public:
  static Status load(const Store& store, int64_t block, int64_t runs, UsualTimes* out);

  /// Splits what the run of `block`, which has `runs`, took more than usual: ops, calls of delegates and kernels
  /// without the ops inside them, and what is in no op. The `most` largest, largest first, and how many there are, ops
  /// and others; what took less is left out, so parts may exceed the whole. With `less`: there, with ticks below zero,
  /// the largest first. What usual executions take beyond the usual times of their ops is no part: `sums` has it.
  Status explain(const Store& store, int64_t block, int64_t runs, const ExplainedRun& run, size_t most,
                 std::vector<ExtraTime>* out, OpCount* parts, std::vector<ExtraTime>* less = nullptr,
                 ExplainedParts* sums = nullptr) const;

 private:
  // name, kind, instruction, delegate's id, how many of the same came before
  using Key = std::tuple<std::string, std::string, int64_t, std::string, int64_t>;
  struct BlockOp {
    int64_t id = 0, samples = 0;
    double usual = 0;  // in a run: median of a sample, times the samples of a run
    Key key;
    std::string backend;
    std::optional<size_t> parent;
    bool encloses = false;
    // Time of the framework's events around others is time in no op.
    bool has_own_time() const { return !encloses || std::get<1>(key) != "framework"; }
  };
  static std::string name_of(const Store& store, const BlockOp& op, bool repeated);
  static Status block_ops(const Store& store, int64_t block, int64_t runs, std::vector<BlockOp>* out);
  Status load_outside(const Store& store, int64_t block);
  /// The same, read once: of a trace many runs of few blocks are explained.
  Status kept_ops(const Store& store, int64_t block, int64_t runs, const std::vector<BlockOp>** out) const;

  mutable std::map<int64_t, std::vector<BlockOp>> ops_;  // of a block
  mutable std::map<int64_t, std::string> names_;         // of an op
  std::map<Key, double> usual_;
  double sum_ = 0, whole_ = 0;     // of all ops; of a warm execution of the block
  std::optional<double> outside_;  // in no op of a warm execution; nothing where no event is around its ops
};

}  // namespace et::inspector
