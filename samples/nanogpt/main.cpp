// Continues a text with one of the programs of export.py, and leaves a trace with an execution for each token.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "sampler.h"
#include "tokenizer.h"

#include "etdump/etdump_gen.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"

namespace {

constexpr size_t kContext = 64;  // the upper bound of the program's input

int write_trace(et::etdump::ETDumpGen& tracer, const char* path) {
  const et::etdump::ETDumpResult trace = tracer.get_etdump_data();
  std::FILE* file = std::fopen(path, "wb");
  const bool written = file != nullptr && std::fwrite(trace.buf, 1, trace.size, file) == trace.size;
  if (file != nullptr) std::fclose(file);
  std::free(trace.buf);
  if (!written) std::fprintf(stderr, "%s: cannot write\n", path);
  return written ? 0 : 1;
}

int generate(et::Module& model, et::etdump::ETDumpGen& tracer, std::vector<int64_t> tokens, int count,
             Sampler sampler) {
  for (int i = 0; i < count; ++i) {
    tracer.set_phase(i == 0 ? "prefill" : "decode");  // for `et-inspect llm`: what reads the prompt, what follows it
    const size_t from = tokens.size() > kContext ? tokens.size() - kContext : 0;
    auto input = et::from_blob(tokens.data() + from, {1, static_cast<int>(tokens.size() - from)}, et::ScalarType::Long);
    auto outputs = model.forward(input);
    if (!outputs.ok()) {
      std::fprintf(stderr, "token %d: %s\n", i, et::error_name(outputs.error()));
      return 1;
    }
    const et::Tensor logits = outputs->at(0).toTensor();
    tokens.push_back(sampler.pick({logits.const_data_ptr<float>(), static_cast<size_t>(logits.numel())}));
    std::fputs(decode(tokens.back()).c_str(), stdout);
  }
  std::fputs("\n", stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: nanogpt MODEL.pte PROMPT TOKENS ETDUMP [TEMPERATURE [SEED]]\n");
    return 2;
  }
  const std::vector<int64_t> prompt = encode(argv[2]);
  if (prompt.size() < 2) {
    std::fprintf(stderr, "PROMPT: expected two characters or more\n");
    return 2;
  }
  const double temperature = argc > 5 ? std::strtod(argv[5], nullptr) : 0;
  const auto seed = static_cast<uint32_t>(argc > 6 ? std::strtoul(argv[6], nullptr, 10) : 1);
  auto owned = std::make_unique<et::etdump::ETDumpGen>();
  et::etdump::ETDumpGen& tracer = *owned;
  et::Module model(argv[1], et::Module::LoadMode::Mmap, std::move(owned));
  std::fputs(argv[2], stdout);
  const int code = generate(model, tracer, prompt, std::atoi(argv[3]), Sampler(temperature, 10, seed));
  return code != 0 ? code : write_trace(tracer, argv[4]);
}
