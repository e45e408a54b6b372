#include "gui/core/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/read_double.h"
#include "inspector/text/language.h"

namespace et::gui {
namespace {

constexpr size_t kMaxRecent = 10;

// A line holds no line break; values of panels may.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else if (c != '\r') {
      out += c;
    }
  }
  return out;
}
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i];
    }
  }
  return out;
}

}  // namespace

void Settings::remember(const std::vector<std::string>& files) {
  std::string entry;
  for (const std::string& file : files) {
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::absolute(file, ignored);
    entry += (entry.empty() ? "" : "\t") + (ignored ? file : full.lexically_normal().string());
  }
  if (entry.empty()) return;
  std::erase(recent, entry);
  recent.insert(recent.begin(), entry);
  if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
}

std::string Settings::to_text() const {
  std::string out = "theme=" + theme + "\n";
  if (!language.empty()) out += "language=" + escaped(language) + "\n";
  if (scale > 0) out += "scale=" + std::to_string(scale) + "\n";
  if (width > 0 && height > 0) out += "window=" + std::to_string(width) + "x" + std::to_string(height) + "\n";
  out += std::string("follow_latest=") + (follow_latest ? "1" : "0") + "\n";
  if (!basis.empty()) out += "basis=" + escaped(basis) + "\n";
  if (!editor.empty()) out += "editor=" + escaped(editor) + "\n";
  for (const std::string& entry : recent) out += "recent=" + escaped(entry) + "\n";
  for (const std::string& panel : closed_panels) out += "closed=" + panel + "\n";
  for (const std::string& panel : fronts) out += "front=" + panel + "\n";
  for (const auto& [key, value] : panels) out += "panel." + key + "=" + escaped(value) + "\n";
  return out;
}

void Settings::take_line(const std::string& line) {
  const size_t equals = line.find('=');
  if (equals == std::string::npos) return;
  const std::string key = line.substr(0, equals), value = unescaped(line.substr(equals + 1));
  if (key == "theme" && (value == "dark" || value == "light")) {
    theme = value;
  } else if (key == "language") {
    const std::vector<std::string> known = inspector::languages();
    if (std::find(known.begin(), known.end(), value) != known.end()) language = value;
  } else if (key == "scale") {
    double number = 0;
    const auto end = read_double(value.data(), value.data() + value.size(), &number);
    if (end.ec == std::errc() && number >= 0.5 && number <= 4) scale = static_cast<float>(number);
  } else if (key == "window") {
    int w = 0, h = 0;
    if (std::sscanf(value.c_str(), "%dx%d", &w, &h) == 2 && w >= 320 && h >= 200 && w <= 8192 && h <= 8192)
      width = w, height = h;
  } else if (key == "follow_latest") {
    follow_latest = value != "0";
  } else if (key == "basis") {
    basis = value;
  } else if (key == "editor") {
    editor = value;
  } else if (key == "recent") {
    if (recent.size() < kMaxRecent) recent.push_back(value);
  } else if (key == "closed") {
    closed_panels.push_back(value);
  } else if (key == "front") {
    fronts.push_back(value);
  } else if (key.starts_with("panel.")) {
    panels.emplace_back(key.substr(6), value);
  }
}

std::string settings_folder() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (xdg != nullptr && xdg[0] == '/') {
    folder = std::string(xdg) + "/et-inspect";
  } else if (home != nullptr && home[0] == '/') {
    folder = std::string(home) + "/.config/et-inspect";
  } else {
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? std::string() : folder;
}

}  // namespace et::gui
