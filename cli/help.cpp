#include "cli/help.h"

#include <algorithm>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/language.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

constexpr size_t kWidest = 100;
constexpr size_t kNarrowest = 40;
constexpr size_t kColumn = 30;  // where the explanations begin

class Page {
 public:
  Page(int width, bool color)
      : width_(width <= 0 ? kWidest : std::clamp(static_cast<size_t>(width), kNarrowest, kWidest)), color_(color) {}

  void heading(const std::string& text) {
    out_ += "\n" + std::string(color_ ? "\033[1m" : "") + tr(text) + ":" + (color_ ? "\033[0m" : "") + "\n";
  }
  void line(const std::string& text) { out_ += text + "\n"; }

  void paragraph(const std::string& text, size_t indent) {
    out_.append(indent, ' ');
    wrap(text, indent, indent);
  }

  /// A term, and its explanation next to it or, when the term is long, below it.
  void item(const std::string& term, const std::string& text, size_t indent = 2, size_t column = kColumn) {
    out_.append(indent, ' ');
    out_ += term;
    size_t at = indent + term.size();
    if (at + 2 > column) {
      out_ += '\n';
      at = 0;
    }
    out_.append(column - at, ' ');
    wrap(text, column, column);
  }

  std::string take() { return std::move(out_); }

 private:
  void wrap(const std::string& text, size_t at, size_t indent) {
    bool first = true;
    for (const Piece& piece : pieces_of(text)) {
      const size_t columns = text_columns(piece.text) + (piece.space ? 1 : 0);
      if (!first && at + columns > width_) {
        out_ += '\n';
        out_.append(indent, ' ');
        at = indent;
        first = true;
      }
      if (piece.space && !first) out_ += ' ';
      at += columns - (piece.space && first ? 1 : 0);
      out_ += piece.text;
      first = false;
    }
    out_ += '\n';
  }

  size_t width_;
  bool color_;
  std::string out_;
};

void add_commands(const ProgramSpec& program, Page& page) {
  page.heading("Commands");
  for (const CommandSpec* c : program.commands) {
    if (c->name[0] != 0) page.item(c->name, tr(c->summary), 2, 14);
  }
}

}  // namespace

std::string option_heading(const OptionSpec& option) {
  std::string out = option.short_name == 0 ? "    " : std::string("-") + option.short_name + ", ";
  out += std::string("--") + option.name;
  if (option.argument != nullptr) out += std::string(" ") + option.argument;
  return out;
}

std::string option_sentence(const OptionSpec& option) {
  std::string out = tr(option.help);
  if (option.type == Value::Choice) {
    out += " (" + inspector::joined(choices_of(option), ", ") +
           (option.fallback == nullptr ? "" : tr("; default ") + option.fallback) + ")";
  } else if (option.fallback != nullptr) {
    out += tr(" (default ") + option.fallback + ")";
  }
  if (option.many) out += tr("; may be repeated");
  return out;
}

std::vector<std::string> usage_lines(const ProgramSpec& program, const CommandSpec& command) {
  const std::string arguments = positional_usage(command);
  std::vector<std::string> out = {full_name(program, command) + " [OPTIONS]" +
                                  (arguments.empty() ? "" : " " + arguments)};
  if (command.name[0] == 0 && program.commands.size() > 1)
    out.push_back(std::string(program.name) + " COMMAND [OPTIONS] ...");
  return out;
}

std::string help_text(const ProgramSpec& program, const CommandSpec& command, int width, bool color) {
  Page page(width, color);
  page.paragraph(full_name(program, command) + ": " + tr(command.summary), 0);
  page.heading("Usage");
  for (const std::string& u : usage_lines(program, command)) page.line("  " + u);

  std::istringstream text(command.description);
  std::string paragraph;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    page.line("");
    page.paragraph(tr(paragraph), 0);
    paragraph.clear();
  }
  if (!paragraph.empty()) {
    page.line("");
    page.paragraph(tr(paragraph), 0);
  }

  if (!command.positionals.empty()) page.heading("Arguments");
  for (const OptionSpec& p : command.positionals) page.item(p.argument, option_sentence(p));
  if (command.name[0] == 0 && program.commands.size() > 1) add_commands(program, page);
  for (const OptionGroup* g : groups_of(command)) {
    page.heading(g->title);
    for (const OptionSpec& o : g->options) page.item(option_heading(o), option_sentence(o));
  }
  if (!command.examples.empty()) page.heading("Examples");
  for (const Example& e : command.examples) {
    page.line("  " + std::string(program.name) + " " + e.command);
    page.paragraph(tr(e.text), 6);
  }
  page.heading("Exit codes");
  for (const ExitCodeHelp& e : kExitCodes) page.item(std::to_string(e.code), tr(e.text), 2, 7);
  if (command.name[0] == 0 && program.commands.size() > 1) {
    page.line("");
    page.paragraph("'" + std::string(program.name) + " help COMMAND' " + tr("shows the help of a command."), 0);
  }
  return page.take();
}

}  // namespace et::cli
