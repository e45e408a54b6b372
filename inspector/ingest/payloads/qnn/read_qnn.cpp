#include <cstring>
#include <string>

#include "inspector/ingest/payloads/opaque_facts.h"
#include "inspector/ingest/payloads/qnn/qnn_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/payload.h"

namespace et::inspector {
namespace {

constexpr std::string_view kQnnMagic = "\xCD\xAB\x78\x56";
constexpr size_t kQnnHeader = 256;  // magic, signature, size; zeros up to the alignment of the binary

uint64_t qnn_word(std::span<const uint8_t> bytes, size_t at) {
  uint64_t v = 0;
  std::memcpy(&v, bytes.data() + at, sizeof v);
  return v;
}

}  // namespace

bool is_qnn_payload(Span<const uint8_t> bytes) { return format::has_magic(bytes, 0, kQnnMagic); }

FileError read_qnn(Span<const uint8_t> bytes, DelegateFacts* out) {
  if (bytes.size() < kQnnHeader) {
    return {Error::InvalidProgram, bytes.size(), "QNN header", "256 bytes"};
  }
  const uint64_t size = qnn_word(bytes, 12);
  if (size > bytes.size() - kQnnHeader) {
    return {Error::InvalidProgram, 12, "QNN context binary size", "a size inside the payload"};
  }
  out->facts.push_back({"block", "header", static_cast<int64_t>(kQnnHeader),
                        "signature " + std::to_string(static_cast<int64_t>(qnn_word(bytes, 4)))});
  out->facts.push_back({"block", "context binary", static_cast<int64_t>(size), "at byte 256"});
  add_opaque_facts(bytes.subspan(kQnnHeader, size), out);
  return {};
}

}  // namespace et::inspector
