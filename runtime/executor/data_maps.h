// Where named data come from: a tensor file (.ptd), the program itself, or several of them.
#pragma once

#include "runtime/core/named_data_map.h"
#include "runtime/format/program.h"
#include "runtime/format/tensor_file.h"
#include "runtime/loader/data_loader.h"

namespace et {

/// A tensor file (.ptd). The bytes must outlive the map and start at a multiple of 8.
class FlatTensorDataMap final : public NamedDataMap {
 public:
  /// `loader`: where the bytes are from; told when data are freed. InvalidExternalData: not a valid tensor file.
  static Result<FlatTensorDataMap> load(Span<const uint8_t> file, const DataLoader* loader = nullptr);
  Result<const TensorLayout> get_tensor_layout(string_view key) const override;
  Result<FreeableBuffer> get_data(string_view key) const override;
  Result<uint32_t> get_num_keys() const override { return file_.entry_count(); }
  Result<const char*> get_key(uint32_t index) const override {
    if (index >= file_.entry_count()) return Error::InvalidArgument;
    return file_.entry(index).key.data();
  }

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
  Result<const TensorLayout> get_tensor_layout(string_view key) const override;
  Result<FreeableBuffer> get_data(string_view key) const override;
  Result<uint32_t> get_num_keys() const override { return size(); }
  uint32_t size() const { return program_.named_data_count(); }
  Result<const char*> get_key(uint32_t index) const override {
    if (index >= program_.named_data_count()) return Error::InvalidArgument;
    return program_.named_data(index).key.data();
  }
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
  Result<const TensorLayout> get_tensor_layout(string_view key) const override;
  Result<FreeableBuffer> get_data(string_view key) const override;
  Result<uint32_t> get_num_keys() const override;
  Result<const char*> get_key(uint32_t index) const override;

 private:
  ArrayRef<const NamedDataMap*> maps_;
};

}  // namespace et
