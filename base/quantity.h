// Numbers with units, as people write them on a command line or in a policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace et {

/// "5%", "5 %" or "0.05" → 0.05. Nothing for negative numbers and other texts.
std::optional<double> parse_share(std::string_view text);
/// "10", "10 s", "250ms", "2 min" → seconds, above 0.
std::optional<double> parse_seconds(std::string_view text);
/// "4096", "64 KiB", "2MB" → bytes (KiB, MiB, GiB are powers of 1024; kB, MB, GB of 1000).
std::optional<uint64_t> parse_bytes(std::string_view text);

/// The shortest decimal text that reads back as `v`.
std::string number_text(double v);

}  // namespace et
