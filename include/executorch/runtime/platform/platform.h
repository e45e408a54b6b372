// The platform layer: functions that an application replaces either by defining them (its et_pal_... stand in for the
// ones of this library) or by register_pal().
#pragma once

#include <cstddef>
#include <cstdint>

#include "executorch/runtime/platform/compiler.h"
#include "executorch/runtime/platform/types.h"
#include "runtime/platform/log.h"

#ifndef ET_INTERNAL_PLATFORM_WEAKNESS
#define ET_INTERNAL_PLATFORM_WEAKNESS
#endif

extern "C" {

typedef struct {
  uint64_t numerator;
  uint64_t denominator;
} et_tick_ratio_t;

typedef enum {
  kDebug = 'D',
  kInfo = 'I',
  kError = 'E',
  kFatal = 'F',
  kUnknown = '?',
} et_pal_log_level_t;

typedef et_timestamp_t (*et_pal_current_ticks_t)(void);
using pal_init_method = void (*)();
using pal_abort_method = void (*)();
using pal_current_ticks_method = et_timestamp_t (*)();
using pal_ticks_to_ns_multiplier_method = et_tick_ratio_t (*)();
using pal_emit_log_message_method = void (*)(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                                             const char* function, size_t line, const char* message, size_t length);
using pal_allocate_method = void* (*)(size_t size);
using pal_free_method = void (*)(void* memory);

void et_pal_init(void) ET_INTERNAL_PLATFORM_WEAKNESS;
ET_NORETURN void et_pal_abort(void) ET_INTERNAL_PLATFORM_WEAKNESS;
et_timestamp_t et_pal_current_ticks(void) ET_INTERNAL_PLATFORM_WEAKNESS;
et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) ET_INTERNAL_PLATFORM_WEAKNESS;
void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                             const char* function, size_t line, const char* message,
                             size_t length) ET_INTERNAL_PLATFORM_WEAKNESS;
void* et_pal_allocate(size_t size) ET_INTERNAL_PLATFORM_WEAKNESS;
void et_pal_free(void* memory) ET_INTERNAL_PLATFORM_WEAKNESS;

}  // extern "C"

namespace executorch::runtime {

/// A set of functions; null: the one in use stays.
struct PalImpl {
  static PalImpl create(pal_emit_log_message_method emit_log_message, const char* source_filename) {
    PalImpl impl{};
    impl.emit_log_message = emit_log_message;
    impl.source_filename = source_filename;
    return impl;
  }
  static PalImpl create(pal_init_method init, pal_abort_method abort, pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename) {
    return PalImpl{init,     abort, current_ticks,  ticks_to_ns_multiplier, emit_log_message,
                   allocate, free,  source_filename};
  }

  pal_init_method init = nullptr;
  pal_abort_method abort = nullptr;
  pal_current_ticks_method current_ticks = nullptr;
  pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier = nullptr;
  pal_emit_log_message_method emit_log_message = nullptr;
  pal_allocate_method allocate = nullptr;
  pal_free_method free = nullptr;
  const char* source_filename = nullptr;
};

/// Calls `init`. Before the first use of the runtime.
bool register_pal(PalImpl impl);
const PalImpl* get_pal_impl();

void pal_init();
ET_NORETURN void pal_abort();
et_timestamp_t pal_current_ticks();
et_tick_ratio_t pal_ticks_to_ns_multiplier();
void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                          const char* function, size_t line, const char* message, size_t length);
void* pal_allocate(size_t size);
void pal_free(void* memory);

namespace internal {
/// Leads the runtime's clock, log and memory to the functions above.
bool use_platform();
/// Before main(), so that an application's et_pal_... get what is logged before runtime_init(), too.
inline const bool kUsesPlatform = use_platform();
}  // namespace internal

}  // namespace executorch::runtime
