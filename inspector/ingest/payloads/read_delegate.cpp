#include "inspector/ingest/payloads/read_delegate.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "inspector/ingest/payloads/opaque_facts.h"
#include "inspector/ingest/payloads/payload_kinds.h"

namespace et::inspector {
namespace {

// Compile specs: the options of the lowering. Of values that are not text the size is shown.
void add_specs(const format::Delegate& delegate, DelegateFacts* out) {
  constexpr size_t kLongest = 200;
  for (uint32_t i = 0; i < delegate.compile_spec_count(); ++i) {
    const format::CompileSpec spec = delegate.compile_spec(i);
    const std::string_view value(reinterpret_cast<const char*>(spec.value.data()), spec.value.size());
    const bool text = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
    std::string shown(text ? value.substr(0, kLongest) : std::string_view());
    if (text && value.size() > kLongest) shown += "…";
    out->facts.push_back({"spec", std::string(spec.key),
                          text ? std::nullopt : std::optional(static_cast<int64_t>(value.size())), std::move(shown)});
  }
}

}  // namespace

DelegateFacts read_delegate(const format::Delegate& delegate, ImportContext& context, const std::string& where) {
  DelegateFacts facts;
  facts.backend = std::string(delegate.id());
  std::span<const uint8_t> bytes = delegate.payload();
  facts.payload_bytes = bytes.size();
  facts.kind = find_payload_kind(context.payload_kinds, facts.backend, bytes);
  facts.payload_kind = facts.kind != nullptr ? facts.kind->name : bytes.empty() ? "empty" : "unknown";
  // A payload may lie anywhere in the file, the verified views want it aligned.
  std::vector<uint64_t> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % format::kProgramAlignment != 0) {
    aligned.resize(bytes.size() / 8 + 1);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size()};
  }
  add_specs(delegate, &facts);
  if (facts.kind == nullptr) {
    add_opaque_facts(bytes, &facts);
    return facts;
  }
  const FileError error = facts.kind->read(bytes, &facts);
  facts.readable = error.ok();
  if (!error.ok()) {
    facts.nodes.clear();
    add_opaque_facts(bytes, &facts);
    context.diagnostics.add("delegate-payload-unreadable", Status::of_file(where, error).message());
  }
  return facts;
}

}  // namespace et::inspector
