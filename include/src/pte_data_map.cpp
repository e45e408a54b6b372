#include "executorch/runtime/executor/pte_data_map.h"

#include "executorch/runtime/platform/log.h"
#include "executorch/schema/program_generated.h"

namespace executorch::runtime::internal {

Result<PteDataMap> PteDataMap::create(DataLoader* loader, size_t segment_base_offset,
                                      const flatbuffers::FlatbufferNamedData* named_data,
                                      const flatbuffers::FlatbufferDataSegment* segments) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr && named_data != nullptr && segments != nullptr, InvalidArgument,
                           "named data: expected a loader and a program with named data and segments, got null");
  return PteDataMap(loader, segment_base_offset, named_data, segments);
}

Result<FreeableBuffer> PteDataMap::get_data(std::string_view key) const {
  for (uint32_t i = 0; i < named_data_->size(); ++i) {
    const executorch_flatbuffer::NamedData* item = named_data_->Get(i);
    if (item->key() == nullptr || item->key()->string_view() != key) continue;
    const uint32_t index = item->segment_index();
    ET_CHECK_OR_RETURN_ERROR(index < segments_->size(), InvalidArgument,
                             "named data %s: expected a segment below %u, got %u", item->key()->c_str(),
                             static_cast<unsigned>(segments_->size()), static_cast<unsigned>(index));
    const executorch_flatbuffer::DataSegment* segment = segments_->Get(index);
    return loader_->load(segment_base_offset_ + segment->offset(), segment->size(),
                         DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Constant));
  }
  return Error::NotFound;
}

Result<uint32_t> PteDataMap::get_num_keys() const { return named_data_->size(); }

Result<const char*> PteDataMap::get_key(uint32_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < named_data_->size(), InvalidArgument, "named data: expected a key below %u, got %u",
                           static_cast<unsigned>(named_data_->size()), static_cast<unsigned>(index));
  const flatbuffers::String* key = named_data_->Get(index)->key();
  ET_CHECK_OR_RETURN_ERROR(key != nullptr, InvalidArgument, "named data %u has no key", static_cast<unsigned>(index));
  return key->c_str();
}

}  // namespace executorch::runtime::internal
