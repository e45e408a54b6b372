// Where the tensors of a delegate call meet those of a graph. The graph's shape is that of the memory: dimensions in
// dim order. A tensor whose own shape is the graph's but whose memory lies otherwise is copied.
#pragma once

#include <string>
#include <vector>

#include "runtime/backends/tosa/graph.h"
#include "runtime/core/tensor.h"

namespace et::tosa {

/// One argument.
class Boundary {
 public:
  explicit Boundary(const Value& value) : value_(value) {}

  /// Bytes of an input as the graph reads them; valid until the next call. Null: `cause` says why.
  const uint8_t* read(const Tensor& tensor, std::string* cause);
  /// Where the graph writes an output. Null: `cause` says why. Resizes the tensor.
  uint8_t* begin_write(const Tensor& tensor, std::string* cause);
  /// Brings what was written to the tensor.
  void end_write(const Tensor& tensor);

 private:
  enum class Way : uint8_t { No, Direct, Strided, Widened };
  Way way(const Tensor& tensor, std::string* cause) const;

  const Value& value_;
  std::vector<uint8_t> copy_;
  Way way_ = Way::No;
};

}  // namespace et::tosa
