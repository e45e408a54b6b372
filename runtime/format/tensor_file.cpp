// Opens a tensor file: identifier, header, segments and the layout of every tensor.
#include "runtime/format/tensor_file.h"

#include "flat_tensor_generated.h"
#include "runtime/format/flat.h"
#include "runtime/format/tensor_facts.h"

namespace et::format {

namespace {

constexpr uint64_t kTensorHeaderAt = 8;
constexpr uint32_t kHeaderLength = 40;
constexpr uint32_t kTensorMaxRank = 16;

FileError invalid_data(uint64_t offset, const char* field, const char* expected, int64_t index = -1) {
  return failure(Error::InvalidExternalData, offset, field, expected, index);
}

FileError read_header(Span<const uint8_t> file, TensorFileHeader* out) {
  if (file.size() < kTensorHeaderAt + kHeaderLength)
    return invalid_data(0, "file", "a tensor file of at least 48 bytes");
  if (std::memcmp(file.data() + 4, "FT01", 4) != 0) {
    return invalid_data(4, "file identifier", "FT01 (this is not a tensor file of this version)");
  }
  if (std::memcmp(file.data() + kTensorHeaderAt, "FH01", 4) != 0) return invalid_data(8, "header magic", "FH01");
  out->length = read<uint32_t>(file, 12);
  if (out->length < kHeaderLength) return invalid_data(12, "header length", "at least 40 bytes");
  out->flatbuffer_offset = read<uint64_t>(file, 16);
  out->flatbuffer_size = read<uint64_t>(file, 24);
  out->segment_base_offset = read<uint64_t>(file, 32);
  out->segment_data_size = read<uint64_t>(file, 40);
  if (!inside(out->flatbuffer_offset, out->flatbuffer_size, file.size())) {
    return invalid_data(16, "header flatbuffer_offset", "a flatbuffer that ends inside the file");
  }
  if (out->segment_base_offset != 0 && out->segment_base_offset < out->flatbuffer_offset + out->flatbuffer_size) {
    return invalid_data(32, "header segment_base_offset", "an offset after the flatbuffer, or 0");
  }
  if (!inside(out->segment_base_offset, out->segment_data_size, file.size())) {
    return invalid_data(40, "header segment_data_size", "segments that end inside the file (is the file truncated?)");
  }
  return FileError::none();
}

/// Bytes of a tensor with this layout; false when the layout is invalid, with the reason in `expected`.
bool check_layout(const ptd_fb::TensorLayout& layout, uint64_t* bytes, const char** expected) {
  const auto type = static_cast<ScalarType>(layout.scalar_type());
  *expected = "a scalar type";
  if (element_size(type) == 0) return false;
  const uint32_t rank = count_of(layout.sizes());
  *expected = "at most 16 dimensions and as many entries in dim_order";
  if (rank > kTensorMaxRank || count_of(layout.dim_order()) != rank) return false;
  uint32_t seen = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    *expected = "sizes of 0 or more";
    if (layout.sizes()->Get(d) < 0) return false;
    *expected = "each dimension exactly once in dim_order";
    const uint32_t dim = layout.dim_order()->Get(d);
    if (dim >= rank || (seen >> dim & 1u) != 0) return false;
    seen |= 1u << dim;
  }
  *bytes = byte_count(element_count(span_of(layout.sizes())), type);
  *expected = "a size in bytes below 2^64";
  return *bytes != kUnboundedBytes;
}

}  // namespace

