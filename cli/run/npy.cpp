#include "cli/run/npy.h"

#include <cstring>
#include <optional>

#include "base/mapped_file.h"
#include "bundled_program/cases/npy.h"

namespace et::cli {

Status read_npy(const std::string& path, std::unique_ptr<HostTensor>* out) {
  MappedFile file;
  if (Status s = MappedFile::open(path, &file); !s.ok()) return s;
  bundled::NpyArray array;
  if (Status s = bundled::parse_npy(file.bytes(), path, std::nullopt, &array); !s.ok()) return s;
  auto own = std::make_unique<HostTensor>(array.type, array.sizes, array.dim_order);
  if (!array.data.empty()) std::memcpy(own->data(), array.data.data(), array.data.size());
  *out = bundled::is_row_major(array.dim_order) ? std::move(own) : own->with_dim_order({});
  return {};
}

Status write_npy(const std::string& path, const Tensor& t) {
  if (!bundled::npy_knows(t.scalar_type())) {
    return {Error::NotSupported, path + ": NumPy has no dtype for " + scalar_type_name(t.scalar_type())};
  }
  return bundled::write_npy_file(
      path, {t.scalar_type(), t.sizes(), t.dim_order(), {t.const_data_ptr<uint8_t>(), t.nbytes()}});
}

}  // namespace et::cli
