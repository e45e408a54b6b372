#include "cli/split_words.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>

namespace et::cli {

namespace {

/// Words that CLI11 could not place and that are no options belong to a positional with many values.
void take_more(std::vector<std::string>* rest, std::vector<std::string>* values) {
  std::vector<std::string> options;
  bool all = false;  // behind "--"
  for (std::string& w : *rest) {
    const bool dashes = w == "--" && !all;
    all = all || dashes;
    const bool option = !all && w.size() > 1 && w[0] == '-';
    if (!dashes) (option ? options : *values).push_back(std::move(w));
  }
  *rest = std::move(options);
}

}  // namespace

Status split_words(std::span<const WordRule> rules, const std::vector<std::string>& words, SplitWords* out) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> handles;
  for (const WordRule& rule : rules) {
    if (!rule.takes_value) {
      handles.push_back(app.add_flag(rule.names));
      continue;
    }
    // Without extra arguments CLI11 leaves values in [brackets] alone, and an option never eats the next positional. Of
    // a positional with many values it takes the first; take_more() has the others.
    CLI::Option* handle = app.add_option(rule.names)->expected(1)->allow_extra_args(false);
    if (!rule.positional) handle->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    handles.push_back(handle);
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 takes the words from the back
  try {
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string text = e.what();  // "--top: 1 required missing"
    return {Error::InvalidArgument, text.substr(0, text.find(':')) + ": expected a value"};
  } catch (const CLI::Error& e) {
    return {Error::InvalidArgument, e.what()};
  }
  for (CLI::Option* handle : handles) out->values.push_back(handle->results());
  std::vector<size_t> taken(handles.size(), 0);
  for (const CLI::Option* option : app.parse_order()) {
    const auto i = static_cast<size_t>(std::find(handles.begin(), handles.end(), option) - handles.begin());
    if (taken[i] < out->values[i].size()) out->in_order.emplace_back(i, out->values[i][taken[i]++]);
  }
  out->rest = app.remaining();
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].positional && rules[i].many) take_more(&out->rest, &out->values[i]);
  }
  return {};
}

}  // namespace et::cli
