// The graph of an ETRecord as the good side of a comparison: et-check, which has the kernels, works it out in a process
// of its own and writes what the nodes gave to a file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "inspector/analysis/gap/tensor_files.h"

namespace et::inspector {

/// What feeds the graph. Without any the ETRecord's representative inputs do.
struct GraphInputs {
  std::vector<std::string> files;  ///< .npy, one for each tensor input
  bool ones = false, zeros = false;
  std::string random;                ///< seed
  std::string cases;                 ///< a bundled program, or its side-car
  std::optional<int64_t> test_case;  ///< of those
  bool any() const;
  /// The options of et-check for them, but the test case.
  std::vector<std::string> words() const;
};

/// Runs et-check, which stands beside this program. Errors: NotFound (it does not), InvalidState (cancelled), and what
/// it says.
Status run_check(std::vector<std::string> words, const std::function<bool()>& cancelled);

class GraphValues {
 public:
  /// `cancelled`: asked some times a second while et-check runs; empty: never.
  explicit GraphValues(std::function<bool()> cancelled = {}) : cancelled_(std::move(cancelled)) {}

  /// For an execution of the trace. Errors: NotFound (no ETRecord, no et-check), InvalidState (cancelled), and what
  /// et-check says of the graph.
  Status run(const GraphInputs& inputs, const GapSide& run, const HandleNodes& handles, GapSide* out);
  /// Each node once more, fed with what `run` logged for the nodes before it.
  Status run_fed(const GapSide& run, const Gap& gap, const GapSide& reference, const HandleNodes& handles,
                 GapSide* out);

 private:
  static Status write_fed(const GapSide& run, const Gap& gap, const GapSide& reference, const std::string& path);

  std::function<bool()> cancelled_;
  ScratchFolder folder_;
  std::vector<std::string> words_;
};

}  // namespace et::inspector
