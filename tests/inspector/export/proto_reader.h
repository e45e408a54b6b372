// Reads protobuf's wire format back: just enough to check what the Perfetto export wrote.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace et::inspector {

struct ProtoMessage {
  std::multimap<int, uint64_t> numbers;
  std::multimap<int, std::string> texts;

  uint64_t number(int field) const {
    const auto it = numbers.find(field);
    return it == numbers.end() ? 0 : it->second;
  }
  std::string text(int field) const {
    const auto it = texts.find(field);
    return it == texts.end() ? "" : it->second;
  }
  std::vector<ProtoMessage> messages(int field) const {
    std::vector<ProtoMessage> out;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) {
      ProtoMessage m;
      if (m.parse(at->second)) out.push_back(std::move(m));
    }
    return out;
  }

  bool parse(std::string_view data) {
    while (!data.empty()) {
      uint64_t tag = 0;
      if (!varint(&data, &tag)) return false;
      uint64_t value = 0;
      if (!varint(&data, &value)) return false;
      if ((tag & 7) == 0) {
        numbers.emplace(static_cast<int>(tag >> 3), value);
      } else if ((tag & 7) == 2 && value <= data.size()) {
        texts.emplace(static_cast<int>(tag >> 3), std::string(data.substr(0, value)));
        data.remove_prefix(value);
      } else {
        return false;
      }
    }
    return true;
  }

 private:
  static bool varint(std::string_view* data, uint64_t* out) {
    *out = 0;
    for (int shift = 0; shift < 64 && !data->empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(data->front());
      data->remove_prefix(1);
      *out |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
};

}  // namespace et::inspector
