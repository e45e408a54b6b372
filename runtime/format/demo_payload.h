// Text payloads of the two demonstration backends.
// BackendWithCompilerDemo:        "<count>version:0#op:demo::<target>, numel:<n>, dtype:<t><debug_handle><h>#..."
// BackendWithDelegateMappingDemo: "<count>#<name>,<identifier>,..."
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

struct DemoOp {
  std::string_view name;      // "aten.mm.default", or the name in the mapping
  int64_t numel = -1;         // compiler demo
  std::string_view dtype;     // compiler demo: "torch.float32"
  int64_t debug_handle = -1;  // compiler demo: key of a node of the exported graph
  int64_t identifier = -1;    // mapping demo: delegate debug identifier
};

/// Operators in order; `for (DemoOp op : payload)`.
class DemoPayload {
 public:
  enum class Dialect : uint8_t { Compiler, DelegateMapping };

  class Iterator {
   public:
    Iterator() = default;
    const DemoOp& operator*() const { return op_; }
    const DemoOp* operator->() const { return &op_; }
    Iterator& operator++();
    bool operator==(const Iterator& o) const { return rest_.data() == o.rest_.data() && done_ == o.done_; }
    bool operator!=(const Iterator& o) const { return !(*this == o); }

   private:
    friend class DemoPayload;
    Dialect dialect_ = Dialect::Compiler;
    std::string_view rest_;
    DemoOp op_;
    bool done_ = true;
  };

  /// Errors: DelegateInvalidCompatibility with the offset of the first unreadable operator.
  static FileError open(Dialect dialect, Span<const uint8_t> payload, DemoPayload* out);

  Dialect dialect() const { return dialect_; }
  uint32_t size() const { return count_; }
  Iterator begin() const;
  Iterator end() const;

 private:
  Dialect dialect_ = Dialect::Compiler;
  uint32_t count_ = 0;
  std::string_view ops_;
};

}  // namespace et::format
