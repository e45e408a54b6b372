#include "runtime/backends/xnnpack/compute/memory.h"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/mman.h>
#define ET_XNN_SLABS 1
#endif

namespace et::xnn {
namespace {

constexpr std::align_val_t kAlignment{64};

#if defined(ET_XNN_SLABS)

/// Weights are often smaller than a large page, so that several share a slab. A slab is a multiple of its size in
/// memory, which leads from a block to its slab.
constexpr size_t kSlab = size_t{64} << 20;
constexpr size_t kHeader = 64;
constexpr size_t kPage = 4096;
/// Smaller blocks are no business of pages, larger ones waste a slab.
constexpr size_t kMinBlock = size_t{64} << 10, kMaxBlock = kSlab / 4;

struct Slab {
  size_t used, live;  // bytes given out so far, header included; blocks in use
};

class Slabs {
 public:
  void* allocate(size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (current_ == nullptr || current_->used + bytes > kSlab) {
      Slab* const fresh = map();
      if (fresh == nullptr) return nullptr;
      current_ = fresh;
    }
    uint8_t* const block = reinterpret_cast<uint8_t*>(current_) + current_->used;
    current_->used += bytes;
    ++current_->live;
    return block;
  }

  void free(void* memory, size_t bytes) {
    const auto at = reinterpret_cast<uintptr_t>(memory);
    Slab* const slab = reinterpret_cast<Slab*>(at / kSlab * kSlab);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--slab->live == 0) {
      if (slab == current_) current_ = nullptr;
      munmap(slab, kSlab);
      return;
    }
    const uintptr_t begin = (at + kPage - 1) / kPage * kPage, end = (at + bytes) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }

 private:
  static Slab* map() {
    void* const twice =
        mmap(nullptr, 2 * kSlab, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (twice == MAP_FAILED) return nullptr;
    const auto from = reinterpret_cast<uintptr_t>(twice);
    const uintptr_t begin = (from + kSlab - 1) / kSlab * kSlab, rest = from + 2 * kSlab - (begin + kSlab);
    if (begin != from) munmap(twice, begin - from);
    if (rest != 0) munmap(reinterpret_cast<void*>(begin + kSlab), rest);
    madvise(reinterpret_cast<void*>(begin), kSlab, MADV_HUGEPAGE);
    return new (reinterpret_cast<void*>(begin)) Slab{kHeader, 0};
  }

  std::mutex mutex_;
  Slab* current_ = nullptr;
};

Slabs& slabs() {
  static Slabs* const all = new Slabs;  // weights may go while the process ends
  return *all;
}
bool in_slab(size_t bytes) { return bytes >= kMinBlock && bytes <= kMaxBlock; }

#endif

}  // namespace

void* allocate_zeroed(size_t bytes) {
#if defined(ET_XNN_SLABS)
  if (in_slab(bytes)) return slabs().allocate(bytes);
  if (bytes > kMaxBlock) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
  }
#endif
  void* const memory = ::operator new(bytes, kAlignment, std::nothrow);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}

void free_zeroed(void* memory, size_t bytes) {
#if defined(ET_XNN_SLABS)
  if (in_slab(bytes)) return slabs().free(memory, bytes);
  if (bytes > kMaxBlock) return static_cast<void>(munmap(memory, bytes));
#endif
  static_cast<void>(bytes);
  ::operator delete(memory, kAlignment);
}

}  // namespace et::xnn

#undef ET_XNN_SLABS
