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

}  // namespace et
