// --delegate-clock: what the events of a delegate count, and which events that is true of.
#pragma once

#include <map>
#include <set>
#include <string>

#include "etdump/delegate_clock.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

struct Clocks {
  etdump::DelegateClocks given;
  std::map<std::string, std::string> texts;  // by backend: what stands after the = of its option
  std::set<std::string> used;
};

/// Errors: an option that cannot be read.
Status parse_clocks(const IngestInputs& inputs, Clocks* out);
/// Gives the delegate events of a block their clock. Call when their backends are known.
void apply_clocks(Clocks& clocks, const Block& block, Trace& trace, ImportContext& context);
/// After the last block.
void report_unused_clocks(const Clocks& clocks, ImportContext& context);

}  // namespace et::inspector
