#include "cli/arguments.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <filesystem>
#include <memory>

#include "base/mapped_file.h"
#include "base/nearest.h"
#include "cli/config_file.h"
#include "cli/file_values.h"
#include "cli/split_words.h"
#include "cli/written_files.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

Status usage(std::string text) { return {Error::InvalidArgument, std::move(text)}; }

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::vector<std::string> names_of_commands(const ProgramSpec& program) {
  std::vector<std::string> names;
  for (const CommandSpec* c : program.commands) {
    if (c->name[0] != 0) names.emplace_back(c->name);
  }
  return names;
}

/// The place of the command's name among the words, words.size() for the main command. Options of the main command may
/// stand before it.
size_t find_command_word(const ProgramSpec& program, const std::vector<std::string>& words) {
  const std::vector<const OptionSpec*> options = options_of(main_command(program));
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "--") break;
    if (w.size() < 2 || w[0] != '-') return find_command(program, w) == nullptr ? words.size() : i;
    for (const OptionSpec* o : options) {
      const bool is_long = w.starts_with("--") && w.substr(2) == o->name;
      const bool is_short = w.size() == 2 && o->short_name != 0 && w[1] == o->short_name;
      if ((is_long || is_short) && o->argument != nullptr) ++i;
    }
  }
  return words.size();
}

Status check_value(const OptionSpec& spec, const std::string& shown, const std::string& value) {
  if (spec.type == Value::Integer) {
    int64_t n = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || n < 0) {
      return usage(shown + ": expected a non-negative integer, got " + in_quotes(value));
    }
  }
  if (spec.type == Value::Choice) {
    const std::vector<std::string> choices = choices_of(spec);
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      return usage(shown + ": expected one of " + inspector::joined(choices, ", ") + ", got " + in_quotes(value) +
                   did_you_mean(value, choices));
    }
  }
  if (spec.type == Value::Pair) {
    const size_t at = value.find('=');
    if (at == std::string::npos || at == 0) {
      return usage(shown + ": expected " + spec.argument + ", got " + in_quotes(value));
    }
  }
  return {};
}

Status check_rest(const ProgramSpec& program, const CommandSpec& command, const std::string& first,
                  const std::vector<std::string>& rest) {
  for (const std::string& w : rest) {
    if (w == "--") continue;
    if (w.size() > 1 && w[0] == '-') {
      std::vector<std::string> names;
      for (const OptionSpec* o : options_of(command)) names.emplace_back(o->name);
      const std::string name = w.substr(0, w.find('='));
      const std::string_view bare = std::string_view(name).substr(name.starts_with("--") ? 2 : 1);
      return usage("unknown option " + in_quotes(name) + did_you_mean(bare, names, "--"));
    }
  }
  for (const std::string& w : rest) {
    if (w == "--") continue;
    const std::string takes = positional_usage(command);
    if (command.name[0] == 0) {  // the first word may be a mistyped subcommand
      if (const std::string best = nearest(first, names_of_commands(program)); !best.empty()) {
        return usage("unknown command " + in_quotes(first) + "; did you mean " + in_quotes(best) + "?");
      }
    }
    return usage("unexpected argument " + in_quotes(w) + "; " + full_name(program, command) + " expects " +
                 (takes.empty() ? "no arguments" : takes));
  }
  return {};
}

}  // namespace

const Arguments::Entry* Arguments::find(std::string_view name) const {
  for (const Entry& e : entries_) {
    if (name == e.spec->name) return &e;
  }
  return nullptr;
}

const std::vector<std::string>& Arguments::list(std::string_view name) const {
  static const std::vector<std::string> none;
  const Entry* e = find(name);
  return e == nullptr ? none : e->values;
}

std::string Arguments::text(std::string_view name) const {
  const Entry* e = find(name);
  if (e == nullptr) return {};
  if (!e->values.empty()) return e->values.back();
  return e->spec->fallback == nullptr ? "" : e->spec->fallback;
}

