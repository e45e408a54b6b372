// XNNPACK payloads, loaded by the backend and run once with tensors of the shapes that they ask for.
#include <memory>
#include <vector>

#include "runtime/backends/backend.h"
#include "runtime/backends/xnnpack/backend.h"
#include "runtime/format/xnnpack_payload.h"
#include "tests/fuzz/aligned_input.h"

namespace {

using et::format::XnnDatatype;

constexpr int64_t kMostElements = 1 << 14;

/// A tensor for an argument of the delegate; null where the payload asks for none that is small enough.
struct Argument {
  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  std::vector<uint64_t> memory;
  std::unique_ptr<et::TensorImpl> impl;
  et::EValue value;

  bool make(const et::format::XnnValue& v) {
    int64_t n = 1;
    for (const uint32_t d : v.dims()) {
      if (d > kMostElements || n * d > kMostElements) return false;
      n *= d;
      sizes.push_back(static_cast<int32_t>(d));
    }
    if (sizes.size() > 6) return false;
    strides.resize(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) order.push_back(static_cast<uint8_t>(i));
    if (!et::dim_order_to_strides(sizes, order, strides.data())) return false;
    memory.resize(static_cast<size_t>(n) + 1, 0x3f8000003f000000u);
    et::ScalarType type = et::ScalarType::Float;
    if (v.datatype() == XnnDatatype::Fp16) type = et::ScalarType::Half;
    if (v.datatype() == XnnDatatype::Bf16) type = et::ScalarType::BFloat16;
    if (v.datatype() == XnnDatatype::Int32) type = v.is_external_output() ? et::ScalarType::Long : et::ScalarType::Int;
    if (v.datatype() == XnnDatatype::QInt8) type = et::ScalarType::Char;
    if (v.datatype() == XnnDatatype::QUInt8) type = et::ScalarType::Byte;
    impl = std::make_unique<et::TensorImpl>(type, sizes.size(), sizes.data(), memory.data(), order.data(),
                                            strides.data(), et::TensorShapeDynamism::DYNAMIC_BOUND);
    value = et::EValue(et::Tensor(impl.get()));
    return true;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool registered = et::register_xnnpack_backend() == et::Error::Ok;
  if (!registered || size > (1u << 16)) return 0;
  const et::fuzz::AlignedInput input(data, size);
  et::format::XnnpackPayload payload;
  if (!et::format::XnnpackPayload::open(input.bytes(), &payload).ok() || payload.extern_count() > 64) return 0;
  std::vector<Argument> arguments(payload.extern_count());
  for (uint32_t i = 0; i < payload.value_count(); ++i) {
    const et::format::XnnValue v = payload.value(i);
    if (v.external_id() < arguments.size() && arguments[v.external_id()].impl == nullptr &&
        !arguments[v.external_id()].make(v)) {
      return 0;
    }
  }
  const et::BackendInterface& backend = *et::get_backend_class("XnnpackBackend");
  et::PlatformMemoryAllocator memory;
  const et::BackendOption limit("workspace_limit_mb", 4);
  et::BackendInitContext init(&memory, nullptr, "forward", nullptr, {&limit, 1});
  et::FreeableBuffer processed(input.bytes().data(), input.bytes().size());
  const et::Result<et::DelegateHandle*> handle = backend.init(init, &processed, {});
  if (!handle.ok()) return 0;
  std::vector<et::EValue*> args;
  for (Argument& a : arguments) args.push_back(&a.value);
  et::BackendExecutionContext context(nullptr, nullptr, "forward");
  static_cast<void>(backend.execute(context, *handle, {args.data(), args.size()}));
  backend.destroy(*handle);
  return 0;
}
