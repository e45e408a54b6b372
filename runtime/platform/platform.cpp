#include "runtime/platform/platform.h"

#include "runtime/platform/default_platform.h"

namespace et {
namespace {

constinit Platform g_platform = {};
constinit bool g_set = false;
constinit bool g_initialised = false;

}  // namespace

const Platform& platform() {
  if (!g_set) [[unlikely]] {
    g_set = true;
    g_platform = default_platform();
  }
  return g_platform;
}

void set_platform(const Platform& replacement) {
  Platform merged = default_platform();
  if (replacement.name[0] != 0) merged.name = replacement.name;
  if (replacement.clock_name[0] != 0) merged.clock_name = replacement.clock_name;
  if (replacement.init != nullptr) merged.init = replacement.init;
  if (replacement.abort != nullptr) merged.abort = replacement.abort;
  if (replacement.ticks != nullptr) merged.ticks = replacement.ticks;
  if (replacement.tick_ratio != nullptr) merged.tick_ratio = replacement.tick_ratio;
  if (replacement.utc_ns != nullptr) merged.utc_ns = replacement.utc_ns;
  if (replacement.emit_log != nullptr) merged.emit_log = replacement.emit_log;
  if (replacement.allocate != nullptr && replacement.free != nullptr) {
    merged.allocate = replacement.allocate;
    merged.free = replacement.free;
  }
  g_platform = merged;
  g_set = true;
  g_initialised = false;
}

void runtime_init() {
  if (g_initialised) return;
  g_initialised = true;
  if (platform().init != nullptr) platform().init();
}

}  // namespace et
