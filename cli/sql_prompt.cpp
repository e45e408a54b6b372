#include "cli/sql_prompt.h"

#include <sqlite3.h>

#include <charconv>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::cli {
namespace {

constexpr const char* kHelp =
    "  SELECT ...;      run a statement; it may span several lines and ends with ';'\n"
    "  .tables          list the views\n"
    "  .schema [VIEW]   describe the columns of a view, or of all views\n"
    "  .mode FORMAT     set the output format: table, json, csv, tsv or markdown\n"
    "  .history         list the statements so far; !N runs statement N again, !! the last one\n"
    "  .help            show this text\n"
    "  .quit            quit (also Ctrl-D)\n"
    "  :trace           in a statement: the number of the selected trace\n";

class Prompt {
 public:
  Prompt(SqlSession& session, inspector::TableOptions options, std::ostream& out, std::ostream& errors)
      : session_(session), options_(std::move(options)), out_(out), errors_(errors) {}

  /// False when the user wants to leave.
  bool line(const std::string& text) {
    if (pending_.empty()) {
      const size_t first = text.find_first_not_of(" \t\r");
      if (first == std::string::npos) return true;
      if (text[first] == '.') return command(text.substr(first));
      if (text[first] == '!') return again(text.substr(first + 1));
    }
    pending_ += text + "\n";
    if (sqlite3_complete(pending_.c_str()) != 0) statement();
    return true;
  }

  const char* prompt() const { return pending_.empty() ? "et-inspect> " : "       ...> "; }
  void finish() {
    if (!pending_.empty()) statement();
  }

 private:
  void statement() {
    std::string sql = std::move(pending_);
    pending_.clear();
    while (!sql.empty() && sql.back() == '\n') sql.pop_back();
    history_.push_back(sql);
    const Status status = session_.run(sql, options_, out_);
    if (!status.ok()) errors_ << status.message() << "\n";
  }

  bool again(const std::string& which) {
    size_t n = 0;
    if (which == "!") {
      n = history_.size();
    } else {
      std::from_chars(which.data(), which.data() + which.size(), n);
    }
    if (n == 0 || n > history_.size()) {
      errors_ << "unknown statement number; .history lists them\n";
      return true;
    }
    pending_ = history_[n - 1];
    out_ << pending_ << "\n";
    statement();
    return true;
  }

  bool command(const std::string& text) {
    const size_t space = text.find_first_of(" \t");
    const std::string name = text.substr(0, space);
    std::string argument = space == std::string::npos ? "" : text.substr(space + 1);
    while (!argument.empty() && (argument.back() == ' ' || argument.back() == ';' || argument.back() == '\r'))
      argument.pop_back();
    if (name == ".quit" || name == ".exit") return false;
    if (name == ".help") {
      out_ << kHelp;
    } else if (name == ".tables") {
      tables();
    } else if (name == ".schema") {
      schema(argument);
    } else if (name == ".mode") {
      if (inspector::is_table_format(argument)) {
        options_.format = argument;
      } else {
        errors_ << ".mode: expected table, json, csv, tsv or markdown, got '" << argument << "'\n";
      }
    } else if (name == ".history") {
      for (size_t i = 0; i < history_.size(); ++i) out_ << i + 1 << "  " << history_[i] << "\n";
    } else {
      const std::vector<std::string> names = {".quit", ".help", ".tables", ".schema", ".mode", ".history"};
      const std::string best = nearest(name, names);
      errors_ << "unknown command '" << name << "'"
              << (best.empty() ? "; .help lists them" : "; did you mean '" + best + "'?") << "\n";
    }
    return true;
  }

  std::vector<inspector::ViewDoc> views() {
    std::vector<inspector::ViewDoc> out;
    const Status status = inspector::describe_tables(&out);
    if (!status.ok()) errors_ << status.message() << "\n";
    return out;
  }

  void write(const inspector::Table& table) {
    std::string text;
    inspector::TableOptions options = options_;
    const Status status = table.write(options, &text);
    if (status.ok())
      out_ << text;
    else
      errors_ << status.message() << "\n";
  }

  void tables() {
    inspector::Table table;
    table.columns = {{.title = "view"}, {.title = "description", .min_width = 20}};
    for (const auto& v : views()) table.add({v.name, v.description});
    write(table);
  }

  void schema(const std::string& wanted) {
    inspector::Table table;
    table.columns = {
        {.title = "view"}, {.title = "column"}, {.title = "type"}, {.title = "description", .min_width = 20}};
    for (const auto& v : views()) {
      if (!wanted.empty() && v.name != wanted) continue;
      for (const auto& c : v.columns) table.add({v.name, c.name, c.type, c.description});
    }
    if (table.rows.empty()) {
      errors_ << "unknown view '" << wanted << "'; .tables lists them\n";
    } else {
      write(table);
    }
  }

  SqlSession& session_;
  inspector::TableOptions options_;
  std::ostream& out_;
  std::ostream& errors_;
  std::string pending_;
  std::vector<std::string> history_;
};

}  // namespace

void run_sql_prompt(SqlSession& session, inspector::TableOptions options, std::istream& in, std::ostream& out,
                    std::ostream& errors) {
  Prompt prompt(session, std::move(options), out, errors);
  out << "SQL on the views of the store; .help for help, .quit to quit.\n";
  std::string line;
  for (;;) {
    out << prompt.prompt() << std::flush;
    if (!out || !std::getline(in, line)) break;
    if (!prompt.line(line)) return;
  }
  prompt.finish();
  out << "\n";
}

}  // namespace et::cli
