#include "etdump/flat_writer.h"

#include <bit>

namespace et::etdump {

static_assert(std::endian::native == std::endian::little, "flatbuffers are little-endian and are written in place");

void FlatWriter::zeros(size_t count) {
  size_ += count;
  if (size_ <= room_ && end_ != nullptr) std::memset(end_ - size_, 0, count);
}

FlatWriter::Place FlatWriter::string(std::string_view text) {
  align_after(text.size() + 1, 4);
  zeros(1);
  push(text.data(), text.size());
  push32(static_cast<uint32_t>(text.size()));
  return here();
}

FlatWriter::Place FlatWriter::bytes(const void* data, size_t count) {
  align_after(count, 4);
  if (count != 0) push(data, count);
  push32(static_cast<uint32_t>(count));
  return here();
}

FlatWriter::Place FlatWriter::int64s(const int64_t* values, size_t count) {
  align_after(0, 8);
  if (count != 0) push(values, count * sizeof(int64_t));
  push32(static_cast<uint32_t>(count));
  return here();
}

FlatWriter::Place FlatWriter::int64s(const int32_t* values, size_t count) {
  align_after(0, 8);
  for (size_t i = count; i > 0; --i) {
    const int64_t wide = values[i - 1];
    push(&wide, sizeof wide);
  }
  push32(static_cast<uint32_t>(count));
  return here();
}

FlatWriter::Place FlatWriter::slots(size_t count) {
  align(4);
  zeros(4 * count);
  push32(static_cast<uint32_t>(count));
  return here();
}

FlatWriter::Place FlatWriter::slots_set_before(size_t count) {
  align(4);
  size_ += 4 * count;
  push32(static_cast<uint32_t>(count));
  return here();
}

void FlatWriter::set_slot(Place vector, size_t i, Place target) {
  const uint64_t at = vector - 4 - 4 * static_cast<uint64_t>(i);
  const uint32_t step = static_cast<uint32_t>(at) - target;
  if (size_ <= room_ && end_ != nullptr) std::memcpy(end_ - at, &step, sizeof step);
}

void FlatWriter::start_table() {
  table_from_ = size_;
  for (unsigned i = 0; i < fields_; ++i) field_at_[i] = 0;
  fields_ = 0;
}

void FlatWriter::refer(unsigned id, Place target) {
  if (target == 0) return;
  align(4);
  push32(here() + 4 - target);
  field(id);
}

FlatWriter::Place FlatWriter::end_table() {
  align(4);
  push32(0);
  const Place table = here();
  Shape shape;
  shape.bytes = static_cast<uint16_t>(4 + 2 * fields_);
  shape.vtable[0] = shape.bytes;
  shape.vtable[1] = static_cast<uint16_t>(size_ - table_from_);
  for (unsigned i = 0; i < fields_; ++i) {
    shape.vtable[2 + i] = field_at_[i] == 0 ? uint16_t{0} : static_cast<uint16_t>(table - field_at_[i]);
  }
  Place use = 0;
  for (unsigned i = 0; i < shapes_ && use == 0; ++i) {
    if (shape_[i].bytes == shape.bytes && std::memcmp(shape_[i].vtable, shape.vtable, shape.bytes) == 0) {
      use = shape_[i].place;
    }
  }
  if (use == 0) {
    push(shape.vtable, shape.bytes);
    use = shape.place = here();
    if (shapes_ < kShapes) shape_[shapes_++] = shape;
  }
  const int32_t back = static_cast<int32_t>(use - table);
  if (size_ <= room_ && end_ != nullptr) std::memcpy(end_ - table, &back, sizeof back);
  return table;
}

void FlatWriter::finish(Place root, const char* identifier) {
  align_after(12, 16);
  push(identifier, 4);
  push32(here() + 4 - root);
  push32(here());
}

}  // namespace et::etdump
