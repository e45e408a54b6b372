// Go to anything: everything that has a name, found by a few of its letters: ops, graph nodes, source lines, modules,
// panels, traces of the store, commands. No drawing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/core/document.h"

namespace et::gui {

struct GotoTarget {
  enum class Kind : uint8_t { Command, Panel, Op, Module, Line, Node, Trace, Type, Loading };
  Kind kind = Kind::Command;
  std::string text;    ///< what is searched and shown
  std::string detail;  ///< beside it: keys of a command, line of an op, class of a module
  std::string key;     ///< id of a panel, file of a line, path of a module, name of a node, operator of a type
  int64_t number = 0;  ///< index of a command, id of an op or a trace, a line
  std::string events;  ///< of an op: what its events are called, where it is called otherwise, and its module
  double time = 0;     ///< on the basis, where it is known: of what is alike the costliest comes first
};
/// "op", "node", …
const char* goto_kind_name(GotoTarget::Kind kind);

/// How well a query fits, -1 when it does not: each of its words as fuzzy_score() has it, much better when it is there
/// as typed.
int goto_score(const std::string& query, const std::string& text);

class GotoModel {
 public:
  /// Commands and panels as they are now; what the trace has is listed again when another one is open.
  void refresh(const Document& document, std::vector<GotoTarget> commands_and_panels);
  /// Indices into targets(), the best first, at most `most`. Without a query: commands and panels.
  const std::vector<int32_t>& search(const std::string& query, size_t most);
  const GotoTarget& target(int32_t index) const;
  size_t size() const { return fixed_.size() + things_.size(); }
  /// What a target of the trace selects, and the panel that shows it best. None for a command, a panel, a trace.
  static Selection selection(const TraceData& data, const GotoTarget& target, std::string* panel);

 private:
  void list(const TraceData& data);

  std::vector<GotoTarget> fixed_, things_;
  uint64_t version_ = 0;
  bool listed_ = false;
  std::string query_;
  std::vector<int32_t> found_;
};

}  // namespace et::gui
