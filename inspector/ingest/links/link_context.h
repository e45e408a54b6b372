// What all links share: the files, which blocks they belong to, and one index a method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inspector/ingest/links/method_index.h"
#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

struct LinkContext {
  ImportContext& import;
  const RecordImport& record;
  ProgramImport& program;
  bool program_foreign = false;  // its hash is not the one that the ETDump names: its facts are kept out of the links
  bool mismatch = false;         // a file belongs to something else
  std::set<int32_t> record_mismatch = {}, program_mismatch = {};  // ordinals of the blocks that contradict the file
  std::map<std::string, MethodIndex> indexes = {};                // by method

  bool record_usable(const Block& block) const { return record.loaded() && !record_mismatch.contains(block.ordinal); }
  bool program_usable(const Block& block) const {
    return program.loaded() && !program_foreign && !program_mismatch.contains(block.ordinal);
  }
};

/// One call of a delegate with its events; what the links of a payload kind work on.
struct DelegateCall {
  LinkContext& context;
  Trace& trace;
  const Block& block;
  const MethodIndex& index;  // without a graph only payload nodes are of interest
  int32_t instruction = 0;
  const std::vector<int32_t>& events;  // ops, in order of appearance
  MethodFacts* method = nullptr;       // null: no usable program
  size_t delegate = 0;                 // index into method->delegates

  DelegateFacts& facts() const { return method->delegates[delegate]; }
  Op& event(size_t i) const { return op(events[i]); }
  Op& op(int32_t index_in_trace) const { return trace.ops[static_cast<size_t>(index_in_trace)]; }
  /// Handles of the calling instruction; null when the ETRecord has none.
  const std::vector<int64_t>* handles() const { return context.record.handles(block.method, instruction); }
};

/// Delegate ops of a block by instruction, in order of appearance.
std::map<int32_t, std::vector<int32_t>> delegate_events(const Trace& trace, const Block& block);
std::vector<std::string_view> event_names(const Trace& trace, const std::vector<int32_t>& ops);

/// A graph node that a delegate call's handles lead to. Not sure: the handle stands fewer times than it has nodes, so
/// some of them ran elsewhere.
struct InsideNode {
  int32_t node = 0;
  bool sure = false;
};
/// The graph nodes of a call in the order in which they were lowered; none without handles.
std::vector<InsideNode> nodes_inside(const MethodGraph& graph, const std::vector<int64_t>& handles);
std::vector<int32_t> nodes_inside(const DelegateCall& call);

/// Adds a link unless the op has a better one to that node.
void add_link(Op& op, int32_t node, Via via, double confidence);
void note_handle(Op& op, int64_t handle);

}  // namespace et::inspector
