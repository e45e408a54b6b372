// TOSA payloads as the interpreter takes them: loaded, and executed once with zeros within small limits.
#include <vector>

#include "runtime/backends/tosa/graph.h"
#include "tests/fuzz/aligned_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  const et::tosa::Limits limits{.bytes = 1 << 22, .iterations = 4, .work = 1 << 18, .depth = 3};
  std::unique_ptr<et::tosa::Graph> graph;
  std::string error;
  if (et::tosa::Graph::load(input.bytes(), limits, &graph, &error) != et::Error::Ok) return 0;
  et::tosa::Block& main = graph->main();
  size_t bytes = 0;
  for (size_t i = 0; i < main.inputs.size(); ++i) bytes += main.input(i).bytes();
  for (size_t i = 0; i < main.outputs.size(); ++i) bytes += main.output(i).bytes();
  if (bytes > limits.bytes) return 0;
  std::vector<std::vector<uint64_t>> memory;
  std::vector<const uint8_t*> in;
  std::vector<uint8_t*> out;
  const auto give = [&](const et::tosa::Value& v) {
    memory.emplace_back(v.bytes() / 8 + 1);
    return reinterpret_cast<uint8_t*>(memory.back().data());
  };
  for (size_t i = 0; i < main.inputs.size(); ++i) in.push_back(give(main.input(i)));
  for (size_t i = 0; i < main.outputs.size(); ++i) out.push_back(give(main.output(i)));
  et::tosa::Run run(nullptr, graph->limits());
  static_cast<void>(run.block(main, in, out));
  return 0;
}
