// What ExecuTorch's Program has beside its interface: segments and constants by the program's own tables.
#include <cstring>
#include <utility>

#include "executorch/runtime/executor/program.h"
#include "executorch/schema/program_generated.h"

namespace executorch::runtime {

Program::Program(::et::Program&& program) : ::et::Program(std::move(program)) {
  internal_program_ = executorch_flatbuffer::GetProgram(data());
}

Program::Program(DataLoader*, size_t, FreeableBuffer&&, const executorch_flatbuffer::Program* internal_program,
                 FreeableBuffer&&, std::optional<internal::PteDataMap>&&)
    : internal_program_(internal_program) {}

Result<Span<const uint8_t>> Program::segment(size_t index) const {
  ET_CHECK_OR_RETURN_ERROR(view().valid() && internal_program_->segments() != nullptr, InvalidProgram,
                           "the program has no segments");
  ET_CHECK_OR_RETURN_ERROR(view().header().segment_base_offset != 0, NotFound, "the program has no segment data");
  ET_CHECK_OR_RETURN_ERROR(index < view().segment_count(), NotFound, "segment %zu: the program has %u", index,
                           static_cast<unsigned>(view().segment_count()));
  return view().segment(static_cast<uint32_t>(index)).bytes;
}

Result<FreeableBuffer> Program::LoadSegment(const DataLoader::SegmentInfo& segment_info) const {
  const Result<Span<const uint8_t>> bytes = segment(segment_info.segment_index);
  if (!bytes.ok()) return bytes.error();
  return named_data_map().buffer(*bytes);
}

Error Program::load_mutable_subsegment_into(size_t mutable_data_segments_index, size_t offset_index, size_t size,
                                            void* buffer) const {
  const auto* all = internal_program_->mutable_data_segments();
  ET_CHECK_OR_RETURN_ERROR(all != nullptr && mutable_data_segments_index < all->size(), NotFound,
                           "the program has no mutable segment %zu", mutable_data_segments_index);
  const auto* part = all->Get(static_cast<flatbuffers::uoffset_t>(mutable_data_segments_index));
  ET_CHECK_OR_RETURN_ERROR(part->offsets() != nullptr && offset_index < part->offsets()->size(), NotFound,
                           "mutable segment %zu has no offset %zu", mutable_data_segments_index, offset_index);
  const Result<Span<const uint8_t>> bytes = segment(part->segment_index());
  if (!bytes.ok()) return bytes.error();
  const uint64_t offset = part->offsets()->Get(static_cast<flatbuffers::uoffset_t>(offset_index));
  ET_CHECK_OR_RETURN_ERROR(offset <= bytes->size() && size <= bytes->size() - offset, InvalidArgument,
                           "%zu bytes at offset %llu exceed the mutable segment of %zu bytes", size,
                           static_cast<unsigned long long>(offset), bytes->size());
  std::memcpy(buffer, bytes->data() + offset, size);
  return Error::Ok;
}

Result<const void*> Program::get_constant_buffer_data(size_t buffer_index, size_t nbytes) const {
  const auto* part = internal_program_->constant_segment();
  const auto i = static_cast<flatbuffers::uoffset_t>(buffer_index);
  if (part != nullptr && part->offsets() != nullptr && part->offsets()->size() > 0) {
    ET_CHECK_OR_RETURN_ERROR(buffer_index < part->offsets()->size(), InvalidArgument, "no constant %zu", buffer_index);
    const Result<Span<const uint8_t>> bytes = segment(part->segment_index());
    if (!bytes.ok()) return bytes.error();
    const uint64_t offset = part->offsets()->Get(i);
    ET_CHECK_OR_RETURN_ERROR(offset <= bytes->size() && nbytes <= bytes->size() - offset, InvalidArgument,
                             "constant %zu: %zu bytes exceed its segment", buffer_index, nbytes);
    return static_cast<const void*>(bytes->data() + offset);
  }
  const auto* buffers = internal_program_->constant_buffer();
  ET_CHECK_OR_RETURN_ERROR(buffers != nullptr && buffer_index < buffers->size(), InvalidArgument, "no constant %zu",
                           buffer_index);
  const auto* storage = buffers->Get(i)->storage();
  ET_CHECK_OR_RETURN_ERROR(storage != nullptr && nbytes <= storage->size(), InvalidArgument,
                           "constant %zu has fewer than %zu bytes", buffer_index, nbytes);
  return static_cast<const void*>(storage->data());
}

}  // namespace executorch::runtime
