// Our side of bench_decoding.py: a prompt in one execution, then one token at a time, each the likeliest of the one
// before. Prints the seconds of the prompt and of each step, by the wall and by the CPU, and the tokens.
//   et_bench_decode PROGRAM.pte --prompt FILE [--tokens N] [--threads N] [--logits FILE] [--etdump FILE]
// FILE holds the prompt's tokens as int64; --logits: where the logits behind the prompt go.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "etdump/etdump_gen.h"
#include "runtime/module/module.h"
#include "runtime/threadpool/threadpool.h"

namespace {

struct Options {
  std::string program, prompt, logits, etdump;
  size_t tokens = 128, threads = 1;
};

struct Seconds {
  double wall = 0, cpu = 0;
};

double read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
Seconds now() { return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)}; }

et::EValue tensor_of(std::vector<int64_t>& values, std::vector<int32_t> sizes, std::vector<et::TensorImpl>& impls,
                     std::vector<std::vector<int32_t>>& shapes) {
  static uint8_t order[] = {0, 1};
  shapes.push_back(std::move(sizes));
  auto& shape = shapes.back();
  shapes.push_back(shape.size() == 2 ? std::vector<int32_t>{shape[1], 1} : std::vector<int32_t>{1});
  impls.emplace_back(et::ScalarType::Long, shape.size(), shape.data(), values.data(), order, shapes.back().data());
  return et::EValue(et::Tensor(&impls.back()));
}

/// One execution; the likeliest token goes to `next`.
bool step(et::Module& module, std::vector<int64_t>& tokens, int64_t position, Seconds* took, int64_t* next,
          const std::string& logits) {
  std::vector<int64_t> at{position};
  std::vector<et::TensorImpl> impls;
  std::vector<std::vector<int32_t>> shapes;
  impls.reserve(2), shapes.reserve(4);
  const std::vector<et::EValue> inputs{tensor_of(tokens, {1, static_cast<int32_t>(tokens.size())}, impls, shapes),
                                       tensor_of(at, {1}, impls, shapes)};
  const Seconds started = now();
  auto outputs = module.forward(inputs);
  const Seconds ended = now();
  if (!outputs.ok() || outputs->empty() || !outputs->front().isTensor()) {
    std::fprintf(stderr, "position %lld: error %u\n", static_cast<long long>(position),
                 static_cast<unsigned>(outputs.error()));
    return false;
  }
  *took = {ended.wall - started.wall, ended.cpu - started.cpu};
  const et::Tensor out = outputs->front().toTensor();
  const float* values = out.const_data_ptr<float>();
  *next = std::max_element(values, values + out.numel()) - values;
  if (!logits.empty()) {
    std::ofstream(logits, std::ios::binary)
        .write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(out.nbytes()));
  }
  return true;
}

template <class T, class F>
void print_list(const char* name, const std::vector<T>& values, const F& print) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < values.size(); ++i) std::printf(i == 0 ? "" : ", "), print(values[i]);
  std::printf("]");
}

bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name[0] != '-') {
      options->program = name;
      continue;
    }
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (name == "--prompt")
      options->prompt = value;
    else if (name == "--tokens")
      options->tokens = std::strtoul(value, nullptr, 10);
    else if (name == "--threads")
      options->threads = std::strtoul(value, nullptr, 10);
    else if (name == "--logits")
      options->logits = value;
    else if (name == "--etdump")
      options->etdump = value;
    else
      return false;
  }
  return !options->program.empty() && !options->prompt.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, &options)) {
    std::fprintf(stderr,
                 "usage: %s PROGRAM.pte --prompt FILE [--tokens N] [--threads N] [--logits FILE] [--etdump FILE]\n",
                 argv[0]);
    return 2;
  }
  et::threadpool::get_threadpool()->resize(options.threads);
  std::ifstream file(options.prompt, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  std::vector<int64_t> tokens(bytes.size() / sizeof(int64_t));
  std::memcpy(tokens.data(), bytes.data(), tokens.size() * sizeof(int64_t));
  if (tokens.empty()) {
    std::fprintf(stderr, "%s: no tokens\n", options.prompt.c_str());
    return 1;
  }
  et::etdump::ETDumpGen tracer;
  et::Module module(options.program, et::Module::LoadMode::Mmap);
  if (module.load_forward(options.etdump.empty() ? nullptr : &tracer) != et::Error::Ok) {
    std::fprintf(stderr, "%s: cannot be loaded\n", options.program.c_str());
    return 1;
  }

  Seconds prompt;
  int64_t next = 0;
  auto position = static_cast<int64_t>(tokens.size());
  // Once to warm up: what is there of caches and threads is there for all sides.
  if (!step(module, tokens, 0, &prompt, &next, "") || !step(module, tokens, 0, &prompt, &next, options.logits))
    return 1;
  std::vector<int64_t> made;
  std::vector<Seconds> steps(options.tokens);
  for (Seconds& took : steps) {
    std::vector<int64_t> one{next};
    made.push_back(next);
    if (!step(module, one, position++, &took, &next, "")) return 1;
  }
  std::printf("{\"prompt\": {\"wall\": %.6f, \"cpu\": %.6f}, ", prompt.wall, prompt.cpu);
  print_list("wall", steps, [](const Seconds& s) { std::printf("%.7f", s.wall); });
  std::printf(", ");
  print_list("cpu", steps, [](const Seconds& s) { std::printf("%.7f", s.cpu); });
  std::printf(", ");
  print_list("tokens", made, [](int64_t token) { std::printf("%lld", static_cast<long long>(token)); });
  std::printf("}\n");
  if (!options.etdump.empty()) {
    const auto dump = tracer.get_etdump_data();
    std::ofstream(options.etdump, std::ios::binary)
        .write(static_cast<const char*>(dump.buf), static_cast<std::streamsize>(dump.size));
  }
  return 0;
}
