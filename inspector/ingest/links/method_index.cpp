#include "inspector/ingest/links/method_index.h"

#include <algorithm>
#include <iterator>

#include "inspector/match/operator_name.h"

namespace et::inspector {

std::vector<int32_t> MethodIndex::nodes(int64_t handle, bool delegated) const {
  const std::vector<int32_t>& all = nodes(handle);
  std::vector<int32_t> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](int32_t n) { return (graph->node(n).lowered_in >= 0) == delegated; });
  return some.empty() ? all : some;
}

MethodIndex make_method_index(const std::string& method, const RecordImport& record, const ProgramImport& program) {
  MethodIndex index;
  index.graph = record.graph(method);
  const MethodFacts* facts = program.method(method);
  for (size_t i = 0; facts != nullptr && i < facts->instructions.size(); ++i) {
    if (!facts->instructions[i].op.empty()) {
      index.kernel_of_instruction[static_cast<int64_t>(i)] = std::string(operator_base(facts->instructions[i].op));
    }
    if (!facts->instructions[i].sizes.empty())
      index.sizes_of_instruction[static_cast<int64_t>(i)] = facts->instructions[i].sizes;
  }
  const auto& map = record.record().debug_handle_map();
  if (const auto m = map.find(method); m != map.end()) {
    for (const auto& [instruction, handles] : m->second) {
      index.mapped_handles.insert(handles.begin(), handles.end());
      if (record.delegate(method, instruction) != nullptr) continue;
      for (const int64_t h : handles) index.instructions_of_handle[h].push_back(instruction);
    }
  }
  return index;
}

}  // namespace et::inspector
