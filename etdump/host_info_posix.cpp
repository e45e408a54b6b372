#include "etdump/host_info_posix.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace et::etdump {
namespace {

// The processor's name as Linux tells it: "model name" on x86, the device tree's model or the part number on Arm.
std::string cpu_name(const char* machine) {
  std::ifstream info("/proc/cpuinfo");
  std::string part;
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name") || line.starts_with("Model")) return value;
    if (line.starts_with("CPU part")) part = value;
  }
  std::ifstream tree("/proc/device-tree/model");
  if (std::string model; std::getline(tree, model, '\0') && !model.empty()) return model;
  return part.empty() ? machine : std::string(machine) + " part " + part;
}

unsigned usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
#endif
  return std::thread::hardware_concurrency();
}

std::string build_text() {
#if defined(__clang__)
  std::string s = "clang " __clang_version__;
#elif defined(__GNUC__)
  std::string s = "gcc " __VERSION__;
#else
  std::string s = "unknown compiler";
#endif
  while (!s.empty() && s.back() == ' ') s.pop_back();
#if defined(__OPTIMIZE__)
  s += " optimized";
#else
  s += " not optimized";
#endif
#if !defined(NDEBUG)
  s += " with assertions";
#endif
#if defined(__AVX512F__)
  s += " avx512";
#elif defined(__AVX2__)
  s += " avx2";
#endif
#if defined(__SANITIZE_ADDRESS__)
  s += " asan";
#endif
  return s;
}

}  // namespace

HostText host_text() {
  HostText t;
  utsname u{};
  if (uname(&u) == 0) {
    t.name = u.nodename;
    t.os = std::string(u.sysname) + " " + u.release + " " + u.machine;
  }
  t.cpu = cpu_name(u.machine);
  t.build = build_text();
  t.cores = usable_cores();
  return t;
}

void set_host_info(ETDumpGen& gen, const char* kernels, unsigned threads) {
  const HostText t = host_text();
  HostFacts facts;
  facts.name = t.name.c_str();
  facts.cpu = t.cpu.c_str();
  facts.os = t.os.c_str();
  facts.build = t.build.c_str();
  facts.kernels = kernels;
  facts.cores = t.cores;
  facts.threads_used = threads;
  gen.set_host(facts);
}

}  // namespace et::etdump
