// The least that an application does: load a program, load a method with a tracer, set inputs, execute, read outputs.
// scripts/size_report.py links it to see what the core takes.
#include "runtime/core/event_tracer.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"

namespace {

alignas(16) uint8_t g_program[64];  // a real one comes from flash
alignas(16) uint8_t g_method_memory[1024];
alignas(16) uint8_t g_planned_memory[1024];
et::EventTracer* volatile g_tracer = nullptr;

}  // namespace

int main() {
  et::runtime_init();
  const et::BufferDataLoader loader(g_program, sizeof(g_program));
  et::Result<et::Program> program = et::Program::load(&loader);
  if (!program.ok()) return 1;
  et::MemoryAllocator method_memory(sizeof(g_method_memory), g_method_memory);
  et::Span<uint8_t> arena(g_planned_memory, sizeof(g_planned_memory));
  et::HierarchicalAllocator planned({&arena, 1});
  et::MemoryManager memory(&method_memory, &planned);
  et::Result<et::Method> method = program->load_method("forward", &memory, g_tracer);
  if (!method.ok()) return 2;
  for (size_t i = 0; i < method->inputs_size(); ++i) {
    const et::EValue value = method->get_input(i);
    if (method->set_input(value, i) != et::Error::Ok) return 3;
  }
  if (method->execute() != et::Error::Ok) return 4;
  return method->outputs_size() > 0 && method->get_output(0).isTensor() ? 0 : 5;
}
