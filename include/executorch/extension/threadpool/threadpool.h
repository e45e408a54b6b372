// ThreadPool: the threads of the kernels.
#pragma once

#include "runtime/threadpool/threadpool.h"

namespace executorch::extension::threadpool {
using ::et::threadpool::get_threadpool;
using ::et::threadpool::NoThreadPoolGuard;
using ::et::threadpool::ThreadPool;
}  // namespace executorch::extension::threadpool
namespace torch::executorch::threadpool {
using ::executorch::extension::threadpool::get_threadpool;
using ::executorch::extension::threadpool::NoThreadPoolGuard;
using ::executorch::extension::threadpool::ThreadPool;
}  // namespace torch::executorch::threadpool
