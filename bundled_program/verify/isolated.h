// Runs one function in its own process: what it does cannot take the caller with it, nor its time.
#pragma once

#include <functional>
#include <string>

namespace et::bundled {

struct Isolated {
  enum class End { Returned, Crashed, TimedOut, Interrupted };
  End end = End::Returned;
  std::string value;   // what the function returned
  std::string reason;  // why it did not return: "signal 11 (…)"
};

/// `timeout_s` 0: it may take any time. `tick`, if given, is called several times a second meanwhile. The calling
/// process must have one thread. A process that cannot be made counts as one that crashed. An interruption that is
/// noted (base/interruption.h) ends it.
Isolated run_isolated(const std::function<std::string()>& function, double timeout_s,
                      const std::function<void()>& tick = {});

/// "the process that ran it was ended by signal 11 (Segmentation fault)"; `status` is that of waitpid().
std::string process_end_text(int status);

}  // namespace et::bundled
