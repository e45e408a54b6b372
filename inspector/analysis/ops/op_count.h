// What a number of ops counts, in every table, text and picture: operators of the program that ran.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

/// The op that an event is counted as: a call of a kernel as the kernel that was measured in it, any other as itself.
/// nullopt: none. What the runtime takes in no instruction is no op, nor is a delegate's call whose ops were measured.
std::optional<uint32_t> counted_op(const OpTable& table, uint32_t op);

/// How many ops these events are, each once however often it is there. Indices in OpTable::ops.
int64_t count_ops(const OpTable& table, std::span<const uint32_t> ops);

/// The same with what is none of them.
struct OpCount {
  int64_t ops = 0;
  int64_t calls = 0;  ///< of delegates around their ops, of the runtime around everything
  /// "83 ops", "83 ops and 2 calls around them", "13 calls".
  std::string text() const;
};
OpCount count_ops_and_calls(const OpTable& table, std::span<const uint32_t> ops);

}  // namespace et::inspector
