#include "runtime/module/log_capture.h"

#include "runtime/platform/platform.h"

namespace et {
namespace {

constexpr size_t kMaxText = 2000;  // a loop may say the same very often

std::string& collected() {
  static std::string text;
  return text;
}

void (*g_print)(const LogMessage&) = nullptr;

void emit(const LogMessage& m) {
  if (m.level != LogLevel::Error) return g_print(m);
  std::string& text = collected();
  const std::string_view line(m.message, m.length);
  if (text.size() > kMaxText || text.ends_with(line)) return;
  if (!text.empty()) text += "; ";
  text += line;
}

}  // namespace

void capture_errors() {
  if (g_print != nullptr) return;
  Platform p = platform();
  g_print = p.emit_log;
  p.emit_log = &emit;
  set_platform(p);
}

std::string take_errors() {
  std::string text;
  text.swap(collected());
  return text;
}

}  // namespace et
