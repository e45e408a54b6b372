// How many processors are worth a thread each.
#pragma once

#include <cstdint>

namespace executorch::extension::cpuinfo {

/// All that the system has, without the slowest kind where there are several (big.LITTLE).
uint32_t get_num_performant_cores();

}  // namespace executorch::extension::cpuinfo
namespace torch::executorch::cpuinfo {
using ::executorch::extension::cpuinfo::get_num_performant_cores;
}
