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

/// What stands in a message and is said by the program: "an ETDump". Words alone are names.
std::string hole(std::string_view text) {
  if (text.find(' ') == std::string_view::npos) return std::string(text);
  const inspector::Catalogue& all = inspector::catalogue();
  for (const char* context : {"", "window"}) {
    if (const std::string* const whole = all.find(context, text)) return *whole;
  }
  std::string out;
  return all.message("", text, hole, &out) ? out : std::string(text);
}

}  // namespace

void choose_language(std::span<const std::string> words) { inspector::set_language(wanted(words)); }

std::string tr(std::string_view text) {
  const std::string* const found = inspector::catalogue().find("", text);
  return found != nullptr ? *found : std::string(text);
}

std::string tr_message(std::string_view message) {
  const inspector::Catalogue& all = inspector::catalogue();
  std::string out;
  for (const char* context : {"", "window"}) {
    if (const std::string* const whole = all.find(context, message)) return *whole;
    if (all.message(context, message, hole, &out)) return out;
    // A path may have all signs that end a clause.
    if (*context == 0 && all.message(context, message, nullptr, &out)) return out;
  }
  return std::string(message);
}

}  // namespace et::cli
