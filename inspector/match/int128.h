// 128-bit integers for products and sums of 64-bit times. GCC and clang have them on every 64-bit host.
#pragma once

namespace et::inspector {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

}  // namespace et::inspector
