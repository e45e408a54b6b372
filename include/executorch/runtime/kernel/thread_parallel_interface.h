// parallel_for: splits a range over the threads of the pool.
#pragma once

#include "executorch/runtime/core/error.h"
#include "runtime/platform/parallel.h"

namespace executorch::extension {

namespace internal {
/// The least part of a range that is worth a thread.
inline constexpr int64_t GRAIN_SIZE = 32768;
/// The whole range on the calling thread.
template <class F>
bool parallel_for_no_threadpool(int64_t begin, int64_t end, int64_t grain_size, const F& f) {
  if (begin < 0 || end < begin || grain_size <= 0) return false;
  f(begin, end);
  return true;
}
}  // namespace internal

/// f(from, to) for parts of [begin, end); false: the arguments make no range.
template <class F>
bool parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F& f) {
  if (begin < 0 || end < begin || grain_size <= 0) return false;
  ::et::parallel_for(begin, end, grain_size, f);
  return true;
}
int64_t get_thread_num();
void set_thread_num(int64_t number);

}  // namespace executorch::extension

namespace torch::executor {
using ::executorch::extension::get_thread_num;
using ::executorch::extension::parallel_for;
using ::executorch::extension::set_thread_num;
}  // namespace torch::executor
