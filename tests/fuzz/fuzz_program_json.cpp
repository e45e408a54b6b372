// Any bytes as the JSON of a program, as a stack trace and as a module stack. Holds two invariants: what simdjson
// takes, the fault finder takes too; rewriting leaves strict JSON as it is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/json.h"
#include "base/json_text.h"
#include "etrecord/graph_walk.h"
#include "etrecord/program_json.h"
#include "etrecord/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace et;
  using namespace et::etrecord;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<Program> programs(1);
  std::vector<Problem> problems;
  if (parse_program(text, {}, &programs, &problems).ok()) {
    for (const Program& p : programs) {
      const GraphWalk walk(p);
      for (const Node& n : p.nodes) {
        for (const Argument& a : n.inputs) (void)a.text();
      }
    }
  }
  JsonDocument document;
  if (document.parse(text, "fuzz", 1000).ok() && !document.rewritten() && find_json_fault(text, 1000)) std::abort();
  (void)parse_stack_trace(text);
  (void)parse_module_stack(text);
  return 0;
}
