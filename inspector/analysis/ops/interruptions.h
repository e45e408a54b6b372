// Times when the processor was taken from an op: in sums and means, and in single slow executions, they would be taken
// for time of the op. What counts as one is what the notes on executions call so (execution_notes.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// An op that takes so many times what it takes otherwise was not slow.
inline constexpr double kInterrupted = 20;
/// Of what an execution took more: so much in one op, and that op held it up.
inline constexpr double kHeldUp = 0.5;

struct Interruption {
  size_t op = 0;      ///< index in OpTable::ops
  int64_t count = 0;  ///< executions
  double ticks = 0;   ///< of the op's cost on the basis, beyond what it takes otherwise
};

/// Those in the costs of a table that make an execution a quarter longer or more, the longest first. None on the warm
/// median, which leaves them out by itself, of a cold execution, whose ops have reasons of their own, and of a range,
/// which somebody chose to see. Errors: InvalidExternalData (damaged store).
Status find_interruptions(const Store& store, const OpTable& shown, std::vector<Interruption>* out);

/// The same ops without that time; it stays in the cost of their blocks, as variation.
OpTable without_interruptions(const OpTable& shown, const std::vector<Interruption>& found);

/// "1 interruption, 149 µs of the mean in aten.any.dim", "3 interruptions, …, the most in aten.linear"; "" without one.
std::string interruptions_text(const OpTable& shown, const std::vector<Interruption>& found);
/// "Left out, as no change of the model saves it: 1 interruption, …"; "" without one.
std::string left_out_text(const OpTable& shown, const std::vector<Interruption>& found);

}  // namespace et::inspector
