// Checks files in their own processes, several at a time: a case that never ends is stopped, one that crashes the
// process is a failed check, and the rest of the file and all other files are checked all the same.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bundled_program/verify/verify.h"

namespace et::bundled {

struct CheckTask {
  std::string path;
  std::string etdump;  // path of the trace to write, or empty
};

struct PoolOptions {
  unsigned jobs = 1;
  double load_timeout_s = 0;        // for what comes before a file's first case; 0: none
  std::function<void()> tick = {};  // called several times a second while it waits
};

/// Called in the parent for each verdict as it arrives: `task` is its index.
using VerdictSink = std::function<void(size_t task, CaseVerdict&& verdict)>;

/// Returns when all tasks are done. The order of verdicts within a task is the file's. The calling process must have
/// one thread: the workers are forks of it, made before each is first needed. Errors: OutOfResources (no pipe, no
/// process). After an interruption (base/interruption.h) it returns what there is within a second or two: `unfinished`
/// has the tasks that were not checked, or not to their end.
Status check_files(const std::vector<CheckTask>& tasks, const VerifyOptions& options, const PoolOptions& pool,
                   const VerdictSink& sink, std::vector<size_t>* unfinished = nullptr);

}  // namespace et::bundled
