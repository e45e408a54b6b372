// --filter: which ops a report shows. Terms separated by spaces; an op must fit all of them.
//   conv                  any of name, operator types, file:line and module contains it (case does not matter)
//   key:value             the key's text contains the value; instruction and line: equals it
//   key=value             equals it (case does not matter)
//   key>value < >= <=     numbers: line, instruction, count, share (percent), and the times self, total, mean, p50,
//   p99, max
//                         (in the trace's unit, or with ns, us, ms, s)
//   !term                 the opposite
//   "a b:c"               quotes keep spaces, and what stands in them from the start is plain text
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

class Filter {
 public:
  /// Errors: InvalidArgument, naming the term and the keys that there are.
  static Status parse(std::string_view text, Filter* out);

  bool empty() const { return terms_.empty(); }
  bool matches(const OpTable& table, const OpEntry& op) const;
  /// True when a term asks for blocks by name: then those of loading are shown as well.
  bool names_block() const;

 private:
  enum class Compare : unsigned char { Contains, Equals, Greater, Less, GreaterEqual, LessEqual };
  struct Term {
    int key = -1;  // index in the table of keys; -1: plain text
    Compare compare = Compare::Contains;
    bool negated = false;
    std::string value;  // lower case
    double number = 0;
    bool is_number = false;
  };
  static Status parse_term(std::string_view word, bool quoted, Term* out);
  static bool fits(const Term& term, const OpTable& table, const OpEntry& op);

  std::vector<Term> terms_;
};

/// Names of the keys, for help texts and shell completion.
std::vector<std::string_view> filter_keys();

}  // namespace et::inspector