int64_t Arguments::integer(std::string_view name, int64_t otherwise) const {
  const std::string value = text(name);
  int64_t n = otherwise;
  std::from_chars(value.data(), value.data() + value.size(), n);
  return n;
}

Arguments Arguments::with(std::string_view name, std::vector<std::string> values) const {
  Arguments out = *this;
  for (Entry& e : out.entries_) {
    if (name == e.spec->name) e.values = std::move(values);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& v : list(name)) {
    const size_t at = v.find('=');
    if (at != std::string::npos) out.emplace_back(v.substr(0, at), v.substr(at + 1));
  }
  return out;
}

namespace {

bool is_file(const std::string& path) {
  std::error_code ec;
  return std::filesystem::exists(path, ec);
}

/// "help" and "help COMMAND" are --help, where no such file is meant.
Status take_help_word(const ProgramSpec& program, std::vector<std::string>* words) {
  if (words->empty() || words->front() != "help" || is_file("help")) return {};
  words->erase(words->begin());
  if (!words->empty() && words->front()[0] != '-' && find_command(program, words->front()) == nullptr) {
    return usage("help: unknown command " + in_quotes(words->front()) +
                 did_you_mean(words->front(), names_of_commands(program)));
  }
  words->emplace_back("--help");
  return {};
}

/// A command behind the files: "et-inspect d.etdp source".
Status check_command_place(const ProgramSpec& program, const CommandSpec& command, const Arguments& args,
                           const std::vector<std::string>& rest) {
  if (command.name[0] != 0) return {};
  std::vector<std::string> words = rest;
  for (const OptionSpec& p : command.positionals) {
    for (const std::string& v : args.list(p.name)) words.push_back(v);
  }
  for (const std::string& w : words) {
    if (find_command(program, w) == nullptr || is_file(w)) continue;
    return usage("unexpected argument " + in_quotes(w) + "; the command goes first: " + program.name + " " + w +
                 " ...");
  }
  return {};
}

/// What CLI11 has to know of a command's positionals and options, in the order of Arguments' entries.
std::vector<WordRule> rules_of(const CommandSpec& command) {
  std::vector<WordRule> out;
  for (const OptionSpec& p : command.positionals) out.push_back({p.name, true, true, p.many});
  for (const OptionSpec* o : options_of(command)) {
    const std::string letter = o->short_name == 0 ? "" : std::string("-") + o->short_name + ",";
    out.push_back({letter + "--" + o->name, o->argument != nullptr});
  }
  return out;
}

std::string shown_name(const OptionSpec& spec, bool positional) {
  return positional ? spec.argument : std::string("--") + spec.name;
}

Status check_values(const OptionSpec& spec, bool positional, const std::vector<std::string>& values) {
  const std::string shown = shown_name(spec, positional);
  for (const std::string& v : values) {
    if (spec.argument == nullptr) {
      if (v != "true") return usage(shown + ": expected no value, got " + in_quotes(v));
    } else if (Status s = check_value(spec, shown, v); !s.ok()) {
      return s;
    }
  }
  return {};
}

Status check_required(const CommandSpec& command, const Arguments& args) {
  for (const OptionSpec& p : command.positionals) {
    const std::vector<std::string> instead = words_of(p.unless);
    const bool needed =
        p.required && std::none_of(instead.begin(), instead.end(), [&](const auto& o) { return args.given(o); });
    if (needed && !args.given(p.name)) return usage(std::string("missing argument ") + p.argument + ": " + p.help);
  }
  return {};
}

}  // namespace

Status Arguments::join_json() {
  Entry *format = nullptr, *json = nullptr;
  for (Entry& e : entries_) {
    if (std::string_view(e.spec->name) == "format") format = &e;
    if (std::string_view(e.spec->name) == "json" && e.spec->argument == nullptr) json = &e;
  }
  if (format == nullptr || json == nullptr) return {};
  if (!json->values.empty() && !format->values.empty() && format->values.back() != "json") {
    return usage("--json and --format " + format->values.back() + " are mutually exclusive");
  }
  if (!json->values.empty()) format->values = {"json"};
  if (!format->values.empty() && format->values.back() == "json") json->values = {"true"};
  return {};
}

