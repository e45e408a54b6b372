#include "cli/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/language.h"

namespace et::cli {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

void add_option(std::string& out, const OptionSpec& o) {
  out += ".TP\n";
  if (o.short_name != 0) out += "\\fB\\-" + std::string(1, o.short_name) + "\\fR, ";
  out += "\\fB\\-\\-" + roff(o.name) + "\\fR";
  if (o.argument != nullptr) out += " \\fI" + roff(o.argument) + "\\fR";
  out += "\n" + roff(option_sentence(o)) + ".\n";
}

void add_paragraphs(std::string& out, const char* text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += line.empty() ? ".PP\n" : roff(line) + "\n";
}

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += "\\(aq";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string man_page_name(const ProgramSpec& program, const CommandSpec& command) {
  return command.name[0] == 0 ? program.name : std::string(program.name) + "-" + command.name;
}

std::string man_page(const ProgramSpec& program, const CommandSpec& command) {
  // A package installs one page for everybody.
  static const std::vector<std::string> kEnglish = {"--lang", "en"};
  choose_language(kEnglish);
  const std::string name = man_page_name(program, command);
  const bool main = command.name[0] == 0;
  std::string out =
      ".TH \"" + upper(name) + "\" 1 \"\" \"" + program.name + " " + program.version + "\" \"User Commands\"\n";
  // .nh and .ad l: no hyphens inside option names, no stretched lines.
  out += ".nh\n.ad l\n.SH NAME\n" + roff(name) + " \\- " + roff(command.summary) + "\n";
  out += ".SH SYNOPSIS\n";
  bool first = true;
  for (const std::string& u : usage_lines(program, command)) {
    if (!first) out += ".br\n";
    first = false;
    const std::string words = main ? program.name : full_name(program, command);
    out += ".B " + roff(words) + "\n" + roff(std::string_view(u).substr(std::min(u.size(), words.size() + 1))) + "\n";
  }
  out += ".SH DESCRIPTION\n";
  add_paragraphs(out, command.description);
  if (!command.positionals.empty()) out += ".SH ARGUMENTS\n";
  for (const OptionSpec& p : command.positionals) {
    out += ".TP\n\\fI" + roff(p.argument) + "\\fR\n" + roff(option_sentence(p)) + ".\n";
  }
  if (main && program.commands.size() > 1) {
    out += ".SH COMMANDS\n";
    for (const CommandSpec* c : program.commands) {
      if (c->name[0] != 0) out += ".TP\n.BR " + roff(man_page_name(program, *c)) + " (1)\n" + roff(c->summary) + ".\n";
    }
  }
  out += ".SH OPTIONS\n";
  for (const OptionGroup* g : groups_of(command)) {
    out += ".SS \"" + roff(g->title) + "\"\n";
    for (const OptionSpec& o : g->options) add_option(out, o);
  }
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  for (const Example& e : command.examples) {
    out += ".TP\n\\fB" + roff(std::string(program.name) + " " + e.command) + "\\fR\n" + roff(e.text) + ".\n";
  }
  out += ".SH \"EXIT STATUS\"\n";
  for (const ExitCodeHelp& e : kExitCodes) out += ".TP\n.B " + std::to_string(e.code) + "\n" + roff(e.text) + ".\n";
  out +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nset and not empty: no colours, unless \\fB\\-\\-color always\\fR asks for "
      "them.\n.TP\n.B COLUMNS\nhow wide reports are that go to no terminal.\n.TP\n.B ET_INSPECT_CONFIG\na "
      "configuration file instead of those below; empty: none.\n";
  out +=
      ".SH FILES\n.TP\n.B .et\\-inspect.toml, ~/.config/et\\-inspect/config.toml\noptions that are always "
      "given, in TOML: a table for each program ([et\\-run]), one inside it for a subcommand ([et\\-inspect.source]). "
      "What the command line says goes first, then the working folder\\(aqs file.\n";
  std::string others;
  for (const CommandSpec* c : program.commands) {
    if (c == &command) continue;
    others += (others.empty() ? "" : ",\n.BR ");
    others += roff(man_page_name(program, *c)) + " (1)";
  }
  for (const char* other : program.related) others += (others.empty() ? "" : ",\n.BR ") + roff(other) + " (1)";
  if (!others.empty()) out += ".SH \"SEE ALSO\"\n.BR " + others + "\n";
  return out;
}

}  // namespace et::cli
