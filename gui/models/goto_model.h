// Go to anything: everything that has a name, found by a part of it: operators, ops, modules and those that repeat,
// graph nodes, source lines, findings, executions, panels, traces of the store, commands. No drawing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "gui/models/executions_model.h"

namespace et::gui {

struct GotoTarget {
  enum class Kind : uint8_t {
    Command,
    Panel,
    Op,
    Module,
    Line,
    Node,
    Trace,
    Type,
    Loading,
    Modules,
    Execution,
    Finding
  };
  Kind kind = Kind::Command;
  std::string text;    ///< what is searched and shown
  std::string detail;  ///< beside it: keys of a command, module of an op, class of a module
  std::string key;     ///< id of a panel, file of a line, path of a module, name of a node, operator of a type
  int64_t number = 0;  ///< index of a command, id of an op or a trace, a line, run_id of an execution
  std::string events;  ///< what it is found by as well: of an op what its events are called, and its module
  double time = 0;     ///< on the basis, where it is known: of what is alike the costliest comes first
  std::vector<std::string> members = {};         ///< of Modules: their paths
  std::optional<WantedFinding> finding = {};     ///< of a Finding that could win something
  std::string plain_text = {}, plain_more = {};  ///< as searched_text() has them; made by the model
};
/// "op", "node", …
const char* goto_kind_name(GotoTarget::Kind kind);

class GotoModel {
 public:
  /// Commands and panels as they are now; what the trace has is listed again when another one is open. Findings come
  /// when they are known.
  void refresh(Document& document, std::vector<GotoTarget> commands_and_panels);
  /// Indices for target(), the best first, at most `most`; until the next call. Without a query: commands and panels.
  const std::vector<int32_t>& search(const std::string& query, size_t most);
  const GotoTarget& target(int32_t index) const;
  /// Without the executions that a number in a query is of.
  size_t size() const { return fixed_.size() + things_.size(); }
  /// What a target of the trace selects, and the panel that shows it best. An execution or a finding has a panel alone,
  /// a command, a panel and a trace nothing.
  static Selection selection(const TraceData& data, const GotoTarget& target, std::string* panel);

 private:
  GotoTarget& add(GotoTarget::Kind kind, std::string text, std::string detail, std::string key, int64_t number);
  void list(const TraceData& data);
  void list_ops(const TraceData& data);
  void list_modules(const TraceData& data);
  void list_executions(const TraceData& data);
  void list_findings(Document& document, const std::shared_ptr<const TraceData>& data);
  void find_numbered(const std::string& query);
  GotoTarget execution_target(const TraceData& data, size_t execution) const;

  std::vector<GotoTarget> fixed_, things_, numbered_;
  std::weak_ptr<const TraceData> data_;  ///< that things_ are of
  ExecutionsModel executions_;
  uint64_t version_ = 0;
  bool listed_ = false;
  std::string query_;
  std::vector<int32_t> found_;
  JobHandle findings_job_;
};

}  // namespace et::gui
