// One gzip member: for formats that are gzip around something else.
#pragma once

#include <string>
#include <string_view>

namespace et {

/// The same text gives the same bytes: neither name nor time of a file is in them.
std::string gzip(std::string_view text);

}  // namespace et
