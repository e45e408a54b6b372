// Runs a program of two inputs with tracing: prints the result, the thread pool's size and the size of the dump.
#include <cstdio>
#include <cstdlib>

#include "etdump/etdump_gen.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"
#include "runtime/platform/parallel.h"
#include "runtime/threadpool/threadpool.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  et::Module model(argv[1], et::Module::LoadMode::Mmap, std::make_unique<et::etdump::ETDumpGen>());
  const auto out = model.forward({et::full({2, 3}, 2), et::full({2, 3}, 3)});
  if (!out.ok()) return 1;
  std::printf("result %g\n", out->front().toTensor().const_data_ptr<float>()[5]);
  // Attached by linking alone.
  const bool attached =
      et::parallel_threads() == static_cast<int64_t>(et::threadpool::get_threadpool()->get_thread_count());
  std::printf("pool %s\n", attached ? "attached" : "missing");
  auto* gen = static_cast<et::etdump::ETDumpGen*>(model.event_tracer());
  const size_t blocks = gen->get_num_blocks();
  const auto dump = gen->get_etdump_data();
  std::printf("dump of %zu blocks, %s\n", blocks, dump.size > 100 ? "written" : "empty");
  std::free(dump.buf);
  return 0;
}
