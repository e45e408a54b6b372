// JSON of an exported program → Program. Source: ETRecord format page, "Program JSON". Takes what Python's json.dumps
// writes beyond the standard (bare Infinity and NaN, lone surrogates).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "etrecord/graph.h"

namespace et::etrecord {

struct Problem;

struct ProgramLimits {
  uint32_t max_json_depth = 4096;
  uint32_t max_delegate_depth = 8;
};

/// Parses `text` into `out[0]`, with Program::kind, member, graph_name and method as given in it, and appends the
/// programs found inside its delegate calls. DelegateCall::program is an index into `out`.
/// Errors: InvalidExternalData with member, byte offset or JSON path, and what was expected. Lesser oddities go to
/// `problems`, each kind once.
Status parse_program(std::string_view text, const ProgramLimits& limits, std::vector<Program>* out,
                     std::vector<Problem>* problems);

/// `File "<path>", line <n>, in <function>` + source lines, repeated, outermost call first.
std::vector<Frame> parse_stack_trace(std::string_view text);
/// `key,path,type` joined by `;`, split at commas outside brackets. Without the entry that says that there is no
/// module.
std::vector<ModuleEntry> parse_module_stack(std::string_view text);

}  // namespace et::etrecord
