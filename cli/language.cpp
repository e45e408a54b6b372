#include "cli/language.h"

#include <cstdlib>

namespace et::cli {
namespace {

std::string wanted(std::span<const std::string> words) {
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with("--lang=")) return words[i].substr(7);
    if (words[i] == "--lang" && i + 1 < words.size()) return words[i + 1];
  }
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != 0) return value;
  }
  return "en";
}

}  // namespace

void choose_language(std::span<const std::string> words) { inspector::set_language(wanted(words)); }

std::string tr(std::string_view text) {
  const std::string* const found = inspector::catalogue().find("", text);
  return found != nullptr ? *found : std::string(text);
}

std::string tr_message(std::string_view message) {
  if (const std::string* const whole = inspector::catalogue().find("", message)) return *whole;
  std::string out;
  return inspector::catalogue().message("", message, nullptr, &out) ? out : std::string(message);
}

}  // namespace et::cli
