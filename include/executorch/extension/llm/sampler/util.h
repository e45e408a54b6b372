// From a model's logits to a token.
#pragma once

#include "executorch/extension/llm/sampler/sampler.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"

namespace executorch::extension::llm {

/// Of logits [vocab] or [batch, vocab] the first vocabulary, of [batch, tokens, vocab] that of the last token, which
/// the sampler overwrites. It must have been made for that vocabulary; a dtype without logits ends the process.
int32_t sample_from_logits(const executorch::aten::Tensor& logits, Sampler& sampler);
/// With a sampler of its own.
int32_t logits_to_token(const executorch::aten::Tensor& logits, float temperature = 0.0f);

}  // namespace executorch::extension::llm
