// Runs model.pte on ones and prints the rows of its output. It links the kernels of this one model, and smooth.cpp.
#include <cstdio>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/module/tensor.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: custom_operator MODEL.pte\n");
    return 2;
  }
  std::vector<float> signal(4 * 16, 1.F);
  et::Module model(argv[1]);
  auto outputs = model.forward(et::from_blob(signal.data(), {4, 16}));
  if (!outputs.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], et::error_name(outputs.error()));
    return 1;
  }
  const et::Tensor out = outputs->at(0).toTensor();
  for (ssize_t i = 0; i < out.numel(); ++i) {
    std::printf("%.4f%c", static_cast<double>(out.const_data_ptr<float>()[i]), (i + 1) % out.size(1) == 0 ? '\n' : ' ');
  }
  return 0;
}
