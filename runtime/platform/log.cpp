#include "runtime/platform/log.h"

#include <cstdio>

namespace et::log_internal {
namespace {

// Bytes of `text` without the part of a UTF-8 character at its end.
size_t whole_characters(const char* text, size_t length) {
  size_t n = length;
  while (n > 0 && (static_cast<unsigned char>(text[n - 1]) & 0xc0u) == 0x80u) --n;
  if (n == 0) return 0;
  const auto first = static_cast<unsigned char>(text[n - 1]);
  const size_t wanted = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return length - (n - 1) >= wanted ? length : n - 1;
}

}  // namespace

size_t format_message(char* text, const char* format, va_list arguments) {
  const int wanted = std::vsnprintf(text, kMaxMessage, format, arguments);
  size_t length = wanted < 0 ? 0 : static_cast<size_t>(wanted);
  if (length >= kMaxMessage) length = kMaxMessage - 1;
  // What was cut may have been the middle of a character.
  if (wanted >= 0 && static_cast<size_t>(wanted) >= kMaxMessage) length = whole_characters(text, length);
  text[length] = 0;
  return length;
}

void log(LogLevel level, const char* file, const char* function, uint32_t line, const char* format, ...) {
  char text[kMaxMessage];
  va_list args;
  va_start(args, format);
  const size_t length = format_message(text, format, args);
  va_end(args);
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
