// One gzip member: for formats that are gzip around something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace et {

/// The same text gives the same bytes: neither name nor time of a file is in them.
std::string gzip(std::string_view text);

/// By its first bytes.
inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// All members, one after the other. Errors: InvalidExternalData (damaged, cut off, or more than `most` bytes inside)
/// with the byte where it stopped; `out` then has what came before.
Status gunzip(std::string_view bytes, uint64_t most, std::string* out);

}  // namespace et
