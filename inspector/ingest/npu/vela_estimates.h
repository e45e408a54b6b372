// What Vela writes beside its output: the estimate of each operator that it compiled for an Ethos-U. Two files say it:
// the table of --verbose-performance (`*_per-layer.csv`), and the debug database of --enable-debug-db
// (`*_debug.xml`), which also says at which command of the stream each operator begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace et::inspector {

/// Cycles of the NPU's clock.
struct VelaOperator {
  int64_t id = -1;                       // in the database; the table has none
  std::string type;                      // "Conv2D", "DepthwiseConv2D", "AvgPool"
  std::string name;                      // of the tensor that it makes, as the TOSA graph calls it
  std::optional<int64_t> cycles;         // all: the larger of the next two, by and large
  std::optional<int64_t> npu_cycles;     // of computing
  std::optional<int64_t> memory_cycles;  // of the busiest memory
  std::string memory;                    // which one that is: "Sram"
  std::optional<int64_t> macs, staging_bytes;
  std::optional<int64_t> cascaded_into;  // id of the operator that it runs as a part of

  /// Its multiplications are in the command stream, too.
  bool multiplies() const;
};

/// An entry of the command queue: an operator may have many.
struct VelaQueueEntry {
  int64_t offset = 0;  // bytes from the first command of the stream
  size_t op = 0;       // index into VelaEstimates::operators
};

struct VelaEstimates {
  std::vector<VelaOperator> operators;  // in the order of execution
  std::vector<VelaQueueEntry> queue;    // by offset; empty of the table
};

struct DelegateFacts;

/// What is kept between the stages of an import.
struct LoadedVela {
  VelaEstimates estimates;
  DelegateFacts* delegate = nullptr;  // whose estimates they are
};

/// Either file, told apart by its beginning. `path` is for messages.
/// Errors: InvalidExternalData with line and cause.
Status read_vela_estimates(std::string_view text, const std::string& path, VelaEstimates* out);

}  // namespace et::inspector
