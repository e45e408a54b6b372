#include "gui/core/editor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "gui/core/text.h"

namespace et::gui {
namespace {

constexpr std::array<std::string_view, 14> kInTerminal = {"vi",  "vim", "nvim", "nano", "pico",  "hx",     "helix",
                                                          "kak", "joe", "ne",   "mg",   "micro", "mcedit", "emacs-nox"};
constexpr std::array<std::string_view, 9> kTerminals = {
    "x-terminal-emulator", "gnome-terminal", "konsole", "xfce4-terminal", "kitty",
    "alacritty",           "foot",           "wezterm", "xterm"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string find_program(std::string_view name, const std::string& path) {
  for (const std::string& folder : split(path, ':')) {
    const std::string full = folder + "/" + std::string(name);
    if (::access(full.c_str(), X_OK) == 0) return full;
  }
  return {};
}

template <size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Words in front of a command that a terminal runs; {} without a terminal.
std::vector<std::string> terminal_words(const EditorSurroundings& s) {
  std::vector<std::string> words = split(s.terminal, ' ');
  for (size_t i = 0; words.empty() && i < kTerminals.size(); ++i) {
    if (const std::string found = find_program(kTerminals[i], s.path); !found.empty()) words = {found};
  }
  if (words.empty()) return words;
  const std::string name = base_name(words.front());
  if (name == "gnome-terminal") {
    words.emplace_back("--");
  } else if (name == "wezterm") {
    words.emplace_back("start");
    words.emplace_back("--");
  } else if (name != "kitty" && name != "foot") {
    words.emplace_back("-e");
  }
  return words;
}

/// How each editor is told the line.
void add_place(const std::string& editor, const std::string& file, const std::string& line,
               std::vector<std::string>* words) {
  static constexpr std::array<std::string_view, 6> kGoto = {"code",   "code-insiders", "codium",
                                                            "cursor", "windsurf",      "vscodium"};
  static constexpr std::array<std::string_view, 5> kColon = {"subl", "zed", "hx", "helix", "lapce"};
  static constexpr std::array<std::string_view, 5> kJetBrains = {"pycharm", "idea", "clion", "charm", "studio"};
  if (is_one_of(kGoto, editor)) {
    words->insert(words->end(), {"-g", file + ":" + line});
  } else if (is_one_of(kColon, editor)) {
    words->push_back(file + ":" + line);
  } else if (is_one_of(kJetBrains, editor)) {
    words->insert(words->end(), {"--line", line, file});
  } else if (editor == "kate" || editor == "kwrite") {
    words->insert(words->end(), {"-l", line, file});
  } else {
    words->insert(words->end(), {"+" + line, file});  // vi, emacs, nano, gedit and most others
  }
}

std::string address_of(const std::string& file, const std::string& line) {
  std::string out = "vscode://file";
  for (const char c : file) {
    constexpr std::string_view kPlain = "/-._~";
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      static constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out + ":" + line;
}

std::string filled(std::string word, const std::string& file, const std::string& line) {
  for (const auto& [name, value] : {std::pair<std::string, const std::string&>{"{file}", file}, {"{line}", line}}) {
    for (size_t at = 0; (at = word.find(name, at)) != std::string::npos; at += value.size()) {
      word.replace(at, name.size(), value);
    }
  }
  return word;
}

}  // namespace

EditorSurroundings EditorSurroundings::here() {
  return {variable("VISUAL"), variable("EDITOR"), variable("TERMINAL"), variable("PATH")};
}

Status editor_command(const std::string& choice, const EditorSurroundings& s, const std::string& file, int64_t line,
                      std::vector<std::string>* out) {
  out->clear();
  const std::string number = std::to_string(std::max<int64_t>(line, 1));
  if (choice == "vscode") {
    *out = {"xdg-open", address_of(file, number)};
    return {};
  }
  bool in_terminal = false;
  if (!choice.empty()) {
    std::vector<std::string> words = split(choice, ' ');
    in_terminal = !words.empty() && words.front() == "terminal";
    if (in_terminal) words.erase(words.begin());
    if (words.empty() || choice.find("{file}") == std::string::npos) {
      return {Error::InvalidArgument, "editor command: expected a program and {file}, got '" + choice + "'"};
    }
    for (const std::string& word : words) out->push_back(filled(word, file, number));
  } else {
    *out = split(s.visual.empty() ? s.editor : s.visual, ' ');
    if (out->empty()) {
      *out = {"xdg-open", file};
      return {};
    }
    const std::string name = base_name(out->front());
    in_terminal = is_one_of(kInTerminal, name) ||
                  (name.starts_with("emacs") && std::find(out->begin(), out->end(), "-nw") != out->end());
    add_place(name, file, number, out);
  }
  if (!in_terminal) return {};
  const std::vector<std::string> terminal = terminal_words(s);
  if (terminal.empty()) {
    return {Error::NotFound, out->front() + " needs a terminal: set $TERMINAL, or choose another editor"};
  }
  out->insert(out->begin(), terminal.begin(), terminal.end());
  return {};
}

Status start_detached(const std::vector<std::string>& words) {
  if (words.empty()) return {Error::InvalidArgument, "no command"};
  std::vector<char*> raw;
  for (const std::string& word : words) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  // A pipe that closes when the program starts, and else has the reason why it did not.
  int channel[2] = {-1, -1};
  if (::pipe2(channel, O_CLOEXEC) != 0) return {Error::AccessFailed, std::string("pipe: ") + std::strerror(errno)};
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    const pid_t inner = ::fork();  // the program's parent is not this process: nobody waits for it
    if (inner == 0) {
      ::execvp(raw.front(), raw.data());
      const int reason = errno;
      (void)!::write(channel[1], &reason, sizeof reason);
    }
    ::_exit(0);
  }
  ::close(channel[1]);
  int reason = child < 0 ? errno : 0;
  if (child > 0) {
    (void)::waitpid(child, nullptr, 0);
    if (::read(channel[0], &reason, sizeof reason) != static_cast<ssize_t>(sizeof reason)) reason = 0;
  }
  ::close(channel[0]);
  if (reason != 0)
    return {Error::AccessFailed, words.front() + ": cannot start: " + std::strerror(reason) +
                                     "; Go > Choose editor… says what opens a line"};
  return {};
}

}  // namespace et::gui
