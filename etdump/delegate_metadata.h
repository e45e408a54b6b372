// Registry of decoders for delegate_debug_metadata: a backend's vendor registers one function under the backend's name
// and its bytes come out as named texts. What nobody decodes is still shown: as text or as hexadecimal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace et::etdump {

struct MetadataEntry {
  std::string key;
  std::string value;
  bool operator==(const MetadataEntry&) const = default;
};

/// Appends what `bytes` say to `out`. False: not understood (what was appended is dropped). The bytes come from a
/// file: never trust them.
using MetadataDecoder = bool (*)(std::span<const uint8_t> bytes, std::vector<MetadataEntry>* out);

/// Errors: InvalidArgument (empty name, null function), RegistrationAlreadyRegistered. Not for several threads at once.
Error register_metadata_decoder(std::string_view backend, MetadataDecoder decoder);
/// Null when the backend has none.
MetadataDecoder find_metadata_decoder(std::string_view backend);

/// Entries for `bytes` of `backend` ("" = unknown): the registered decoder's; without one, or when it does not
/// understand the bytes, those of a record of runtime/format/delegate_metadata.h ("node", "debug_handle", "phase"), or
/// one entry "text" (printable UTF-8) or "hex" (at most 256 bytes, then "…"). Empty for no bytes.
std::vector<MetadataEntry> decode_metadata(std::string_view backend, std::span<const uint8_t> bytes);

/// For a namespace-scope object: `static const RegisterMetadataDecoder r{"MyBackend", decode};` in a file that is
/// surely linked (a static library drops files that nobody refers to).
struct RegisterMetadataDecoder {
  RegisterMetadataDecoder(std::string_view backend, MetadataDecoder decoder) {
    (void)register_metadata_decoder(backend, decoder);
  }
};

}  // namespace et::etdump
