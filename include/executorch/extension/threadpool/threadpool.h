// ThreadPool: the threads of the kernels.
#pragma once

#include "runtime/threadpool/threadpool.h"

namespace executorch::extension::threadpool {
using ::et::threadpool::NoThreadPoolGuard;
using ::et::threadpool::ThreadPool;
using ::et::threadpool::get_threadpool;
}  // namespace executorch::extension::threadpool
namespace torch::executorch::threadpool {
using ::executorch::extension::threadpool::NoThreadPoolGuard;
using ::executorch::extension::threadpool::ThreadPool;
using ::executorch::extension::threadpool::get_threadpool;
}  // namespace torch::executorch::threadpool
