// Writes protobuf's wire format: varints and length-delimited fields. Enough for a trace, nothing more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace et::inspector {

class ProtoWriter {
 public:
  void varint(int field, uint64_t value) {
    tag(field, 0);
    raw_varint(value);
  }
  void bytes(int field, std::string_view value) {
    tag(field, 2);
    raw_varint(value.size());
    out_.append(value);
  }
  void message(int field, const ProtoWriter& m) { bytes(field, m.out_); }
  const std::string& text() const { return out_; }
  void clear() { out_.clear(); }
  bool empty() const { return out_.empty(); }

 private:
  void tag(int field, int wire_type) {
    raw_varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire_type));
  }
  void raw_varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) out_ += static_cast<char>(v | 0x80);
    out_ += static_cast<char>(v);
  }
  std::string out_;
};

}  // namespace et::inspector
