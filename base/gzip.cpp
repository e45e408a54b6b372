#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace et {

std::string gzip(std::string_view text) {
  constexpr int kGzip = 16;  // added to the window's bits: a header of gzip instead of zlib's
  z_stream z = {};
  std::string out;
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return out;
  unsigned char piece[1 << 16];
  do {
    const size_t take = std::min<size_t>(text.size(), std::numeric_limits<uInt>::max());
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(take);
    text.remove_prefix(take);
    do {
      z.next_out = piece;
      z.avail_out = sizeof piece;
      deflate(&z, text.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(piece), sizeof piece - z.avail_out);
    } while (z.avail_out == 0);
  } while (!text.empty());
  deflateEnd(&z);
  return out;
}

Status gunzip(std::string_view bytes, uint64_t most, std::string* out) {
  constexpr int kGzip = 16;
  out->clear();
  z_stream z = {};
  if (inflateInit2(&z, MAX_WBITS + kGzip) != Z_OK) return {Error::MemoryAllocationFailed, "gzip: out of memory"};
  const size_t size = bytes.size();
  size_t given = 0;
  int result = Z_OK;
  std::string cause;
  unsigned char piece[1 << 16];
  while (cause.empty()) {
    if (z.avail_in == 0) {
      const size_t take = std::min<size_t>(size - given, std::numeric_limits<uInt>::max());
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + given));
      z.avail_in = static_cast<uInt>(take);
      given += take;
    }
    z.next_out = piece;
    z.avail_out = sizeof piece;
    result = inflate(&z, Z_NO_FLUSH);
    out->append(reinterpret_cast<const char*>(piece), sizeof piece - z.avail_out);
    const bool at_end = z.avail_in == 0 && given == size;
    if (out->size() > most) {
      cause = "expected at most " + std::to_string(most) + " bytes inside, got more";
    } else if (result == Z_STREAM_END) {
      if (at_end) break;
      if (inflateReset(&z) != Z_OK) cause = "expected another member, got none";
    } else if (result == Z_BUF_ERROR || (result == Z_OK && at_end && z.avail_out > 0)) {
      cause = "expected more, got the file's end";
    } else if (result != Z_OK) {
      cause = std::string("expected gzip, got ") + (z.msg != nullptr ? z.msg : "something else");
    }
  }
  const size_t at = given - z.avail_in;
  inflateEnd(&z);
  if (cause.empty()) return {};
  return {Error::InvalidExternalData, "gzip at byte " + std::to_string(at) + ": " + cause};
}

}  // namespace et
