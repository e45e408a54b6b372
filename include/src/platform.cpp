// The platform layer: the runtime's table of functions leads to the et_pal_... functions or to what the application
// registered, and the weak et_pal_... of this file to the default platform.
#include "executorch/runtime/platform/platform.h"

#include <cstdlib>

#include "executorch/runtime/platform/log.h"
#include "executorch/runtime/platform/runtime.h"
#include "runtime/platform/default_platform.h"

namespace {

const ::et::Platform& fallback() {
  static const ::et::Platform platform = ::et::default_platform();
  return platform;
}

}  // namespace

extern "C" {

et_timestamp_t et_inspect_default_ticks(void);
ET_WEAK void et_pal_init(void) {
  if (fallback().init != nullptr) fallback().init();
}
ET_WEAK void et_pal_abort(void) {
  fallback().abort();
  std::abort();
}
et_timestamp_t et_inspect_default_ticks(void) { return fallback().ticks(); }
#if defined(__ELF__)
// Another name of the default, so that its address says whether an application defined its own.
ET_WEAK __attribute__((alias("et_inspect_default_ticks"))) et_timestamp_t et_pal_current_ticks(void);
#else
ET_WEAK et_timestamp_t et_pal_current_ticks(void) { return et_inspect_default_ticks(); }
#endif
ET_WEAK et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) {
  const ::et::TickRatio ratio = fallback().tick_ratio();
  return {ratio.numerator, ratio.denominator};
}
ET_WEAK void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                                     const char* function, size_t line, const char* message, size_t length) {
  ::et::LogMessage m;
  m.ticks = timestamp;
  m.level = static_cast<::et::LogLevel>(level);
  m.file = filename;
  m.function = function;
  m.line = static_cast<uint32_t>(line);
  m.message = message;
  m.length = length;
  fallback().emit_log(m);
}
ET_WEAK void* et_pal_allocate(size_t size) {
  return fallback().allocate == nullptr ? nullptr : fallback().allocate(size);
}
ET_WEAK void et_pal_free(void* memory) {
  if (fallback().free != nullptr) fallback().free(memory);
}

}  // extern "C"

namespace executorch::runtime {
namespace {

PalImpl g_pal = {et_pal_init,
                 et_pal_abort,
                 et_pal_current_ticks,
                 et_pal_ticks_to_ns_multiplier,
                 et_pal_emit_log_message,
                 et_pal_allocate,
                 et_pal_free,
                 __FILE__};

/// The runtime's table, which asks g_pal at each call: register_pal() may change it.
::et::Platform bridge() {
  ::et::Platform p = ::et::default_platform();
  p.init = [] { g_pal.init(); };
  p.abort = [] { g_pal.abort(); };
  // The clock is called for every event: where nobody replaced it, without a detour.
  if (g_pal.current_ticks != et_inspect_default_ticks) {
    p.ticks = [] { return g_pal.current_ticks(); };
    p.tick_ratio = [] {
      const et_tick_ratio_t ratio = g_pal.ticks_to_ns_multiplier();
      return ::et::TickRatio{ratio.numerator, ratio.denominator};
    };
    p.clock_name = "application";
  }
  p.emit_log = [](const ::et::LogMessage& m) {
    g_pal.emit_log_message(m.ticks, static_cast<et_pal_log_level_t>(m.level), m.file, m.function, m.line, m.message,
                           m.length);
  };
  p.allocate = [](size_t size) { return g_pal.allocate(size); };
  p.free = [](void* memory) { g_pal.free(memory); };
  return p;
}

}  // namespace

bool register_pal(PalImpl impl) {
  const auto take = [](auto& to, auto from) {
    if (from != nullptr) to = from;
  };
  take(g_pal.init, impl.init);
  take(g_pal.abort, impl.abort);
  take(g_pal.current_ticks, impl.current_ticks);
  take(g_pal.ticks_to_ns_multiplier, impl.ticks_to_ns_multiplier);
  take(g_pal.emit_log_message, impl.emit_log_message);
  take(g_pal.allocate, impl.allocate);
  take(g_pal.free, impl.free);
  take(g_pal.source_filename, impl.source_filename);
  ::et::set_platform(bridge());
  if (impl.init != nullptr) impl.init();
  return true;
}

const PalImpl* get_pal_impl() { return &g_pal; }

void pal_init() { g_pal.init(); }
void pal_abort() {
  g_pal.abort();
  std::abort();
}
et_timestamp_t pal_current_ticks() { return g_pal.current_ticks(); }
et_tick_ratio_t pal_ticks_to_ns_multiplier() { return g_pal.ticks_to_ns_multiplier(); }
void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                          const char* function, size_t line, const char* message, size_t length) {
  g_pal.emit_log_message(timestamp, level, filename, function, line, message, length);
}
void* pal_allocate(size_t size) { return g_pal.allocate(size); }
void pal_free(void* memory) { g_pal.free(memory); }

void runtime_init() {
  internal::use_platform();
  ::et::runtime_init();
}

namespace internal {

bool use_platform() {
  static const bool once = (::et::set_platform(bridge()), true);
  return once;
}

et_timestamp_t get_log_timestamp() { return pal_current_ticks(); }

void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function, size_t line,
           const char* format, va_list arguments) {
  char text[::et::log_internal::kMaxMessage];
  const size_t length = ::et::log_internal::format_message(text, format, arguments);
  constexpr char kLetters[] = {'D', 'I', 'E', 'F'};
  const auto letter = level < LogLevel::NumLevels ? kLetters[static_cast<size_t>(level)] : '?';
  pal_emit_log_message(timestamp, static_cast<et_pal_log_level_t>(letter), filename, function, line, text, length);
}

}  // namespace internal
}  // namespace executorch::runtime