FileError TensorFile::open(Span<const uint8_t> file, TensorFile* out) {
  *out = TensorFile();
  if (!aligned(file.data(), 8)) {
    return failure(Error::InvalidArgument, 0, "buffer", "a start address that is a multiple of 8");
  }
  TensorFile opened;
  TensorFileHeader& header = opened.header_;
  if (FileError e = read_header(file, &header); !e.ok()) return e;
  // Offsets of the flatbuffer count from byte 0: the header was put between its identifier and the rest.
  const size_t flat_size = static_cast<size_t>(header.flatbuffer_offset + header.flatbuffer_size);
  if (!fits_flatbuffer(flat_size)) return invalid_data(24, "header flatbuffer_size", "a flatbuffer below 2 GiB");
  flatbuffers::Verifier verifier(file.data(), flat_size, verifier_options(flat_size));
  if (!verifier.VerifyBuffer<ptd_fb::FlatTensor>(nullptr)) {
    return invalid_data(0, "FlatTensor", "a valid flatbuffer (a table, vector or string is out of bounds)");
  }
  opened.file_ = file;
  opened.root_ = flatbuffers::GetRoot<ptd_fb::FlatTensor>(file.data());
  auto at = [&](const void* p) { return static_cast<uint64_t>(static_cast<const uint8_t*>(p) - file.data()); };

  const auto* segments = opened.root_->segments();
  for (uint32_t i = 0; i < count_of(segments); ++i) {
    const auto* s = segments->Get(i);
    if (s->size() != 0 && header.segment_base_offset == 0) {
      return invalid_data(at(s), "FlatTensor.segments", "no segment data, because the header gives no segment base", i);
    }
    if (s->size() != 0 && !inside(s->offset(), s->size(), header.segment_data_size)) {
      return invalid_data(at(s), "FlatTensor.segments", "an offset and size inside the segment data", i);
    }
  }
  const auto* named = opened.root_->named_data();
  for (uint32_t i = 0; i < count_of(named); ++i) {
    const auto* n = named->Get(i);
    if (n->key() == nullptr) return invalid_data(at(n), "FlatTensor.named_data[].key", "a key", i);
    const auto* segment = element(segments, n->segment_index());
    if (segment == nullptr) {
      return invalid_data(at(n), "FlatTensor.named_data[].segment_index", "the index of a segment", i);
    }
    if (n->tensor_layout() == nullptr) continue;
    uint64_t bytes = 0;
    const char* expected = "";
    if (!check_layout(*n->tensor_layout(), &bytes, &expected)) {
      return invalid_data(at(n->tensor_layout()), "FlatTensor.named_data[].tensor_layout", expected, i);
    }
    if (bytes > segment->size()) {
      return invalid_data(at(n), "FlatTensor.named_data[].tensor_layout", "a tensor no larger than its segment", i);
    }
  }
  *out = opened;
  return FileError::none();
}

uint32_t TensorFile::version() const { return valid() ? root_->version() : 0; }
uint32_t TensorFile::entry_count() const { return valid() ? count_of(root_->named_data()) : 0; }
uint32_t TensorFile::segment_count() const { return valid() ? count_of(root_->segments()) : 0; }

Span<const uint8_t> TensorFile::segment(uint32_t i) const {
  const auto* s = valid() ? element(root_->segments(), i) : nullptr;
  if (s == nullptr || s->size() == 0) return {};
  return file_.subspan(static_cast<size_t>(header_.segment_base_offset + s->offset()), static_cast<size_t>(s->size()));
}

TensorFileEntry TensorFile::entry(uint32_t i) const {
  TensorFileEntry e;
  const auto* n = valid() ? element(root_->named_data(), i) : nullptr;
  if (n == nullptr) return e;
  e.key = view(n->key());
  e.segment_index = n->segment_index();
  e.bytes = segment(n->segment_index());
  if (const auto* layout = n->tensor_layout()) {
    e.has_layout = true;
    e.layout.scalar_type = static_cast<ScalarType>(layout->scalar_type());
    e.layout.sizes = span_of(layout->sizes());
    e.layout.dim_order = span_of(layout->dim_order());
    e.layout.nbytes = byte_count(element_count(e.layout.sizes), e.layout.scalar_type);
  }
  return e;
}

bool TensorFile::find(std::string_view key, TensorFileEntry* out) const {
  for (uint32_t i = 0; i < entry_count(); ++i) {
    if (view(root_->named_data()->Get(i)->key()) == key) {
      *out = entry(i);
      return true;
    }
  }
  return false;
}

}  // namespace et::format
