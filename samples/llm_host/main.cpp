// A text generator: reads a prompt, feeds nanogpt.pte with it token by token, prints what follows, and leaves a trace
// of all runs in etdump.etdp.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "basic_sampler.h"
#include "basic_tokenizer.h"

#include "etdump/etdump_gen.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"
#include "runtime/platform/log.h"

using et::EValue;
using et::from_blob;
using et::Module;
using et::ScalarType;
using et::Tensor;
using et::etdump::ETDumpGen;
using et::etdump::ETDumpResult;

// GPT-2's token for the end of a text.
#define ENDOFTEXT_TOKEN 50256

std::string generate(Module& llm_model, std::string& prompt, BasicTokenizer& tokenizer, BasicSampler& sampler,
                     size_t max_input_length, size_t max_output_length) {
  std::vector<int64_t> input_tokens = tokenizer.encode(prompt);
  std::vector<int64_t> output_tokens;

  for (auto i = 0u; i < max_output_length; i++) {
    // The tensor only points to the tokens: nothing is copied.
    auto inputs = from_blob(input_tokens.data(), {1, static_cast<int>(input_tokens.size())}, ScalarType::Long);

    auto logits_evalue = llm_model.forward(inputs);
    if (!logits_evalue.ok()) {
      ET_LOG(Error, "inference failed: error 0x%x", static_cast<unsigned>(logits_evalue.error()));
      std::exit(1);
    }

    Tensor logits_tensor = logits_evalue.get()[0].toTensor();
    std::vector<float> logits(logits_tensor.data_ptr<float>(), logits_tensor.data_ptr<float>() + logits_tensor.numel());

    int64_t next_token = sampler.sample(logits);
    if (next_token == ENDOFTEXT_TOKEN) {
      break;
    }
    output_tokens.push_back(next_token);
    std::cout << tokenizer.decode({next_token});
    std::cout.flush();

    // The model sees its own output; what is too old drops out.
    input_tokens.push_back(next_token);
    if (input_tokens.size() > max_input_length) {
      input_tokens.erase(input_tokens.begin());
    }
  }

  std::cout << std::endl;
  return tokenizer.decode(output_tokens);
}

int main() {
  std::cout << "Enter model prompt: ";
  std::string prompt;
  std::getline(std::cin, prompt);

  BasicTokenizer tokenizer("vocab.json");
  BasicSampler sampler = BasicSampler();
  Module model("nanogpt.pte", Module::LoadMode::MmapUseMlockIgnoreErrors, std::make_unique<ETDumpGen>());

  const auto max_input_tokens = 1024;
  const auto max_output_tokens = 30;
  std::cout << prompt;
  generate(model, prompt, tokenizer, sampler, max_input_tokens, max_output_tokens);

  ETDumpGen* etdump_gen = static_cast<ETDumpGen*>(model.event_tracer());
  ET_LOG(Info, "ETDump: %zu blocks", etdump_gen->get_num_blocks());
  ETDumpResult result = etdump_gen->get_etdump_data();
  if (result.buf != nullptr && result.size > 0) {
    FILE* file = fopen("etdump.etdp", "wb");
    if (file != nullptr) {
      fwrite(result.buf, 1, result.size, file);
      fclose(file);
    }
    free(result.buf);
  }
}
