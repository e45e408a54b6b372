#include "runtime/module/shared_arenas.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/platform/log.h"

namespace et {
namespace {

constexpr size_t kArenaAlignment = 64;
constexpr int64_t kMaxBytes = int64_t{1} << 36;  // more is a damaged program

// Calls f(offset, bytes) for each tensor that a method keeps in the state arena.
template <class F>
void for_each_state(const MethodMeta& meta, const F& f) {
  const format::Method& m = meta.view();
  for (uint32_t i = 0; i < m.value_count(); ++i) {
    const format::Value value = m.value(i);
    if (value.kind() != format::ValueKind::Tensor) continue;
    const format::TensorView t = value.as_tensor();
    if (!t.has_allocation() || t.allocation().memory_id != SharedArenas::kStateId) continue;
    if (t.fully_qualified_name().empty() && t.data_buffer_idx() == 0) continue;
    f(t.allocation().offset, t.nbytes());
  }
}

}  // namespace

Error SharedArenas::plan(const Program& program, bool all) {
  size_t with_state = 0;
  int64_t most[kStateId + 1] = {};
  for (size_t i = 0; i < program.num_methods(); ++i) {
    const MethodMeta meta(program.view().method(static_cast<uint32_t>(i)));
    bool has_state = false;
    for_each_state(meta, [&](uint64_t, uint64_t) { has_state = true; });
    with_state += has_state;
    for (uint32_t id = 1; id <= kStateId && id <= meta.num_memory_planned_buffers(); ++id) {
      most[id] = std::max(most[id], *meta.memory_planned_buffer_size(id - 1));
    }
  }
  for (uint32_t id = 1; id <= kStateId; ++id) {
    if (most[id] <= 0 || !(all || (id == kStateId && with_state >= 2))) continue;
    std::unique_ptr<uint8_t[]> memory;
    if (most[id] <= kMaxBytes) {
      memory.reset(new (std::nothrow) uint8_t[static_cast<size_t>(most[id]) + kArenaAlignment]());
    }
    ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed, "shared arena %u: cannot allocate %lld bytes",
                             static_cast<unsigned>(id), static_cast<long long>(most[id]));
    auto* start = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory.get()) + kArenaAlignment - 1) &
                                             ~(uintptr_t{kArenaAlignment} - 1));
    arenas_.push_back({id, std::move(memory), {start, static_cast<size_t>(most[id])}});
  }
  return Error::Ok;
}

std::vector<MethodArenas::Given> SharedArenas::given() const {
  std::vector<MethodArenas::Given> given;
  for (const Arena& arena : arenas_) given.push_back({arena.id, arena.bytes});
  return given;
}

SharedArenas::Arena* SharedArenas::state() {
  for (Arena& arena : arenas_) {
    if (arena.id == kStateId) return &arena;
  }
  return nullptr;
}

void SharedArenas::before_load() {
  held_.clear();
  const Arena* arena = state();
  if (arena != nullptr && !known_.empty()) held_.assign(arena->bytes.begin(), arena->bytes.end());
}

void SharedArenas::load_failed() {
  if (!held_.empty()) std::memcpy(state()->bytes.data(), held_.data(), held_.size());
}

void SharedArenas::after_load(const MethodMeta& meta) {
  const Arena* arena = state();
  if (arena == nullptr) return;
  // The arena is as long as the largest method says, and tensors were checked against that when they were loaded.
  for (const Range& r : known_) {
    if (r.offset + r.size <= held_.size()) {
      std::memcpy(arena->bytes.data() + r.offset, held_.data() + r.offset, static_cast<size_t>(r.size));
    }
  }
  for_each_state(meta, [&](uint64_t offset, uint64_t size) {
    if (offset <= arena->bytes.size() && size <= arena->bytes.size() - offset) {
      known_.push_back({meta.name(), offset, size});
    }
  });
}

void SharedArenas::unloaded(const MethodMeta& meta) {
  const char* name = meta.name();
  std::erase_if(known_, [&](const Range& r) { return r.owner == name; });
  const Arena* arena = state();
  if (arena != nullptr && known_.empty()) std::memset(arena->bytes.data(), 0, arena->bytes.size());
}

}  // namespace et
