#include "etdump/perf_counters_posix.h"

#if defined(__linux__)

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace et::etdump {
namespace {

struct Wanted {
  const char* name;
  uint64_t config;
};
constexpr Wanted kWanted[] = {{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                              {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                              {"cache-misses", PERF_COUNT_HW_CACHE_MISSES}};

int open_counter(uint64_t config, int group) {
  perf_event_attr a{};
  a.type = PERF_TYPE_HARDWARE;
  a.size = sizeof a;
  a.config = config;
  if (group < 0) a.disabled = 1;
  a.exclude_kernel = 1;
  a.exclude_hv = 1;
  a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &a, 0, -1, group, PERF_FLAG_FD_CLOEXEC));
}

std::string reason(int error) {
  std::string s = std::strerror(error);
  if (error == EACCES || error == EPERM) {
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    int level = 0;
    if (file >> level) {
      s += " (kernel.perf_event_paranoid is " + std::to_string(level) + "; 2 or less, or CAP_PERFMON, is needed";
      s += level <= 2 ? ", so a container or security policy forbids it)" : ")";
    }
  } else if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    s += " (the processor, or the virtual machine, has no such counter)";
  } else if (error == ENOSYS) {
    s += " (the kernel was built without performance counters, or forbids the call)";
  }
  return s;
}

}  // namespace

PerfCounters::PerfCounters() {
  for (const Wanted& w : kWanted) {
    const int file = open_counter(w.config, count_ == 0 ? -1 : files_[0]);
    if (file < 0) {
      if (!problem_.empty()) problem_ += "; ";
      problem_ += std::string("no counter for ") + w.name + ": " + reason(errno);
      continue;
    }
    files_[count_] = file;
    names_[count_++] = w.name;
  }
  if (count_ == 0) return;
  ioctl(files_[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ioctl(files_[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

PerfCounters::~PerfCounters() {
  for (size_t i = 0; i < count_; ++i) close(files_[i]);
}

bool PerfCounters::read(uint64_t* values) {
  if (count_ == 0) return false;
  uint64_t data[3 + kMaxCounters];  // number, time enabled, time running, values
  const size_t bytes = (3 + count_) * sizeof(uint64_t);
  if (::read(files_[0], data, sizeof data) != static_cast<ssize_t>(bytes)) return false;
  if (data[0] != count_ || data[1] != data[2]) return false;
  for (size_t i = 0; i < count_; ++i) values[i] = data[3 + i];
  return true;
}

}  // namespace et::etdump

#else

namespace et::etdump {

PerfCounters::PerfCounters() : problem_("hardware counters are supported on Linux only") {}
PerfCounters::~PerfCounters() = default;
bool PerfCounters::read(uint64_t*) { return false; }

}  // namespace et::etdump

#endif
