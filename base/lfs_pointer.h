// What stands in a checkout in place of a large file, when Git LFS has not fetched it.
#pragma once

#include <string_view>

namespace et {

inline constexpr std::string_view kLfsPointerStart = "version https://git-lfs.github.com/spec/";

inline bool is_lfs_pointer(std::string_view head) { return head.starts_with(kLfsPointerStart); }

}  // namespace et
