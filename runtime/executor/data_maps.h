// Named data: tensors and blobs that a program or a delegate asks for by key. From a tensor file (.ptd), from the
// program itself, or from several of them.
#pragma once

#include "base/result.h"
#include "runtime/core/span.h"
#include "runtime/format/program.h"
#include "runtime/format/tensor_file.h"
#include "runtime/loader/data_loader.h"

namespace et {

/// dtype and shape of a named tensor; the spans live as long as the map.
struct TensorLayout {
  ScalarType scalar_type = ScalarType::Byte;
  ArrayRef<int32_t> sizes;
  ArrayRef<uint8_t> dim_order;
  size_t nbytes = 0;
};

class NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;
  /// NotFound: no such key; NotImplemented: the entry has no layout.
  virtual Result<TensorLayout> get_tensor_layout(string_view key) const = 0;
  virtual Result<FreeableBuffer> get_data(string_view key) const = 0;
  /// Copies exactly `size` bytes. InvalidArgument: the entry has fewer.
  Error load_data_into(string_view key, void* buffer, size_t size) const;
  virtual uint32_t get_num_keys() const = 0;
  /// Empty outside [0, get_num_keys()).
  virtual string_view get_key(uint32_t index) const = 0;
};

/// A tensor file (.ptd). The bytes must outlive the map and start at a multiple of 8.
class FlatTensorDataMap final : public NamedDataMap {
 public:
  /// `loader`: where the bytes are from; told when data are freed. InvalidExternalData: not a sound tensor file.
  static Result<FlatTensorDataMap> load(Span<const uint8_t> file, const DataLoader* loader = nullptr);
  Result<TensorLayout> get_tensor_layout(string_view key) const override;
  Result<FreeableBuffer> get_data(string_view key) const override;
  uint32_t get_num_keys() const override { return file_.entry_count(); }
  string_view get_key(uint32_t index) const override { return file_.entry(index).key; }

 private:
  FlatTensorDataMap(const format::TensorFile& file, const DataLoader* loader) : file_(file), loader_(loader) {}
  format::TensorFile file_;
  const DataLoader* loader_;
};

/// Named data inside a program: blobs without layout.
class ProgramDataMap final : public NamedDataMap {
 public:
  ProgramDataMap() = default;
  /// `loader`: where the program's bytes are from; told when data are freed.
  explicit ProgramDataMap(const format::Program& program, const DataLoader* loader = nullptr)
      : program_(program), loader_(loader) {}
  Result<TensorLayout> get_tensor_layout(string_view key) const override;
  Result<FreeableBuffer> get_data(string_view key) const override;
  uint32_t get_num_keys() const override { return program_.named_data_count(); }
  string_view get_key(uint32_t index) const override { return program_.named_data(index).key; }
  /// Bytes of the program as a buffer that its loader hears of when it is freed.
  FreeableBuffer buffer(Span<const uint8_t> bytes) const {
    return DataLoader::part(loader_, bytes.data(), bytes.size());
  }

 private:
  format::Program program_;
  const DataLoader* loader_ = nullptr;
};

/// Looks in each of several maps; they must outlive it.
class MergedDataMap final : public NamedDataMap {
 public:
  explicit MergedDataMap(ArrayRef<const NamedDataMap*> maps) : maps_(maps) {}
  /// InvalidArgument when two maps share a key (named in the log).
  Error check() const;
  Result<TensorLayout> get_tensor_layout(string_view key) const override;
  Result<FreeableBuffer> get_data(string_view key) const override;
  uint32_t get_num_keys() const override;
  string_view get_key(uint32_t index) const override;

 private:
  ArrayRef<const NamedDataMap*> maps_;
};

}  // namespace et
