// Which frame of a node's stack trace its line is (`nodes.line`). The import decides with the rule Auto and writes it;
// a connection can show another rule without a new import: it puts views of its own over the store's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

enum class LineRule : uint8_t {
  Auto,       ///< as User; where that puts more than a third of the time on one line, the deeper frames there are
  User,       ///< innermost frame of the user's code, without one as Innermost
  Innermost,  ///< innermost frame outside of torch
  Outermost,  ///< outermost frame outside of torch
};
/// As the option --lines has it.
inline constexpr const char* kLineRuleNames = "auto|user|innermost|outermost";
const char* line_rule_name(LineRule rule);
std::optional<LineRule> parse_line_rule(std::string_view text);

/// At the end of an import, when links and times are in the store: changes lines as Auto wants and writes which rule
/// holds. Lines come in as User has them. Inside of the import's transaction.
Status write_line_rule(Store& store, int64_t trace_id);
/// From now on the views of this connection show the rule for the trace, 0: for all traces. The store stays as it is.
/// Errors: InvalidExternalData (damaged store).
Status show_lines(Store& store, int64_t trace_id, LineRule rule);

/// A line that is opened: its nodes are shown where the code that it calls made them.
struct OpenedLine {
  std::string file;
  int64_t line = 0;
  double share = 0;  ///< of the time that leads to lines; without times of the nodes that have one
  int64_t nodes = 0;
};
/// What the views show for a trace.
struct ShownLines {
  std::string rule = "user";  ///< a store of an older version has no other
  int64_t user_nodes = 0;     ///< nodes that are shown at a frame of the user's
  int64_t other_nodes = 0;    ///< nodes without one
  std::vector<OpenedLine> opened;
  /// "lines are …": which frame a report shows, in a sentence; "" when no node has a line.
  std::string text() const;
};
ShownLines shown_lines(const Store& store, int64_t trace_id);
/// Whose code each file of a trace is, as `source_files.owner`; empty where the store does not say.
std::map<std::string, std::string, std::less<>> owners_of_files(const Store& store, int64_t trace_id);

}  // namespace et::inspector
