// Loads a program, gives it inputs (ones for float tensors, else zeros), runs it and prints the outputs. The kernels
// that it links are chosen in CMakeLists.txt.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/file_data_loader.h"
#include "runtime/module/method_arenas.h"

namespace {

int fail(const char* what, et::Error error) {
  std::fprintf(stderr, "%s: %s\n", what, et::error_name(error));
  return 1;
}

/// Memory for one input that the program did not plan. The shape and the dim order are the program's.
struct Input {
  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> dim_order;
  std::unique_ptr<double[]> data;  // aligned for every dtype
  std::unique_ptr<et::TensorImpl> impl;
};

et::Error set_input(et::Method& method, size_t i, Input& in) {
  const et::EValue& v = method.get_input(i);
  if (!v.isTensor()) return method.set_input(v, i);
  const et::Tensor t = v.toTensor();
  in.sizes.assign(t.sizes().begin(), t.sizes().end());
  in.strides.assign(t.strides().begin(), t.strides().end());
  in.dim_order.assign(t.dim_order().begin(), t.dim_order().end());
  in.data = std::make_unique<double[]>(t.nbytes() / sizeof(double) + 1);
  if (t.scalar_type() == et::ScalarType::Float) {
    auto* numbers = reinterpret_cast<float*>(in.data.get());
    for (ssize_t k = 0; k < t.numel(); ++k) numbers[k] = 1;
  }
  in.impl = std::make_unique<et::TensorImpl>(t.scalar_type(), in.sizes.size(), in.sizes.data(), in.data.get(),
                                             in.dim_order.data(), in.strides.data());
  return method.set_input(et::EValue(et::Tensor(in.impl.get())), i);
}

void print(const et::EValue& v) {
  if (v.isInt()) std::printf("%" PRId64, v.toInt());
  if (v.isDouble()) std::printf("%g", v.toDouble());
  if (v.isBool()) std::printf("%s", v.toBool() ? "true" : "false");
  if (!v.isTensor()) return;
  const et::Tensor t = v.toTensor();
  std::printf("%s [", et::scalar_type_name(t.scalar_type()));
  for (size_t d = 0; d < t.sizes().size(); ++d) std::printf("%s%d", d > 0 ? ", " : "", static_cast<int>(t.sizes()[d]));
  std::printf("]");
  if (t.scalar_type() != et::ScalarType::Float) return;
  for (ssize_t k = 0; k < t.numel() && k < 8; ++k)
    std::printf(" %g", static_cast<double>(t.const_data_ptr<float>()[k]));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_model PROGRAM.pte [METHOD]\n");
    return 2;
  }
  et::runtime_init();
  et::Result<et::FileDataLoader> loader = et::FileDataLoader::from(argv[1]);
  if (!loader.ok()) return fail(argv[1], loader.error());
  et::Result<et::Program> program = et::Program::load(&*loader);
  if (!program.ok()) return fail(argv[1], program.error());
  et::Result<const char*> first = program->get_method_name(0);
  const char* name = argc > 2 ? argv[2] : first.ok() ? *first : "forward";
  et::Result<et::MethodMeta> meta = program->method_meta(name);
  if (!meta.ok()) return fail(name, meta.error());
  auto arenas = et::MethodArenas::create(*meta);
  if (!arenas.ok()) return fail("memory", arenas.error());
  et::Result<et::Method> method = program->load_method(name, (*arenas)->manager());
  if (!method.ok()) return fail(name, method.error());

  std::vector<Input> inputs(method->inputs_size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const et::Error error = set_input(*method, i, inputs[i]);
    if (error != et::Error::Ok) return fail("input", error);
  }
  const et::Error error = method->execute();
  if (error != et::Error::Ok) return fail(name, error);
  for (size_t i = 0; i < method->outputs_size(); ++i) {
    std::printf("output %zu: ", i);
    print(method->get_output(i));
    std::printf("\n");
  }
  return 0;
}
