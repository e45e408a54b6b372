#include "runtime/platform/log.h"

#include <cstdarg>
#include <cstdio>

namespace et::log_internal {
namespace {

constexpr size_t kMaxMessage = 256;

// Bytes of `text` up to a whole UTF-8 character.
size_t whole_characters(const char* text, size_t length) {
  size_t n = length;
  while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xc0u) == 0x80u) --n;
  return n;
}

}  // namespace

void log(LogLevel level, const char* file, const char* function, uint32_t line, const char* format, ...) {
  char text[kMaxMessage + 1];
  va_list args;
  va_start(args, format);
  const int wanted = std::vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (wanted < 0) return;
  size_t length = static_cast<size_t>(wanted);
  if (length >= kMaxMessage) length = whole_characters(text, kMaxMessage - 1);
  text[length] = 0;
  LogMessage m;
  m.ticks = platform().ticks();
  m.level = level;
  m.file = file;
  m.function = function;
  m.line = line;
  m.message = text;
  m.length = length;
  platform().emit_log(m);
}

void fail() {
  platform().abort();
  __builtin_trap();  // a replacement that returns
}

}  // namespace et::log_internal
