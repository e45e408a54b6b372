#include "runtime/format/delegate_metadata.h"

namespace et::format {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kHead = 8;
constexpr size_t kNode = 8;

void put(uint8_t* to, uint32_t x) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(x >> (8 * i));
}
uint32_t get(const uint8_t* from) {
  uint32_t x = 0;
  for (int i = 0; i < 4; ++i) x |= static_cast<uint32_t>(from[i]) << (8 * i);
  return x;
}

}  // namespace

const char* delegate_phase_name(DelegatePhase phase) {
  switch (phase) {
    case DelegatePhase::Run:
      return "run";
    case DelegatePhase::Init:
      return "init";
    case DelegatePhase::Plan:
      return "plan";
  }
  return "unknown";
}

void write_delegate_metadata(DelegatePhase phase, Span<const DelegateNode> nodes, uint8_t* out) {
  out[0] = 'e';
  out[1] = 'N';
  out[2] = kVersion;
  out[3] = static_cast<uint8_t>(phase);
  put(out + 4, static_cast<uint32_t>(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    put(out + kHead + i * kNode, nodes[i].index);
    put(out + kHead + i * kNode + 4, nodes[i].debug_handle);
  }
}

bool DelegateMetadata::open(Span<const uint8_t> bytes, DelegateMetadata* out) {
  if (bytes.size() < kHead || bytes[0] != 'e' || bytes[1] != 'N' || bytes[2] != kVersion) return false;
  if (bytes[3] > static_cast<uint8_t>(DelegatePhase::Plan)) return false;
  const uint32_t count = get(bytes.data() + 4);
  if ((bytes.size() - kHead) / kNode != count || (bytes.size() - kHead) % kNode != 0) return false;
  out->nodes_ = bytes.data() + kHead;
  out->count_ = count;
  out->phase_ = static_cast<DelegatePhase>(bytes[3]);
  return true;
}

DelegateNode DelegateMetadata::node(uint32_t i) const {
  const uint8_t* at = nodes_ + size_t{i} * kNode;
  return {get(at), get(at + 4)};
}

}  // namespace et::format