Status Arguments::take_config() {
  for (const std::string& path : config_files()) {
    MappedFile file;
    if (Status s = MappedFile::open(path, &file); !s.ok()) return s;
    std::vector<TomlValue> values;
    std::vector<ConfiguredOption> options;
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    if (Status s = read_toml_values(text, path, &values); !s.ok()) return s;
    if (Status s = configured_options(values, path == kFolderConfig, *program_, *command_, &options); !s.ok()) return s;
    for (ConfiguredOption& option : options) {
      const auto entry =
          std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return option.name == e.spec->name; });
      // What was given, by the words or by a nearer table, stays; --json is the format, too.
      const bool format = option.name == "format" && given("json");
      if (entry == entries_.end() || !entry->values.empty() || format) continue;
      if (!entry->spec->many && option.values.size() != 1) {
        return usage(option.place + ": " + option.name + ": expected one value, got " +
                     std::to_string(option.values.size()));
      }
      if (entry->spec->argument == nullptr && option.values == std::vector<std::string>{"false"}) continue;
      if (Status s = check_values(*entry->spec, false, option.values); !s.ok()) {
        return usage(option.place + ": " + s.message());
      }
      entry->values = std::move(option.values);
    }
  }
  return join_json();
}

Status parse(const ProgramSpec& program, const std::vector<std::string>& words, Arguments* out) {
  out->program_ = &program;
  std::vector<std::string> own_words = words;
  out->command_ = &main_command(program);
  if (Status s = take_help_word(program, &own_words); !s.ok()) return s;
  const size_t at = find_command_word(program, own_words);
  const CommandSpec& command = at == own_words.size() ? main_command(program) : *find_command(program, own_words[at]);
  out->command_ = &command;
  out->entries_.clear();
  out->in_order_.clear();
  for (const OptionSpec& p : command.positionals) out->entries_.push_back({&p, {}});
  for (const OptionSpec* o : options_of(command)) out->entries_.push_back({o, {}});

  if (at < own_words.size()) own_words.erase(own_words.begin() + static_cast<ptrdiff_t>(at));
  SplitWords split;
  if (Status s = split_words(rules_of(command), own_words, &split); !s.ok()) return s;
  for (size_t i = 0; i < out->entries_.size(); ++i) out->entries_[i].values = std::move(split.values[i]);
  for (auto& [i, value] : split.in_order) out->in_order_.emplace_back(out->entries_[i].spec->name, std::move(value));

  if (out->flag("help") || out->flag("version")) return {};
  if (Status s = check_command_place(program, command, *out, split.rest); !s.ok()) return s;
  const std::string first = command.positionals.empty() ? "" : out->text(command.positionals[0].name);
  if (Status s = check_rest(program, command, first, split.rest); !s.ok()) return s;
  for (size_t i = 0; i < out->entries_.size(); ++i) {
    const Arguments::Entry& e = out->entries_[i];
    if (Status s = check_values(*e.spec, i < command.positionals.size(), e.values); !s.ok()) return s;
  }
  if (Status s = out->join_json(); !s.ok()) return s;
  if (Status s = out->take_config(); !s.ok()) return s;
  std::vector<FileValue> files;
  for (size_t i = 0; i < out->entries_.size(); ++i) {
    Arguments::Entry& e = out->entries_[i];
    if (e.spec->complete != Complete::File || e.spec->use == FileUse::Updates) continue;
    for (std::string& v : e.values) {
      files.push_back({shown_name(*e.spec, i < command.positionals.size()), &v, e.spec->use == FileUse::Writes});
    }
  }
  if (Status s = name_standard_input(files); !s.ok()) return s;
  std::vector<NamedFile> read = read_files(*out);
  for (const std::string& path : config_files()) read.push_back({"configuration file", path});
  if (Status s = check_written(written_files(*out), read); !s.ok()) return s;
  for (const Arguments::Entry& e : out->entries_) {
    if (e.spec->alone && !e.values.empty()) return {};
  }
  return check_required(command, *out);
}

}  // namespace et::cli
