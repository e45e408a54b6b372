// Walks Vela's blocks. The command stream is read in vela_commands.cpp.
#include "runtime/format/vela_payload.h"

#include <cstring>

#include "runtime/format/flat.h"

namespace et::format {

namespace {

constexpr uint64_t kBlockHeader = 32;  // name 16, u32 size, u8 external, 11 zero bytes
constexpr uint64_t kTensorBytes = 36;  // i32 shape[6], elem_size, offset, region

uint64_t padded(uint64_t size) { return (size + 15) & ~uint64_t{15}; }

/// The block whose header is at `at`, which must be in the payload.
VelaBlock block_at(Span<const uint8_t> payload, uint64_t at) {
  VelaBlock b;
  const char* name = reinterpret_cast<const char*>(payload.data() + at);
  b.name = std::string_view(name, 16);
  b.name = b.name.substr(0, b.name.find('\0'));
  b.offset = at + kBlockHeader;
  b.external = payload[static_cast<size_t>(at + 20)] != 0;
  b.bytes = payload.subspan(static_cast<size_t>(b.offset), read<uint32_t>(payload, at + 16));
  return b;
}

/// What the runtime reads from a block must fit in it.
FileError check_block(const VelaBlock& b) {
  if (b.external) return FileError::none();
  if (b.name == "scratch_size" && b.bytes.size() != 4) {
    return invalid_payload(b.offset, "Vela block scratch_size", "4 bytes");
  }
  if (b.name == "inputs" || b.name == "outputs") {
    const char* field = b.name == "inputs" ? "Vela block inputs" : "Vela block outputs";
    if (b.bytes.size() < 4) return invalid_payload(b.offset, field, "a count");
    const uint64_t count = read<uint32_t>(b.bytes, 0);
    if (b.bytes.size() != 4 + count * kTensorBytes) {
      return invalid_payload(b.offset, field, "as many 36-byte entries as the count says");
    }
  }
  return FileError::none();
}

}  // namespace

VelaPayload::Blocks::Iterator VelaPayload::Blocks::begin() const {
  Iterator it;
  it.payload_ = payload_;
  it.read();
  return it;
}

VelaPayload::Blocks::Iterator VelaPayload::Blocks::end() const {
  Iterator it;
  it.at_ = payload_.size();
  return it;
}

void VelaPayload::Blocks::Iterator::read() {
  if (at_ < payload_.size()) block_ = block_at(payload_, at_);
}

VelaPayload::Blocks::Iterator& VelaPayload::Blocks::Iterator::operator++() {
  at_ = block_.offset + padded(block_.bytes.size());
  read();
  return *this;
}

FileError VelaPayload::open(Span<const uint8_t> payload, VelaPayload* out) {
  *out = VelaPayload();
  if (payload.size() < kBlockHeader || std::memcmp(payload.data(), "vela_bin_stream", 16) != 0) {
    return failure(Error::DelegateInvalidCompatibility, 0, "Vela block", "the marker vela_bin_stream");
  }
  uint64_t at = 0;
  uint32_t count = 0;
  bool ended = false;
  while (at < payload.size()) {
    if (ended) return invalid_payload(at, "Vela block", "the end of the payload after vela_end_stream", count);
    if (!inside(at, kBlockHeader, payload.size()))
      return invalid_payload(at, "Vela block", "a header of 32 bytes", count);
    const uint64_t size = read<uint32_t>(payload, at + 16);
    if (!inside(at + kBlockHeader, padded(size), payload.size())) {
      return invalid_payload(at + 16, "Vela block size", "data that ends inside the payload, padded to 16 bytes",
                             count);
    }
    const VelaBlock b = block_at(payload, at);
    if (FileError e = check_block(b); !e.ok()) return e;
    ended = b.name == "vela_end_stream";
    at = b.offset + padded(size);
    ++count;
  }
  if (!ended) return invalid_payload(at, "Vela block", "the marker vela_end_stream as the last block");
  out->payload_ = payload;
  out->block_count_ = count;
  return FileError::none();
}

bool VelaPayload::find(std::string_view name, VelaBlock* out) const {
  for (const VelaBlock& b : blocks()) {
    if (b.name == name) {
      *out = b;
      return true;
    }
  }
  return false;
}

uint32_t VelaPayload::scratch_size() const {
  VelaBlock b;
  return find("scratch_size", &b) && !b.external ? read<uint32_t>(b.bytes, 0) : 0;
}

uint32_t VelaPayload::tensor_count(std::string_view block) const {
  VelaBlock b;
  return find(block, &b) && !b.external ? read<uint32_t>(b.bytes, 0) : 0;
}

VelaTensor VelaPayload::tensor(std::string_view block, uint32_t i) const {
  VelaTensor t;
  VelaBlock b;
  if (!find(block, &b) || b.external || i >= read<uint32_t>(b.bytes, 0)) return t;
  const uint64_t at = 4 + uint64_t{i} * kTensorBytes;
  for (uint64_t d = 0; d < 6; ++d) t.shape[d] = read<int32_t>(b.bytes, at + 4 * d);
  t.elem_size = read<int32_t>(b.bytes, at + 24);
  t.offset = read<int32_t>(b.bytes, at + 28);
  t.region = read<int32_t>(b.bytes, at + 32);
  return t;
}

}  // namespace et::format
