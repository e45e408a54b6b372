// A model on a bare Cortex-M55 in two static pools, a small fast one and a large slow one. Once it is loaded nothing is
// taken from the heap. The trace goes out over the UART as text.
#include <cstdio>
#include <cstdlib>

#include "board.h"
#include "etdump/etdump_gen.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "uart.h"

extern "C" {
extern const uint8_t et_program;
extern const uint8_t et_program_end;
// The linker sends all calls of malloc here (--wrap).
void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size);
}

namespace {

constexpr int kRuns = 3;
constexpr size_t kPools = 3;
constexpr size_t kMostInputs = 4;

// What the program plans for pool 1 lies in the tightly coupled memory, pools 2 and 3 (its inputs) in the external one.
alignas(16) uint8_t g_fast[8 * 1024];
alignas(16) [[gnu::section(".slow")]] uint8_t g_slow[64 * 1024];
alignas(16) [[gnu::section(".slow")]] uint8_t g_planned_inputs[8 * 1024];
alignas(16) [[gnu::section(".slow")]] uint8_t g_inputs[16 * 1024];
alignas(16) [[gnu::section(".slow")]] uint8_t g_trace[48 * 1024];
alignas(16) uint8_t g_method[16 * 1024];
alignas(16) [[gnu::section(".slow")]] uint8_t g_temporary[64 * 1024];

bool g_loaded = false;
size_t g_heap_calls = 0;

int fail(const char* what, et::Error error) {
  uart::print(what);
  uart::print(": ");
  uart::print(et::error_name(error));
  uart::print("\n");
  return 1;
}

void print_number(const char* what, size_t number) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %u\n", what, static_cast<unsigned>(number));
  uart::print(text);
}

/// Input i as the method describes it, filled with ones.
et::Error set_input(et::Method& method, size_t i, et::MemoryAllocator& memory) {
  const et::EValue& v = method.get_input(i);
  if (!v.isTensor()) return method.set_input(v, i);
  const et::Tensor t = v.toTensor();
  auto* data = static_cast<float*>(memory.allocate(t.nbytes(), 16));
  if (data == nullptr || t.scalar_type() != et::ScalarType::Float) return et::Error::MemoryAllocationFailed;
  for (ssize_t k = 0; k < t.numel(); ++k) data[k] = 1;
  et::TensorImpl impl(t.scalar_type(), t.sizes().size(), const_cast<int32_t*>(t.sizes().data()), data,
                      const_cast<uint8_t*>(t.dim_order().data()), const_cast<int32_t*>(t.strides().data()));
  return method.set_input(et::EValue(et::Tensor(&impl)), i);
}

int run(et::Method& method) {
  for (int i = 0; i < kRuns; ++i) {
    et::MemoryAllocator inputs(sizeof g_inputs, g_inputs);
    for (size_t k = 0; k < method.inputs_size(); ++k) {
      const et::Error error = set_input(method, k, inputs);
      if (error != et::Error::Ok) return fail("input", error);
    }
    const et::Error error = method.execute();
    if (error != et::Error::Ok) return fail("execute", error);
  }
  return 0;
}

}  // namespace

void* __wrap_malloc(size_t size) {
  if (g_loaded) ++g_heap_calls;
  return __real_malloc(size);
}

int main() {
  uart::start();
  et::set_platform(board::platform());
  et::runtime_init();
  const et::BufferDataLoader loader(&et_program, static_cast<size_t>(&et_program_end - &et_program));
  et::Result<et::Program> program = et::Program::load(&loader);
  if (!program.ok()) return fail("program", program.error());
  et::Result<et::MethodMeta> meta = program->method_meta("forward");
  if (!meta.ok()) return fail("forward", meta.error());

  const et::Span<uint8_t> memories[kPools] = {
      {g_fast, sizeof g_fast}, {g_slow, sizeof g_slow}, {g_planned_inputs, sizeof g_planned_inputs}};
  static constexpr const char* kNames[kPools] = {"fast pool, bytes:", "slow pool, bytes:", "inputs, bytes:"};
  et::Span<uint8_t> pools[kPools];
  const size_t count = meta->num_memory_planned_buffers();
  if (count > kPools) return fail("pools", et::Error::NotSupported);
  for (size_t i = 0; i < count; ++i) {
    const et::Result<int64_t> bytes = meta->memory_planned_buffer_size(i);
    if (!bytes.ok() || *bytes < 0 || static_cast<uint64_t>(*bytes) > memories[i].size()) {
      return fail("pool", et::Error::MemoryAllocationFailed);
    }
    pools[i] = {memories[i].data(), static_cast<size_t>(*bytes)};
    print_number(kNames[i], pools[i].size());
  }
  et::HierarchicalAllocator planned({pools, count});
  et::MemoryAllocator method_memory(sizeof g_method, g_method);
  et::MemoryAllocator temporary(sizeof g_temporary, g_temporary);
  et::MemoryManager memory(&method_memory, &planned, &temporary);
  et::etdump::ETDumpGen tracer({g_trace, sizeof g_trace});
  et::Result<et::Method> method = program->load_method("forward", &memory, &tracer);
  if (!method.ok()) return fail("load", method.error());
  if (method->inputs_size() > kMostInputs) return fail("inputs", et::Error::NotSupported);

  g_loaded = true;
  const int code = run(*method);
  const et::etdump::ETDumpResult dump = tracer.get_etdump_data();
  g_loaded = false;
  print_number("calls of malloc after the load:", g_heap_calls);
  if (code != 0) return code;
  if (dump.buf == nullptr) return fail("trace", et::Error::OutOfResources);
  // As upstream's Arm runner prints it: et-inspect finds it in the log of the serial line.
  uart::print("echo \"");
  uart::print_base64(dump.buf, dump.size);
  uart::print("\" | base64 -d >etdump.bin\n");
  return g_heap_calls == 0 ? 0 : 1;
}
