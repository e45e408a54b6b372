// EthosUBackend without an Ethos-U: reads the payload, so that a damaged one is told from one that only lacks its
// hardware, and says what it would need. Where the TOSA graph that it was compiled from is at hand, that runs instead.
#include <span>
#include <string>

#include "runtime/backends/backend.h"
#include "runtime/backends/ethos_u/twins.h"
#include "runtime/format/vela_payload.h"
#include "runtime/platform/log.h"

namespace et {
namespace {

string_view value_of(ArrayRef<CompileSpec> specs, string_view key) {
  for (const CompileSpec& spec : specs) {
    if (spec.key == key) return string_view(reinterpret_cast<const char*>(spec.value.data()), spec.value.size());
  }
  return "unknown target";
}

uint64_t bytes_of(const format::VelaPayload& payload, std::string_view name) {
  format::VelaBlock block;
  return payload.find(name, &block) && !block.external ? block.bytes.size() : 0;
}

class EthosU final : public BackendInterface {
 public:
  // Available, so that a program that needs it fails with the text below instead of "not found".
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    format::VelaPayload payload;
    const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(processed->data()), processed->size());
    const FileError e = format::VelaPayload::open(bytes, &payload);
    ET_CHECK_OR_RETURN_ERROR(e.ok(), DelegateInvalidCompatibility, "EthosUBackend: %s at byte %llu: expected %s",
                             e.field, static_cast<unsigned long long>(e.offset), e.expected);
    const BackendInterface* const tosa = get_backend_class("TOSABackend");
    if (const std::span<const uint8_t> twin = ethos_u_twin(bytes); !twin.empty() && tosa != nullptr) {
      FreeableBuffer graph(twin.data(), twin.size(), nullptr);
      return tosa->init(context, &graph, {});
    }
    if (ethos_u_twins() > 0 && tosa != nullptr) {
      ET_LOG(Error,
             "EthosUBackend: none of the %zu TOSA graphs that were given has inputs and outputs like this payload",
             ethos_u_twins());
    }
    const string_view target = value_of(specs, "target");
    ET_LOG(Error,
           "EthosUBackend: compiled for %.*s, which this machine does not have (command stream %llu B, weights %llu B, "
           "scratch %u B). It runs on the device; et-inspect shows what is inside, and et-run --tosa runs the TOSA "
           "graph that it was compiled from",
           static_cast<int>(target.size() < 40 ? target.size() : 40), target.data(),
           static_cast<unsigned long long>(bytes_of(payload, "cmd_data")),
           static_cast<unsigned long long>(bytes_of(payload, "weight_data")), payload.scratch_size());
    return Error::NotSupported;
  }

  /// "tosa": a file or a folder, as read_ethos_u_twins() takes it.
  Error set_option(Span<const BackendOption> options) const override {
    for (const BackendOption& option : options) {
      if (string_view(option.key) != "tosa" || option.type != BackendOption::Type::Text) {
        ET_LOG(Error, "EthosUBackend: expected the option 'tosa' with a path, got '%s'", option.key);
        return Error::InvalidArgument;
      }
      ET_CHECK_OK_OR_RETURN_ERROR(read_ethos_u_twins(option.text_value));
    }
    return Error::Ok;
  }

  // Only a twin ever gets this far.
  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    const BackendInterface* const tosa = get_backend_class("TOSABackend");
    return tosa != nullptr ? tosa->execute(context, handle, args) : Error::NotSupported;
  }

  void destroy(DelegateHandle* handle) const override {
    const BackendInterface* const tosa = get_backend_class("TOSABackend");
    if (tosa != nullptr && handle != nullptr) tosa->destroy(handle);
  }
};

const BackendInterface& backend_of_ethos_u() {
  static const EthosU backend;
  return backend;
}

}  // namespace

Error register_ethos_u_backend();

Error register_ethos_u_backend() {
  static Backend rows[] = {
#define ET_BACKEND(name, interface, refuses) {name, &interface()},
#include "runtime/backends/ethos_u/backends.def"
#undef ET_BACKEND
  };
  for (Backend& row : rows) ET_CHECK_OK_OR_RETURN_ERROR(register_backend(&row));
  return Error::Ok;
}

}  // namespace et
