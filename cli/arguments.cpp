#include "cli/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <memory>

#include "cli/nearest.h"

namespace et::cli {
namespace {

Status usage(std::string text) { return {Error::InvalidArgument, std::move(text)}; }

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates, std::string_view prefix = "") {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : "; did you mean " + in_quotes(std::string(prefix) + best) + "?";
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
      return usage(shown + ": expected a whole number from 0 on, got " + in_quotes(value));
    }
  }
  if (spec.type == Value::Choice) {
    const std::vector<std::string> choices = choices_of(spec);
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      std::string list;
      for (const std::string& c : choices) list += (list.empty() ? "" : ", ") + c;
      return usage(shown + ": unknown value " + in_quotes(value) + ", expected one of " + list +
                   did_you_mean(value, choices));
    }
  }
  if (spec.argument != nullptr && std::string_view(spec.argument) == "FROM=TO") {
    const size_t at = value.find('=');
    if (at == std::string::npos || at == 0) return usage(shown + ": expected FROM=TO, got " + in_quotes(value));
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
    if (command.name[0] == 0) {  // the word in front may be a command with a slip of the pen
      std::vector<std::string> names;
      for (const CommandSpec* c : program.commands) {
        if (c->name[0] != 0) names.emplace_back(c->name);
      }
      if (const std::string best = nearest(first, names); !best.empty()) {
        return usage("unknown command " + in_quotes(first) + "; did you mean " + in_quotes(best) + "?");
      }
    }
    return usage("unexpected argument " + in_quotes(w) + "; " + full_name(program, command) +
                 (takes.empty() ? " takes no arguments" : " takes " + takes));
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

std::vector<std::pair<std::string, std::string>> Arguments::pairs(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& v : list(name)) {
    const size_t at = v.find('=');
    if (at != std::string::npos) out.emplace_back(v.substr(0, at), v.substr(at + 1));
  }
  return out;
}

Status parse(const ProgramSpec& program, const std::vector<std::string>& words, Arguments* out) {
  out->program_ = &program;
  const size_t at = find_command_word(program, words);
  const CommandSpec& command = at == words.size() ? main_command(program) : *find_command(program, words[at]);
  out->command_ = &command;
  out->entries_.clear();
  out->in_order_.clear();
  for (const OptionSpec& p : command.positionals) out->entries_.push_back({&p, {}});
  for (const OptionSpec* o : options_of(command)) out->entries_.push_back({o, {}});

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> handles;
  for (size_t i = 0; i < out->entries_.size(); ++i) {
    const OptionSpec& spec = *out->entries_[i].spec;
    const bool positional = i < command.positionals.size();
    std::string names = positional ? spec.name : std::string("--") + spec.name;
    if (spec.short_name != 0) names = std::string("-") + spec.short_name + "," + names;
    if (spec.argument == nullptr) {
      handles.push_back(app.add_flag(names));
      continue;
    }
    // Without extra arguments CLI11 leaves values in [brackets] alone, and an option never eats the next positional.
    CLI::Option* handle = app.add_option(names)->expected(1)->allow_extra_args(false);
    if (positional && spec.many) handle->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    if (!positional) handle->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    handles.push_back(handle);
  }
  std::vector<std::string> reversed;  // CLI11 takes the words from the back
  for (size_t i = words.size(); i-- > 0;) {
    if (i != at) reversed.push_back(words[i]);
  }
  try {
    app.parse(reversed);
  } catch (const CLI::Error& e) {
    return usage(e.what());
  }
  for (size_t i = 0; i < handles.size(); ++i) out->entries_[i].values = handles[i]->results();
  std::vector<size_t> taken(handles.size(), 0);
  for (const CLI::Option* option : app.parse_order()) {
    const size_t i = static_cast<size_t>(std::find(handles.begin(), handles.end(), option) - handles.begin());
    const std::vector<std::string>& values = out->entries_[i].values;
    if (taken[i] < values.size()) out->in_order_.emplace_back(out->entries_[i].spec->name, values[taken[i]++]);
  }
  if (out->flag("help") || out->flag("version")) return {};
  Status status = check_rest(
      program, command, command.positionals.empty() ? "" : out->text(command.positionals[0].name), app.remaining());
  if (!status.ok()) return status;
  for (size_t i = 0; i < out->entries_.size(); ++i) {
    const Arguments::Entry& e = out->entries_[i];
    const bool positional = i < command.positionals.size();
    const std::string shown = positional ? e.spec->argument : std::string("--") + e.spec->name;
    for (const std::string& v : e.values) {
      if (e.spec->argument == nullptr) {
        if (v != "true") return usage(shown + ": takes no value, got " + in_quotes(v));
        continue;
      }
      status = check_value(*e.spec, shown, v);
      if (!status.ok()) return status;
    }
  }
  for (const Arguments::Entry& e : out->entries_) {
    if (e.spec->alone && !e.values.empty()) return {};
  }
  for (const OptionSpec& p : command.positionals) {
    const std::vector<std::string> instead = words_of(p.unless);
    if (std::any_of(instead.begin(), instead.end(), [&](const std::string& name) { return out->given(name); }))
      continue;
    if (p.required && !out->given(p.name)) {
      return usage(std::string("missing argument ") + p.argument + ": " + p.help);
    }
  }
  return {};
}

}  // namespace et::cli
