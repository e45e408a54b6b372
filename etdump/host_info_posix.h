// Facts about the machine and the build for the trailer of an ETDump. POSIX; not part of a device build.
#pragma once

#include <string>

#include "etdump/etdump_gen.h"

namespace et::etdump {

struct HostText {
  std::string name;    // of the machine
  std::string cpu;     // model, from the system
  std::string os;      // "Linux 6.1.0 x86_64"
  std::string build;   // compiler and its version, optimisation, processor features compiled for
  unsigned cores = 0;  // processors that this process may use
};
HostText host_text();

/// Hands the facts above to `gen`. `kernels`: the providers that are linked ("portable,optimized"); `threads`: those
/// the kernels use.
void set_host_info(ETDumpGen& gen, const char* kernels = nullptr, unsigned threads = 1);

}  // namespace et::etdump
