#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/exit_code.h"
#include "cli/language.h"
#include "cli/progress.h"
#include "inspector/text/shorten.h"

namespace et::cli {
namespace {

const char*& program_name() {
  static const char* name = "et-inspect";
  return name;
}

constexpr int kWidthWithoutAnswer = 80;  // a terminal that does not tell its size

bool to_stdout(const Arguments& args) { return !args.given("output") || args.text("output") == "-"; }

/// What somebody asks for who reads the output elsewhere: `COLUMNS=200 et-inspect run/ | less -S`. 0: nobody does.
int width_of_environment() {
  constexpr long kMost = 10000;
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr || std::isdigit(static_cast<unsigned char>(*text)) == 0) return 0;
  char* end = nullptr;
  const long columns = std::strtol(text, &end, 10);
  return *end != 0 || columns > kMost ? 0 : static_cast<int>(columns);
}

void print_line(std::string_view kind, std::string_view text) {
  // One write, so that lines of several processes do not mix. Control characters of file names do no harm; only lines
  // that are indented may follow the first.
  std::string line = std::string(program_name()) + ": ";
  line += kind;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f;
    const bool kept = text[i] == '\t' || (text[i] == '\n' && text.substr(i + 1).starts_with("  "));
    line += control && !kept ? '?' : text[i];
  }
  line += '\n';
  if (!locale_has_utf8()) line = inspector::in_ascii(line);
  erase_progress();
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void set_program_name(const char* name) { program_name() = name; }

void print_error(std::string_view text) { print_line(tr("error: "), tr_message(text)); }
void print_hint(std::string_view text) { print_line(tr("hint: "), tr_message(text)); }
void print_note(const Arguments& args, std::string_view text) {
  if (!args.flag("quiet")) print_line(tr("note: "), tr_message(text));
}
void print_warning(const Arguments& args, std::string_view text) {
  if (!args.flag("quiet")) print_line(tr("warning: "), tr_message(text));
}

int fail(const Status& status) {
  print_error(status.message());
  return exit_code_of(status);
}

int fail(int exit_code, std::string_view text) {
  print_error(text);
  return exit_code;
}

bool use_color(const Arguments& args) {
  const std::string when = args.text("color");
  if (when == "always") return true;
  if (when == "never" || !to_stdout(args) || ::isatty(STDOUT_FILENO) == 0) return false;
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: present and not empty
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == 0) && term != nullptr && std::string_view(term) != "dumb";
}

bool locale_has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    std::string locale;
    for (const char* c = value; *c != 0; ++c) locale += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return true;  // nobody chose: containers and services, whose logs are read as UTF-8
}

int output_width(const Arguments& args) {
  if (!to_stdout(args)) return 0;
  if (::isatty(STDOUT_FILENO) == 0) return width_of_environment();
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kWidthWithoutAnswer;
}

}  // namespace et::cli
