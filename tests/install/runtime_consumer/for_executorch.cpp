// Written for ExecuTorch: reads a program by its tables, runs it with Module, and reports both.
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/schema/extended_header.h>
#include <executorch/schema/program_generated.h>

#include <cstdio>

using executorch::extension::FileDataLoader;
using executorch::runtime::DataLoader;
using executorch::runtime::ExtendedHeader;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto loader = FileDataLoader::from(argv[1]);
  if (!loader.ok()) return 1;
  const DataLoader::SegmentInfo whole(DataLoader::SegmentInfo::Type::Program);
  const auto head = loader->load(0, ExtendedHeader::kNumHeadBytes, whole);
  // Without a header the whole file is the flatbuffer.
  const auto header = ExtendedHeader::Parse(head->data(), head->size());
  const auto tables = loader->load(0, header.ok() ? header->program_size : *loader->size(), whole);
  const executorch_flatbuffer::Program* program = executorch_flatbuffer::GetProgram(tables->data());
  for (const auto* plan : *program->execution_plan()) {
    std::printf("%s:", plan->name()->c_str());
    for (const auto* op : *plan->operators()) std::printf(" %s.%s", op->name()->c_str(), op->overload()->c_str());
  }

  executorch::extension::Module module(argv[1]);
  const auto a = executorch::extension::full({2, 3}, 2);
  const auto b = executorch::extension::full({2, 3}, 3);
  const auto out = module.forward({a, b});
  if (!out.ok()) return 1;
  std::printf(" result %g\n", out->at(0).toTensor().const_data_ptr<float>()[5]);
  return 0;
}
