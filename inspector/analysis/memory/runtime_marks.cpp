#include "inspector/analysis/memory/runtime_marks.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

namespace et::inspector {
namespace {

/// What executions of one method have.
struct MethodMarks {
  std::string method;
  bool load = false;
  std::vector<RuntimeArena> marks;
};

void add_mark(std::string_view name, int64_t capacity, int64_t high_water, MethodMarks* of) {
  auto at = std::find_if(of->marks.begin(), of->marks.end(), [&](const RuntimeArena& m) { return m.name == name; });
  if (at == of->marks.end()) at = of->marks.insert(at, {of->method, std::string(name), capacity, high_water, 0});
  at->capacity = std::max(at->capacity, capacity);
  at->high_water = std::max(at->high_water, high_water);
  ++at->executions;
}

}  // namespace

// Several marks an execution: scanned and added up here, since a join and a grouping would look up and sort millions.
Status load_runtime_marks(const Store& store, int64_t trace_id, std::vector<RuntimeArena>* out) {
  std::vector<MethodMarks> methods(1);                   // the first: of executions whose method is not known
  std::unordered_map<int64_t, size_t> of_block, of_run;  // indices into it
  Statement blocks = store.query("SELECT block_id, coalesce(method, ''), kind FROM blocks WHERE trace_id = ?1");
  blocks.bind_all(trace_id);
  while (blocks.step()) {
    const MethodMarks wanted = {blocks.str(1), blocks.text(2) == "load", {}};
    auto at = std::find_if(methods.begin(), methods.end(),
                           [&](const MethodMarks& m) { return m.method == wanted.method && m.load == wanted.load; });
    if (at == methods.end()) at = methods.insert(at, wanted);
    of_block[blocks.integer(0)] = static_cast<size_t>(at - methods.begin());
  }
  if (Status s = blocks.finish("blocks"); !s.ok()) return s;

  Statement runs = store.query("SELECT run_id, block_id FROM executions WHERE trace_id = ?1");
  runs.bind_all(trace_id);
  while (runs.step()) {
    if (const auto block = of_block.find(runs.integer(1)); block != of_block.end())
      of_run[runs.integer(0)] = block->second;
  }
  if (Status s = runs.finish("executions"); !s.ok()) return s;

  Statement st = store.query("SELECT run_id, name, capacity, high_water FROM runtime_arenas WHERE trace_id = ?1");
  st.bind_all(trace_id);
  while (st.step()) {
    const auto run = of_run.find(st.integer(0));
    add_mark(st.text(1), st.integer(2), st.integer(3), &methods[run == of_run.end() ? 0 : run->second]);
  }
  if (Status s = st.finish("runtime_arenas"); !s.ok()) return s;
  for (MethodMarks& m : methods) {
    if (!m.load) out->insert(out->end(), m.marks.begin(), m.marks.end());
  }
  std::sort(out->begin(), out->end(), [](const RuntimeArena& a, const RuntimeArena& b) {
    return a.method != b.method ? a.method < b.method : a.name < b.name;
  });
  return {};
}

}  // namespace et::inspector
