// A model on a bare Cortex-M55: the program is a constant of the image, all memory is static, the trace goes to a file
// of the host (semihosting), where et-inspect reads it.
#include <cstdio>

#include "board.h"
#include "etdump/etdump_gen.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"

extern "C" {
extern const uint8_t et_program;
extern const uint8_t et_program_end;
}

namespace {

constexpr int kRuns = 3;
constexpr size_t kMostArenas = 4;
constexpr size_t kMostInputs = 8;

alignas(16) uint8_t g_method_memory[32 * 1024];
alignas(16) uint8_t g_planned_memory[128 * 1024];
alignas(16) uint8_t g_temporary_memory[16 * 1024];
alignas(16) uint8_t g_input_memory[64 * 1024];
alignas(16) uint8_t g_trace_memory[48 * 1024];

int fail(const char* what, et::Error error) {
  std::printf("%s: %s\n", what, et::error_name(error));
  return 1;
}

/// Ones for float tensors, zeros for the others. The tensor describes itself as the method does.
et::Error set_input(et::Method& method, size_t i, et::MemoryAllocator& memory) {
  const et::EValue& v = method.get_input(i);
  if (!v.isTensor()) return method.set_input(v, i);
  const et::Tensor t = v.toTensor();
  auto* data = static_cast<uint8_t*>(memory.allocate(t.nbytes(), 16));
  if (data == nullptr) return et::Error::MemoryAllocationFailed;
  for (size_t k = 0; k < t.nbytes(); ++k) data[k] = 0;
  if (t.scalar_type() == et::ScalarType::Float) {
    for (ssize_t k = 0; k < t.numel(); ++k) reinterpret_cast<float*>(data)[k] = 1;
  }
  et::TensorImpl impl(t.scalar_type(), t.sizes().size(), const_cast<int32_t*>(t.sizes().data()), data,
                      const_cast<uint8_t*>(t.dim_order().data()), const_cast<int32_t*>(t.strides().data()));
  return method.set_input(et::EValue(et::Tensor(&impl)), i);
}

bool write_file(const char* path, const void* data, size_t size) {
  std::FILE* f = std::fopen(path, "wb");
  if (f == nullptr) return false;
  const bool written = std::fwrite(data, 1, size, f) == size;
  return (std::fclose(f) == 0) && written;
}

}  // namespace

int main() {
  et::set_platform(board::platform());
  et::runtime_init();

  const et::BufferDataLoader loader(&et_program, static_cast<size_t>(&et_program_end - &et_program));
  et::Result<et::Program> program = et::Program::load(&loader);
  if (!program.ok()) return fail("program", program.error());
  et::Result<const char*> name = program->get_method_name(0);
  if (!name.ok()) return fail("method", name.error());
  et::Result<et::MethodMeta> meta = program->method_meta(*name);
  if (!meta.ok()) return fail("method", meta.error());

  et::MemoryAllocator planned(sizeof(g_planned_memory), g_planned_memory);
  et::Span<uint8_t> arenas[kMostArenas];
  const size_t arena_count = meta->num_memory_planned_buffers();
  if (arena_count > kMostArenas) return fail("arenas", et::Error::NotSupported);
  for (size_t i = 0; i < arena_count; ++i) {
    const et::Result<int64_t> bytes = meta->memory_planned_buffer_size(i);
    if (!bytes.ok() || *bytes > PTRDIFF_MAX) return fail("arenas", et::Error::MemoryAllocationFailed);
    auto* memory = static_cast<uint8_t*>(planned.allocate(static_cast<size_t>(*bytes), 16));
    if (memory == nullptr) return fail("arenas", et::Error::MemoryAllocationFailed);
    arenas[i] = {memory, static_cast<size_t>(*bytes)};
  }
  et::HierarchicalAllocator planned_memory({arenas, arena_count});
  et::MemoryAllocator method_memory(sizeof(g_method_memory), g_method_memory);
  et::MemoryAllocator temporary_memory(sizeof(g_temporary_memory), g_temporary_memory);
  et::MemoryManager memory(&method_memory, &planned_memory, &temporary_memory);

  et::etdump::ETDumpGen tracer({g_trace_memory, sizeof(g_trace_memory)});
  et::Result<et::Method> method = program->load_method(*name, &memory, &tracer);
  if (!method.ok()) return fail("load", method.error());
  if (method->inputs_size() > kMostInputs) return fail("inputs", et::Error::NotSupported);

  for (int run = 0; run < kRuns; ++run) {
    et::MemoryAllocator inputs(sizeof(g_input_memory), g_input_memory);
    for (size_t i = 0; i < method->inputs_size(); ++i) {
      const et::Error error = set_input(*method, i, inputs);
      if (error != et::Error::Ok) return fail("input", error);
    }
    const et::Error error = method->execute();
    if (error != et::Error::Ok) return fail("execute", error);
  }

  for (size_t i = 0; i < method->outputs_size(); ++i) {
    const et::EValue& v = method->get_output(i);
    if (!v.isTensor() || v.toTensor().scalar_type() != et::ScalarType::Float) continue;
    const et::Tensor t = v.toTensor();
    std::printf("output %u:", static_cast<unsigned>(i));
    for (ssize_t k = 0; k < t.numel() && k < 8; ++k)
      std::printf(" %g", static_cast<double>(t.const_data_ptr<float>()[k]));
    std::printf("\n");
  }
  std::printf("memory: method %u, planned %u bytes\n", static_cast<unsigned>(method_memory.high_water()),
              static_cast<unsigned>(planned.high_water()));

  const et::etdump::ETDumpResult dump = tracer.get_etdump_data();
  if (dump.buf == nullptr) return fail("trace", et::Error::OutOfResources);
  if (!write_file("etdump.etdp", dump.buf, dump.size)) return fail("etdump.etdp", et::Error::AccessFailed);
  std::printf("trace: %u bytes in etdump.etdp\n", static_cast<unsigned>(dump.size));
  return 0;
}
