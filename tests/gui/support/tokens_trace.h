// The ETDump of a language model that was told its phases: two prompts, each followed by tokens that cost more from
// position to position.
#pragma once

#include <fstream>
#include <string>

#include "tests/support/etdump_builder.h"

namespace et::gui::test {

inline void write_tokens_trace(const std::string& path) {
  constexpr int kTokens = 60;
  et::test::EtdumpBuilder builder;
  builder.trailer.emplace();
  uint64_t at = 1000, number = 0;
  const auto run = [&](const char* phase, uint64_t embedding, uint64_t attention, uint64_t linear) {
    const uint64_t a = at + 100, b = a + embedding, c = b + attention, end = c + linear + 100;
    builder.run("Execute")
        .profile("native_call_embedding.out", 1, 0, a, b)
        .profile("native_call_bmm.out", 1, 1, b, c)
        .profile("native_call_addmm.out", 1, 2, c, c + linear)
        .profile("Method::execute", 0, -1, at, end);
    builder.trailer->runs.push_back({.method = "forward", .kind = "execute", .phase = phase, .execution = number++});
    at = end + 2000;
  };
  for (int sequence = 0; sequence < 2; ++sequence) {
    run("prefill", 9000, 160000, 210000);
    for (int i = 0; i < kTokens; ++i) {
      const auto noise = static_cast<uint64_t>(i * 7919 % 97) * 20;
      const uint64_t slow = i == 40 ? 90000 : 0;  // once, by something else
      run("decode", 1000, 20000 + static_cast<uint64_t>(i) * 300 + noise, 30000 + slow);
    }
  }
  const std::vector<uint8_t> bytes = builder.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace et::gui::test
