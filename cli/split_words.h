// Splits the words of a command line into options, their values and the rest. The only user of CLI11, which is slow to
// compile; what values mean is decided elsewhere.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace et::cli {

struct WordRule {
  std::string names;  // "-o,--output", or a positional's "trace"
  bool takes_value = true;
  bool positional = false;
  bool many = false;  // a positional that takes all words that are left
};

struct SplitWords {
  std::vector<std::vector<std::string>> values;          // for each rule, in the order of the words; "true" for a flag
  std::vector<std::pair<size_t, std::string>> in_order;  // rule and value, in the order of the command line
  std::vector<std::string> rest;                         // what no rule takes: unknown options, further words
};

/// Errors: InvalidArgument, e.g. an option without its value.
Status split_words(std::span<const WordRule> rules, const std::vector<std::string>& words, SplitWords* out);

}  // namespace et::cli
