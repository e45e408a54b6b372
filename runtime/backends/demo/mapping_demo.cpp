// BackendWithDelegateMappingDemo: its payload is a list of names.
#include "runtime/backends/demo/backends.h"
#include "runtime/format/demo_payload.h"
#include "runtime/platform/log.h"

namespace et::demo {
namespace {

class MappingDemo final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer* processed, ArrayRef<CompileSpec>) const override {
    format::DemoPayload payload;
    const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(processed->data()), processed->size());
    const FileError e = format::DemoPayload::open(format::DemoPayload::Dialect::DelegateMapping, bytes, &payload);
    ET_CHECK_OR_RETURN_ERROR(e.ok(), DelegateInvalidCompatibility,
                             "BackendWithDelegateMappingDemo: %s at byte %llu: expected %s", e.field,
                             static_cast<unsigned long long>(e.offset), e.expected);
    ET_LOG(
        Error,
        "BackendWithDelegateMappingDemo: the payload names %u operators without their operands and weights: it can be "
        "inspected (et-inspect), not run",
        static_cast<unsigned>(payload.size()));
    return Error::NotSupported;
  }

  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*>) const override { return Error::NotSupported; }
};

}  // namespace

const BackendInterface& mapping_demo() {
  static const MappingDemo backend;
  return backend;
}

}  // namespace et::demo
