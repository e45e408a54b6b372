// What belongs to an event or a block beyond times: output shapes, temporary memory, arenas, allocations.
#include <new>

#include "etdump/etdump_gen.h"

namespace et::etdump {
namespace {

constexpr size_t kMaxSizes = 4096;  // numbers in one note

}  // namespace

void ETDumpGen::log_event_note(const EventNote& note) {
  if (!ready("log_event_note")) return;
  if (!block_has_profile_) {
    // Of an event that was lost nothing more needs to be said.
    if (run_->lost == 0) ignore("log_event_note", "there is no event to attach it to");
    return;
  }
  // Each output: rank and sizes; anything but a tensor has rank 0.
  const auto each_output = [&note](auto&& number) {
    for (const EValue* output : note.outputs) {
      const auto one = [&number](const TensorImpl* t) {
        number(t == nullptr ? 0 : static_cast<int64_t>(t->dim()));
        for (ssize_t d = 0; t != nullptr && d < t->dim(); ++d) number(t->sizes()[static_cast<size_t>(d)]);
      };
      if (output == nullptr || (!output->isTensor() && !output->isTensorList())) {
        number(int64_t{0});
      } else if (output->isTensor()) {
        one(output->payload.as_tensor.unsafeGetTensorImpl());
      } else {
        for (const Tensor& t : output->toTensorList()) one(t.unsafeGetTensorImpl());
      }
    }
  };
  size_t count = 0;
  each_output([&count](int64_t) { ++count; });
  if (count > kMaxSizes) count = 0;
  const size_t bytes = sizeof(NoteRecord) + 8 * count;
  void* at = append(bytes);
  if (at == nullptr) return;
  NoteRecord* r = new (at) NoteRecord{};
  r->kind = RecordKind::Note;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->temp_bytes = note.temp_bytes;
  r->sizes = static_cast<uint16_t>(count);
  uint64_t* to = r->values();
  if (count != 0) each_output([&to](int64_t n) { *to++ = static_cast<uint64_t>(n); });
}

void ETDumpGen::log_arena(const ArenaUse& use) {
  if (!ready("log_arena")) return;
  const Id name = use.name == nullptr ? NameTable::kNone : constant_id(use.name);
  void* at = append(sizeof(ArenaRecord));
  if (at == nullptr) return;
  ArenaRecord* r = new (at) ArenaRecord{};
  r->kind = RecordKind::Arena;
  r->words = sizeof(ArenaRecord) / 8;
  r->name = name;
  r->capacity = use.capacity;
  r->high_water = use.high_water;
}

AllocatorID ETDumpGen::track_allocator(const char* name) {
  if (!ready("track_allocator")) return 0;
  if (block_has_events_) {
    ignore("track_allocator", "allocators must be tracked before a block's first event");
    return 0;
  }
  if (run_->allocator_count == kAllocators) {
    ignore("track_allocator", "too many allocators in one block");
    return 0;
  }
  run_->allocators[run_->allocator_count] = name_id(name);
  return ++run_->allocator_count;
}

void ETDumpGen::track_allocation(AllocatorID id, size_t size) {
  if (!ready("track_allocation")) return;
  if (id == 0 || id > run_->allocator_count) return ignore("track_allocation", "no such allocator in this block");
  block_has_events_ = true;
  void* at = append(sizeof(AllocationRecord));
  if (at == nullptr) return lose_event();
  AllocationRecord* r = new (at) AllocationRecord{};
  r->kind = RecordKind::Allocation;
  r->words = sizeof(AllocationRecord) / 8;
  r->name = run_->allocators[id - 1];
  r->allocator = id;
  r->bytes = size;
  r->ticks = ticks_();
  r->event = -1;
}

}  // namespace et::etdump
