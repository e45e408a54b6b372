#include "capi/call.h"

#include <cstring>
#include <mutex>

#include "runtime/platform/log.h"
#include "runtime/platform/platform.h"

namespace et::capi {
namespace {

// Plain memory, so that reporting a lack of memory needs none.
struct Text {
  char chars[2048] = {};
  size_t size = 0;

  void clear() { chars[size = 0] = 0; }
  void add(std::string_view s) {
    const size_t n = s.size() < sizeof(chars) - 1 - size ? s.size() : sizeof(chars) - 1 - size;
    std::memcpy(chars + size, s.data(), n);
    chars[size += n] = 0;
  }
};
thread_local Text t_collected, t_last;
thread_local int t_depth = 0;

void (*g_print)(const LogMessage&) = nullptr;

void emit(const LogMessage& m) {
  if (t_depth == 0 || m.level != LogLevel::Error) {
    if (g_print != nullptr) g_print(m);
    return;
  }
  if (t_collected.size > 0) t_collected.add("; ");
  t_collected.add({m.message, m.length});
}

void listen() {
  static std::once_flag once;
  std::call_once(once, [] {
    Platform p = platform();
    g_print = p.emit_log;
    p.emit_log = &emit;
    set_platform(p);
  });
}

}  // namespace

Call::Call() {
  listen();
  if (t_depth++ == 0) t_collected.clear();
}

Call::~Call() { --t_depth; }

et_status Call::finish(Error error, std::string_view fallback) {
  if (error == Error::Ok) return ET_OK;
  t_last.clear();
  t_last.add({t_collected.chars, t_collected.size});
  if (t_last.size == 0) t_last.add(fallback.empty() ? error_name(error) : fallback);
  return status_of(error);
}

}  // namespace et::capi

const char* et_last_error(void) { return et::capi::t_last.chars; }
