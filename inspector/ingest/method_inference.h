// Which method a block ran. Our own ETDumps say it; upstream's never do, so ETRecord and program are compared with the
// block's instructions. Says how it knows, how sure it is, and when the files belong to something else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

/// How well the events of a block agree with one method of a file.
struct Agreement {
  int64_t checked = 0;         // events that could be compared
  int64_t contradictions = 0;  // events that cannot be of this method
  int64_t missing = 0;         // instructions that a whole execution must have visited, and did not
  int64_t unknown = 0;         // kernels of which the file says nothing
  int64_t in_bodies = 0;       // kernels in bodies of control flow, which have no handles
  int64_t foreign_bodies = 0;  // those of operators that no body of the file has
  std::string first;           // the first contradiction, for a person

  /// A few contradictions are passes of the exporter's own.
  bool possible() const {
    return (contradictions == 0 || contradictions * 4 < checked) && foreign_bodies * 4 <= in_bodies;
  }
};

Agreement agree_with_program(const Trace& trace, const Block& block, const MethodFacts& method);
Agreement agree_with_record(const Trace& trace, const Block& block, const RecordImport& record,
                            const std::string& method);
/// Delegate events of the block that have no counterpart in the method's payloads.
int64_t unmatched_payload_events(const Trace& trace, const Block& block, const MethodFacts& method);
/// The same without a program: how badly they fit the graph of a method.
int64_t unmatched_graph_events(const Trace& trace, const Block& block, const RecordImport& record,
                               const std::string& method, std::span<const PayloadKind> kinds);

/// Fills block.method, method_via and method_confidence.
/// `given`: the method that the caller says ran, or "".
void infer_method(const Trace& trace, Block& block, const RecordImport& record, const ProgramImport& program,
                  const std::string& given = "");

}  // namespace et::inspector
