#include "runtime/module/method_arenas.h"

#include <cstdlib>
#include <cstring>

#include "runtime/platform/log.h"

namespace et {
namespace {

constexpr size_t kAlignment = 64;
// A program that asks for more than this is damaged or hostile; the system might promise the memory and then end us.
constexpr int64_t kMaxPlanned = int64_t{1} << 36;

}  // namespace

void MethodArenas::Free::operator()(uint8_t* p) const { std::free(p); }

MethodArenas::MethodArenas(std::vector<std::unique_ptr<uint8_t, Free>> owned, std::vector<Span<uint8_t>> spans,
                           MemoryAllocator* method_allocator, MemoryAllocator* temp_allocator)
    : owned_(std::move(owned)),
      spans_(std::move(spans)),
      planned_(Span<Span<uint8_t>>(spans_)),
      manager_(method_allocator != nullptr ? method_allocator : &own_method_, &planned_,
               temp_allocator != nullptr ? temp_allocator : &own_temp_) {}

std::unique_ptr<MethodArenas> MethodArenas::around(const HierarchicalAllocator& planned,
                                                   MemoryAllocator* method_allocator, MemoryAllocator* temp_allocator) {
  std::vector<Span<uint8_t>> spans;
  for (size_t i = 0; i < planned.buffer_count(); ++i) spans.push_back(planned.buffer(i));
  return std::unique_ptr<MethodArenas>(new MethodArenas({}, std::move(spans), method_allocator, temp_allocator));
}

Result<std::unique_ptr<MethodArenas>> MethodArenas::create(const MethodMeta& meta, const std::vector<Given>& given,
                                                           MemoryAllocator* method_allocator,
                                                           MemoryAllocator* temp_allocator) {
  std::vector<std::unique_ptr<uint8_t, Free>> owned;
  std::vector<Span<uint8_t>> spans;
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const int64_t bytes = *meta.memory_planned_buffer_size(i);
    Span<uint8_t> span;
    for (const Given& g : given) {
      if (g.memory_id == i + 1) span = g.bytes;
    }
    if (span.data() != nullptr) {
      ET_CHECK_OR_RETURN_ERROR(span.size() >= static_cast<size_t>(bytes), MemoryAllocationFailed,
                               "planned arena %zu of method %s: expected at least %lld bytes, got %zu", i + 1,
                               meta.name(), static_cast<long long>(bytes), span.size());
    } else {
      ET_CHECK_OR_RETURN_ERROR(bytes <= kMaxPlanned, MemoryAllocationFailed,
                               "planned arena %zu of method %s: %lld bytes exceed the limit of %lld", i + 1,
                               meta.name(), static_cast<long long>(bytes), static_cast<long long>(kMaxPlanned));
      const size_t rounded = (static_cast<size_t>(bytes) + 2 * kAlignment - 1) / kAlignment * kAlignment;
      auto* memory = static_cast<uint8_t*>(std::calloc(rounded + kAlignment, 1));
      ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                               "planned arena %zu of method %s: cannot allocate %lld bytes", i + 1, meta.name(),
                               static_cast<long long>(bytes));
      owned.emplace_back(memory);
      uint8_t* start =
          reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory) + kAlignment - 1) & ~(kAlignment - 1));
      span = {start, static_cast<size_t>(bytes)};
    }
    spans.push_back(span);
  }
  return std::unique_ptr<MethodArenas>(
      new MethodArenas(std::move(owned), std::move(spans), method_allocator, temp_allocator));
}

}  // namespace et
