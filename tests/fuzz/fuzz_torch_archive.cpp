// Any bytes as a pickle over two small storages, and as a whole torch.save archive.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "etrecord/pickle_machine.h"
#include "etrecord/torch_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace et::etrecord;
  TorchLimits limits;
  limits.max_objects = 1 << 16;
  limits.max_inflated = 8 << 20;
  static const std::vector<uint8_t> storage(256);
  std::deque<PickleValue> arena;
  PickleMachine machine(
      {data, size}, limits,
      [](const std::string& key, std::span<const uint8_t>* bytes) {
        if (key.size() != 1) return et::Status(et::Error::NotFound, "no such storage");
        *bytes = storage;
        return et::Status();
      },
      &arena);
  const PickleValue* root = nullptr;
  (void)machine.run(&root);

  TorchArchive archive;
  if (!TorchArchive::open({data, size}, "fuzz", &archive, limits).ok()) return 0;
  for (const auto& [path, tensor] : archive.tensors()) {
    std::vector<uint8_t> out;
    (void)tensor->contiguous(&out, 1 << 20);
  }
  return 0;
}
