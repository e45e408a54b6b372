// Continues a text: `prefill` reads the prompt at once, `decode` each new token; both write one KV cache. The trace
// says which execution was which.
#include <sentencepiece_processor.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "etdump/etdump_gen.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"

namespace {

constexpr int64_t kPositions = 128 - 32;  // of the cache, less the longest prompt

/// The most likely token after `tokens`, which begin at `position`; -1 when the method fails.
int64_t next(et::Module& model, const char* method, std::vector<int64_t> tokens, int64_t position) {
  auto input = et::from_blob(tokens.data(), {1, static_cast<int>(tokens.size())}, et::ScalarType::Long);
  auto at = et::from_blob(&position, {1}, et::ScalarType::Long);
  auto outputs = model.execute(method, {input, at});
  if (!outputs.ok()) {
    std::fprintf(stderr, "%s at position %lld: %s\n", method, static_cast<long long>(position),
                 et::error_name(outputs.error()));
    return -1;
  }
  const et::Tensor logits = outputs->at(0).toTensor();
  const auto* first = logits.const_data_ptr<float>();
  return std::max_element(first, first + logits.numel()) - first;
}

int write_trace(et::etdump::ETDumpGen& tracer, const char* path) {
  const et::etdump::ETDumpResult trace = tracer.get_etdump_data();
  std::FILE* file = std::fopen(path, "wb");
  const bool written = file != nullptr && std::fwrite(trace.buf, 1, trace.size, file) == trace.size;
  if (file != nullptr) std::fclose(file);
  std::free(trace.buf);
  return written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: llm_kv_cache MODEL.pte TOKENIZER.model PROMPT TOKENS ETDUMP\n");
    return 2;
  }
  sentencepiece::SentencePieceProcessor tokenizer;
  if (const auto status = tokenizer.Load(argv[2]); !status.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[2], status.ToString().c_str());
    return 3;
  }
  const std::vector<int> pieces = tokenizer.EncodeAsIds(argv[3]);
  if (pieces.size() < 2 || pieces.size() > 32) {
    std::fprintf(stderr, "PROMPT: expected 2 to 32 tokens, got %zu\n", pieces.size());
    return 2;
  }
  auto owned = std::make_unique<et::etdump::ETDumpGen>();
  et::etdump::ETDumpGen& tracer = *owned;
  et::Module model(argv[1], et::Module::LoadMode::Mmap, std::move(owned));
  std::vector<int> text = pieces;
  tracer.set_phase("prefill");
  int64_t token = next(model, "prefill", {pieces.begin(), pieces.end()}, 0);
  tracer.set_phase("decode");
  for (int i = 1; token >= 0; ++i) {
    text.push_back(static_cast<int>(token));
    if (i >= std::atoi(argv[4]) || static_cast<int64_t>(text.size()) >= kPositions) break;
    token = next(model, "decode", {token}, static_cast<int64_t>(text.size()) - 1);
  }
  std::printf("%s\n", tokenizer.DecodeIds(text).c_str());
  return token < 0 ? 1 : write_trace(tracer, argv[5]);
}
