#include "bundled_program/cases/npy.h"

#include <cstring>
#include <numeric>

#include "base/write_file.h"

namespace et::bundled {
namespace {

constexpr size_t kDataAlignment = 16;

}  // namespace

std::unique_ptr<OwnedTensor> npy_tensor(const NpyArray& array) {
  const bool aligned = reinterpret_cast<uintptr_t>(array.data.data()) % kDataAlignment == 0;
  if (aligned && is_row_major(array.dim_order))
    return std::make_unique<OwnedTensor>(array.type, array.sizes, array.data);
  auto own = std::make_unique<OwnedTensor>(array.type, array.sizes);
  std::vector<uint8_t> moved;
  const std::span<const uint8_t> elements = row_major(array, &moved);
  if (!elements.empty()) std::memcpy(own->data(), elements.data(), elements.size());
  return own;
}

Status write_npy_file(const std::string& path, const TensorValue& t) {
  std::vector<uint8_t> rows;
  std::span<const uint8_t> data = t.data;
  if (!is_row_major(t.dim_order)) {
    std::vector<uint8_t> order(t.sizes.size());
    std::iota(order.begin(), order.end(), uint8_t{0});
    rows = reordered(t, order);
    data = rows;
  }
  const std::string header = npy_header(t.scalar_type, t.sizes);
  return et::write_file(path, {{reinterpret_cast<const uint8_t*>(header.data()), header.size()}, data});
}

}  // namespace et::bundled
