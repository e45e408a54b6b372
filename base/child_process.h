// Another program as a process of its own, run to its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace et {

/// The program of that name in the folder of this one; else the name alone, so that the PATH decides.
std::string program_beside(const std::string& name);

/// How a program ended.
struct ChildEnd {
  int exit_code = 0;   ///< 127: it could not be started
  int signal = 0;      ///< that ended it, 0 for none
  std::string errors;  ///< what it wrote to standard error, its first 64 KiB
};

/// Runs `words`, a program and its arguments, whose standard output nobody reads. `cancelled`, which may be empty, is
/// asked some times a second; once it is true the program is killed. From any thread; the program ends with this one.
/// Errors: Internal (no process or pipe), InvalidState (cancelled).
Status run_child(std::vector<std::string> words, const std::function<bool()>& cancelled, ChildEnd* out);

}  // namespace et
