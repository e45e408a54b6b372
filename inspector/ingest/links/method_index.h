// What the links need to know of a method, computed once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"

namespace et::inspector {

struct MethodIndex {
  const MethodGraph* graph = nullptr;  // null: the ETRecord has no graph of this method

  // Handle → non-delegated instructions that carry it, in order; with the kernel each calls where it is known.
  std::map<int64_t, std::vector<int64_t>> instructions_of_handle;
  std::map<int64_t, std::string> kernel_of_instruction;          // base names
  std::map<int64_t, std::vector<int64_t>> sizes_of_instruction;  // of what kernels return, where the program says it
  std::set<int64_t> mapped_handles;                              // in any entry of the ETRecord's map

  const std::vector<int32_t>& nodes(int64_t handle) const { return graph->walk->nodes_of_handle(handle); }
  /// Those outside or inside of delegate calls, where the ETRecord says which (made after the partition); else all.
  std::vector<int32_t> nodes(int64_t handle, bool delegated) const;
};

MethodIndex make_method_index(const std::string& method, const RecordImport& record, const ProgramImport& program);

}  // namespace et::inspector
