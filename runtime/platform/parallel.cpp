#include "runtime/platform/parallel.h"

namespace et {
namespace {

constinit ParallelRun g_run = nullptr;
constinit int64_t g_threads = 1;

}  // namespace

void attach_parallel(ParallelRun run, int64_t threads) {
  g_run = run;
  g_threads = run != nullptr && threads > 1 ? threads : 1;
}

int64_t parallel_threads() { return g_threads; }

void parallel_run(int64_t count, void (*task)(void* context, int64_t i), void* context) {
  if (g_run != nullptr) return g_run(count, task, context);
  for (int64_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace et
