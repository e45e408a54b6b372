// Joins ops with graph nodes: many to many, each link with how it is known and how sure it is. What finds no node is
// listed with the reason. Nothing is matched by substring.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

class Linker {
 public:
  Linker(ImportContext& context, const RecordImport& record, ProgramImport& program)
      : context_(context), record_(record), program_(program) {}

  /// Names backends and delegates of a block's ops, and checks that record and program belong to the trace.
  /// Call when the block's method is known.
  void identify(Trace& trace, Block& block);
  /// Links all ops. Call after all blocks are read.
  void link(Trace& trace);

  /// The program is known to be another one (its hash differs): its facts are kept out of the links.
  void distrust_program() { mismatch_ = program_foreign_ = true; }
  bool mismatch() const { return mismatch_; }

 private:
  struct MethodIndex;  // what is computed once a method

  void link_block(Trace& trace, Block& block);
  void link_kernels(Trace& trace, const Block& block, const MethodIndex& index);
  void link_delegate_calls(Trace& trace, const Block& block, const MethodIndex& index);
  void link_delegate_map(Trace& trace, const Block& block, const MethodIndex& index);
  void link_xnnpack(Trace& trace, const Block& block, const MethodIndex& index, MethodFacts& method);
  void link_xnnpack_by_graph(Trace& trace, const Block& block, const MethodIndex& index);
  void link_recorded(Trace& trace, const Block& block, const MethodIndex& index, MethodFacts* method);
  void link_control_flow(Trace& trace, const Block& block, const MethodIndex& index);
  void say_why_unlinked(Trace& trace, const Block& block, const MethodIndex& index);
  const MethodIndex& index_of(const std::string& method);
  bool record_usable(const Block& block) const;
  bool program_usable(const Block& block) const;

  ImportContext& context_;
  const RecordImport& record_;
  ProgramImport& program_;
  bool mismatch_ = false;
  bool program_foreign_ = false;
  std::map<int32_t, bool> record_mismatch_, program_mismatch_;  // by block ordinal
  std::map<std::string, std::shared_ptr<MethodIndex>> indexes_;
};

/// Spreads each op's self time over its surest links.
void assign_weights(Trace& trace);

}  // namespace et::inspector
