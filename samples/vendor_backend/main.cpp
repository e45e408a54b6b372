// Runs the cases of a bundled program with the vendor's backend, compares the outputs and writes a trace.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "bundled_program/bundle.h"
#include "bundled_program/compare.h"
#include "etdump/etdump_gen.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"

namespace {

constexpr double kTolerance = 1e-4;

/// Reads the file into memory that begins at a multiple of 16, as bundles must.
std::vector<std::max_align_t> read(const char* path, size_t* size) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  *size = in ? static_cast<size_t>(in.tellg()) : 0;
  std::vector<std::max_align_t> bytes(*size / sizeof(std::max_align_t) + 1);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(*size));
  return bytes;
}

bool run_case(et::Module& module, const et::bundled::Case& test, uint32_t number) {
  std::vector<et::TensorPtr> tensors;
  std::vector<et::EValue> inputs;
  for (uint32_t i = 0; i < test.input_count(); ++i) {
    const et::bundled::TensorValue t = test.input(i).tensor;
    tensors.push_back(
        et::from_blob(const_cast<uint8_t*>(t.data.data()), {t.sizes.begin(), t.sizes.end()}, t.scalar_type));
    inputs.emplace_back(*tensors.back());
  }
  auto outputs = module.forward(inputs);
  if (!outputs.ok()) {
    std::printf("case %u: %s\n", number, et::error_name(outputs.error()));
    return false;
  }
  bool passed = true;
  for (uint32_t i = 0; i < test.expected_count() && i < outputs->size(); ++i) {
    const auto result =
        et::bundled::compare(outputs->at(i).toTensor(), test.expected(i).tensor, {kTolerance, kTolerance});
    passed = passed && result.passed();
  }
  std::printf("case %u: %s\n", number, passed ? "passed" : "differs");
  return passed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: vendor_backend MODEL.bpte ETDUMP\n");
    return 2;
  }
  size_t size = 0;
  const std::vector<std::max_align_t> file = read(argv[1], &size);
  et::bundled::Bundle bundle;
  const et::FileError fault = et::bundled::Bundle::open({reinterpret_cast<const uint8_t*>(file.data()), size}, &bundle);
  if (!fault.ok()) {
    std::fprintf(stderr, "%s: byte %llu: %s: expected %s\n", argv[1], static_cast<unsigned long long>(fault.offset),
                 fault.field, fault.expected);
    return 3;
  }
  auto tracer = std::make_unique<et::etdump::ETDumpGen>();
  et::etdump::ETDumpGen& trace = *tracer;
  et::Module module(std::make_unique<et::BufferDataLoader>(bundle.program().data(), bundle.program().size()), nullptr,
                    nullptr, std::move(tracer));
  bool passed = true;
  const et::bundled::Suite suite = bundle.suite(0);
  for (uint32_t i = 0; i < suite.case_count() && passed; ++i) passed = run_case(module, suite.test_case(i), i);
  const et::etdump::ETDumpResult dump = trace.get_etdump_data();
  std::ofstream(argv[2], std::ios::binary)
      .write(static_cast<const char*>(dump.buf), static_cast<std::streamsize>(dump.size));
  std::free(dump.buf);
  return passed ? 0 : 1;
}
