// The graph of an ETRecord as the good side of a comparison: et-check, which has the kernels, works it out in a process
// of its own and writes what the nodes gave to a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/gap/tensor_files.h"
#include "cli/scratch_folder.h"

namespace et::cli {

/// What feeds the graph. Without any the ETRecord's representative inputs do.
extern const OptionGroup kGraphInputOptions;

class GraphValues {
 public:
  /// `record`, `method` and `test_case` are those of the trace. Errors: NotFound (no ETRecord, no et-check), and what
  /// et-check says of the graph.
  Status run(const Arguments& args, const std::string& record, const std::string& method,
             std::optional<int64_t> test_case, const HandleNodes& handles, inspector::GapSide* out);
  /// Each node once more, fed with what `run` logged for the nodes before it.
  Status run_fed(const inspector::GapSide& run, const inspector::Gap& gap, const inspector::GapSide& reference,
                 const HandleNodes& handles, inspector::GapSide* out);

 private:
  Status start(std::vector<std::string> words) const;
  Status write_fed(const inspector::GapSide& run, const inspector::Gap& gap, const inspector::GapSide& reference,
                   const std::string& path) const;

  ScratchFolder folder_;
  std::vector<std::string> words_;
  std::string name_;
};

}  // namespace et::cli
