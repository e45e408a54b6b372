// What the user looks at, shared by all panels: one thing chosen, and everything that belongs to it. Choosing an op in
// the table lights up its slices in the timeline, its nodes in the graph, its line in the source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/group.h"

namespace et::gui {

struct Selection {
  enum class Kind : uint8_t { None, Op, Node, Line, Module, Part, Range, Group, Several };
  Kind kind = Kind::None;
  std::string label;  ///< what was chosen, for the status bar: "aten.add.Tensor, instruction 4"

  int64_t op = 0;                    ///< Op: key (op_id)
  std::string node;                  ///< Node: name in the graph; for an op, its main node, "" without
  std::string file;                  ///< Line: as in the ETRecord; for an op or node, where it comes from
  int64_t line = 0;                  ///< 0: the whole file
  std::string module;                ///< Module: path, of several the first; for an op or node, its module
  std::vector<std::string> modules;  ///< Module: paths, sorted, where it stands for several that are alike
  std::string method;                ///< method of what was chosen, "" when it is not known
  bool of_method = false;            ///< Node: ops of that method alone, where several run it
  int64_t instruction = -1;          ///< Part: instruction of the delegate's call; for an op its instruction

  inspector::GroupBy by = inspector::GroupBy::Type;  ///< Group: what its ops have in common: type, op, delegate, method
  std::string group;                                 ///< Group: that, as a row of GroupBy has it

  std::vector<Selection> parts;  ///< Several: what it is made of

  int64_t start = 0, end = 0;  ///< Range: on the trace's clock, in its unit

  std::vector<int32_t> ops;        ///< indices into TraceData::table.ops, ascending: all that belongs to it
  std::vector<std::string> nodes;  ///< names, sorted

  bool empty() const { return kind == Kind::None; }
  bool has_op(int32_t index) const;
  bool has_node(const std::string& name) const;
  /// A module is chosen, and it is that one or one of several.
  bool has_module(const std::string& path) const;
  /// The same thing is chosen.
  bool same(const Selection& other) const;
};

// Each fills everything that belongs to the thing; None when the trace does not have it.
Selection select_op(const TraceData& data, int64_t op_id);
/// `method`: its ops there alone; "" for those of all methods that have such a node.
Selection select_node(const TraceData& data, const std::string& name, const std::string& method = "");
Selection select_line(const TraceData& data, const std::string& file, int64_t line);
Selection select_module(const TraceData& data, const std::string& path);
/// Several that one row or box stands for, as the layers of an encoder: `paths` in its order, the first speaks for
/// them.
Selection select_modules(const TraceData& data, const std::vector<std::string>& paths, const std::string& label);
/// A delegate's call with all that happens inside.
Selection select_part(const TraceData& data, const std::string& method, int64_t instruction);
/// The ops of executions that a row of a grouped table is made of.
Selection select_group(const TraceData& data, inspector::GroupBy by, const std::string& key);
/// Whether an op, an index of TraceData::table, is in such a row.
bool is_in_group(const TraceData& data, inspector::GroupBy by, const std::string& key, int32_t op);
/// What such a row has of an op's time, from 0 to 1: a fused op is shared among the rows of its nodes.
double part_in_group(const TraceData& data, inspector::GroupBy by, const std::string& key, int32_t op);
/// A range of time; the same whichever end comes first.
Selection select_range(const TraceData& data, int64_t start, int64_t end);
/// All of them as one: the first that is not empty says what it is, ops and nodes are those of all.
Selection union_of(const std::vector<Selection>& parts);
/// Things that have only a reason in common, as the places of a finding; one of them alone is itself.
Selection select_several(std::vector<Selection> parts, const std::string& label);
/// The same thing after the trace's data were read again.
Selection select_again(const TraceData& data, const Selection& old);

}  // namespace et::gui
