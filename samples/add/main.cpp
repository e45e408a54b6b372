// The smallest host: loads add.pte, adds two numbers, writes a trace.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "etdump/etdump_gen.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "usage: add PROGRAM.pte X Y ETDUMP\n"), 2;
  float x = std::strtof(argv[2], nullptr);
  float y = std::strtof(argv[3], nullptr);
  et::Module module(argv[1], et::Module::LoadMode::Mmap, std::make_unique<et::etdump::ETDumpGen>());
  auto outputs = module.forward({et::from_blob(&x, {1}), et::from_blob(&y, {1})});
  if (!outputs.ok()) return std::fprintf(stderr, "%s: %s\n", argv[1], et::error_name(outputs.error())), 1;
  std::printf("%g\n", static_cast<double>(outputs->at(0).toTensor().const_data_ptr<float>()[0]));

  auto trace = static_cast<et::etdump::ETDumpGen*>(module.event_tracer())->get_etdump_data();
  std::FILE* file = std::fopen(argv[4], "wb");
  const bool written = file != nullptr && std::fwrite(trace.buf, 1, trace.size, file) == trace.size;
  if (file != nullptr) std::fclose(file);
  std::free(trace.buf);
  return written ? 0 : 1;
}
