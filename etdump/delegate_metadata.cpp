// The decoder registry, and what is shown of metadata that nobody decodes.
#include "etdump/delegate_metadata.h"

#include "runtime/format/delegate_metadata.h"

namespace et::etdump {

namespace {

constexpr size_t kHexBytes = 256;

struct Registered {
  std::string backend;
  MetadataDecoder decoder;
};

std::vector<Registered>& registry() {
  static std::vector<Registered> decoders;
  return decoders;
}

// Length of the UTF-8 sequence at `i` when it is well formed and stands for a printable character (or tab, newline);
// 0 otherwise.
size_t printable(std::span<const uint8_t> s, size_t i) {
  const uint8_t lead = s[i];
  if (lead < 0x80) return (lead >= 0x20 && lead != 0x7f) || lead == '\n' || lead == '\t' || lead == '\r' ? 1 : 0;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || s.size() - i < length) return 0;
  uint32_t code = lead & (0x7fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((s[i + k] & 0xc0) != 0x80) return 0;
    code = code << 6 | (s[i + k] & 0x3fu);
  }
  constexpr uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kMin[length] || code > 0x10ffff || code < 0xa0 || surrogate ? 0 : length;
}

bool is_text(std::span<const uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = printable(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string hex(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  const size_t shown = bytes.size() < kHexBytes ? bytes.size() : kHexBytes;
  out.reserve(2 * shown + 3);
  for (const uint8_t b : bytes.first(shown)) {
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  if (shown < bytes.size()) out += "…";
  return out;
}

/// The record of this project's own backends.
bool decode_nodes(std::span<const uint8_t> bytes, std::vector<MetadataEntry>* out) {
  format::DelegateMetadata record;
  if (!format::DelegateMetadata::open(bytes, &record)) return false;
  if (record.phase() != format::DelegatePhase::Run) {
    out->push_back({"phase", format::delegate_phase_name(record.phase())});
  }
  std::string nodes, handles;
  for (uint32_t i = 0; i < record.count(); ++i) {
    const format::DelegateNode n = record.node(i);
    nodes += (nodes.empty() ? "" : ", ") + std::to_string(n.index);
    if (n.debug_handle != format::kNoDebugHandle) {
      handles += (handles.empty() ? "" : ", ") + std::to_string(n.debug_handle);
    }
  }
  if (!nodes.empty()) out->push_back({"node", nodes});
  if (!handles.empty()) out->push_back({"debug_handle", handles});
  return true;
}

}  // namespace

Error register_metadata_decoder(std::string_view backend, MetadataDecoder decoder) {
  if (backend.empty() || decoder == nullptr) return Error::InvalidArgument;
  if (find_metadata_decoder(backend) != nullptr) return Error::RegistrationAlreadyRegistered;
  registry().push_back({std::string(backend), decoder});
  return Error::Ok;
}

MetadataDecoder find_metadata_decoder(std::string_view backend) {
  for (const Registered& r : registry()) {
    if (r.backend == backend) return r.decoder;
  }
  return nullptr;
}

std::vector<MetadataEntry> decode_metadata(std::string_view backend, std::span<const uint8_t> bytes) {
  std::vector<MetadataEntry> out;
  if (bytes.empty()) return out;
  const MetadataDecoder decoder = find_metadata_decoder(backend);
  if (decoder != nullptr && decoder(bytes, &out)) return out;
  out.clear();
  if (decode_nodes(bytes, &out)) return out;
  if (is_text(bytes)) {
    out.push_back({"text", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
  } else {
    out.push_back({"hex", hex(bytes)});
  }
  return out;
}

}  // namespace et::etdump
