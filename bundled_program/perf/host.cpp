#include "bundled_program/perf/host.h"

#include "etdump/host_info_posix.h"

namespace et::perf {
namespace {

/// "Linux 6.1.0 x86_64" without the middle.
std::string without_release(const std::string& os) {
  const size_t first = os.find(' '), last = os.rfind(' ');
  return first == std::string::npos || first == last ? os : os.substr(0, first) + os.substr(last);
}

}  // namespace

HostPrint host_print() {
  const etdump::HostText text = etdump::host_text();
  HostPrint print;
  print.name = text.name;
  print.cpu = text.cpu;
  print.cores = text.cores;
  print.os = without_release(text.os);
  print.build = text.build;
  print.version = ET_VERSION;
  return print;
}

std::string differences(const HostPrint& recorded, const HostPrint& here) {
  const struct {
    const char* what;
    std::string recorded, here;
  } rows[] = {
      {"processor", recorded.cpu, here.cpu},
      {"cores", std::to_string(recorded.cores), std::to_string(here.cores)},
      {"system", recorded.os, here.os},
      {"build", recorded.build, here.build},
  };
  std::string text;
  for (const auto& row : rows) {
    if (row.recorded == row.here) continue;
    text += (text.empty() ? "" : "; ") + std::string(row.what) + " " + row.recorded + ", here " + row.here;
  }
  return text;
}

}  // namespace et::perf
