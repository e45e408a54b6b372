// The text of the demonstration backend: initialised, and executed once with two 2 x 2 matrices and an addend.
#include "runtime/backends/demo/backends.h"
#include "runtime/platform/platform.h"
#include "tests/fuzz/aligned_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = [] {
    et::Platform p = et::platform();
    p.emit_log = [](const et::LogMessage&) {};
    et::set_platform(p);
    return true;
  }();
  static_cast<void>(quiet);
  const et::fuzz::AlignedInput input(data, size);
  const et::BackendInterface& backend = et::demo::compiler_demo();
  et::PlatformMemoryAllocator memory;
  et::BackendInitContext init(&memory, nullptr, "forward", nullptr);
  et::FreeableBuffer payload(input.bytes().data(), input.bytes().size());
  et::Result<et::DelegateHandle*> handle = backend.init(init, &payload, {});
  if (!handle.ok()) return 0;
  int32_t sizes[] = {2, 2}, strides[] = {2, 1};
  uint8_t order[] = {0, 1};
  float values[4][4] = {};
  et::TensorImpl impls[] = {et::TensorImpl(et::ScalarType::Float, 2, sizes, values[0], order, strides),
                            et::TensorImpl(et::ScalarType::Float, 2, sizes, values[1], order, strides),
                            et::TensorImpl(et::ScalarType::Float, 2, sizes, values[2], order, strides),
                            et::TensorImpl(et::ScalarType::Float, 2, sizes, values[3], order, strides)};
  et::EValue args[] = {et::EValue(et::Tensor(&impls[0])), et::EValue(et::Tensor(&impls[1])),
                       et::EValue(et::Tensor(&impls[2])), et::EValue(et::Tensor(&impls[3]))};
  et::EValue* list[] = {&args[0], &args[1], &args[2], &args[3]};
  et::BackendExecutionContext context(nullptr, &memory, "forward");
  for (size_t n = 2; n <= 4; ++n) static_cast<void>(backend.execute(context, *handle, {list, n}));
  backend.destroy(*handle);
  return 0;
}
