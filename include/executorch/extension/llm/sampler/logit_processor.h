// LogitProcessor: changes the logits before a token is chosen, for instance to forbid some.
#pragma once

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch::extension::llm {

class LogitProcessor {
 public:
  virtual ~LogitProcessor() = default;
  /// Of [batch, vocabulary] or [batch, positions, vocabulary], in place; what counts is the last position.
  virtual ::executorch::runtime::Error process(::executorch::aten::Tensor logits) = 0;
};

}  // namespace executorch::extension::llm
