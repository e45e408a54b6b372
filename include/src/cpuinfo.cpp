#include <cstdio>
#include <thread>
#include <vector>

#include "executorch/extension/threadpool/cpuinfo_utils.h"

namespace executorch::extension::cpuinfo {
namespace {

/// What Linux calls the capacity of a processor: 1024 for the fastest kind. 0: the system does not say.
unsigned capacity_of(unsigned cpu) {
  char path[80];
  std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpu_capacity", cpu);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  unsigned capacity = 0;
  if (std::fscanf(file, "%u", &capacity) != 1) capacity = 0;
  std::fclose(file);
  return capacity;
}

}  // namespace

uint32_t get_num_performant_cores() {
  const unsigned cpus = std::thread::hardware_concurrency();
  if (cpus == 0) return 1;
  std::vector<unsigned> capacities;
  for (unsigned cpu = 0; cpu < cpus; ++cpu) capacities.push_back(capacity_of(cpu));
  unsigned least = capacities[0];
  for (const unsigned c : capacities) least = c < least ? c : least;
  uint32_t faster = 0;
  for (const unsigned c : capacities) faster += c > least ? 1 : 0;
  return faster > 0 && least > 0 ? faster : cpus;
}

}  // namespace executorch::extension::cpuinfo
