// Reads what torch.save wrote, as data. A pickle is a program; this reader accepts only the few globals that tensors
// need and refuses all others by name, so nothing a file contains is ever executed. Source: ETRecord format page,
// "torch.save archives".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scalar_type.h"
#include "base/status.h"

namespace et::etrecord {

struct TorchLimits {
  uint64_t max_pickle_bytes = uint64_t{64} << 20;
  uint64_t max_bare_pickle_bytes = uint64_t{1} << 30;  ///< of a pickle with the tensors' bytes inside
  uint64_t max_objects = uint64_t{1} << 20;            ///< objects that the pickle makes
  uint64_t max_tree = uint64_t{2} << 20;      ///< objects in the tree, shared ones counted wherever they appear
  uint32_t max_depth = 100;                   ///< nesting of the tree
  uint64_t max_inflated = uint64_t{4} << 30;  ///< bytes from compressed or copied storages
};

/// A tensor: a strided view of a storage. Checked: every element that sizes and strides reach lies in the storage.
struct TorchTensor {
  ScalarType dtype = ScalarType::Float;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;      ///< in elements
  int64_t storage_offset = 0;        ///< in elements
  std::string storage_key;           ///< equal keys: the tensors share memory
  std::span<const uint8_t> storage;  ///< all bytes of the storage, little endian
  bool requires_grad = false;
  bool is_parameter = false;
  bool fake = false;  ///< shape and dtype only: the ETRecord has no data for it

  int64_t numel() const;
  /// The elements in row-major order. Errors: NotSupported (fake), OutOfResources (more than `max_bytes`).
  Status contiguous(std::vector<uint8_t>* out, uint64_t max_bytes = uint64_t{4} << 30) const;
};

/// One object of the tree. Owned by its TorchArchive; a subtree may appear at several places, never inside itself.
class PickleValue {
 public:
  enum class Kind : uint8_t { None, Bool, Int, Float, String, Bytes, List, Tuple, Dict, Tensor, Name, Object };

  Kind kind = Kind::None;
  int64_t integer = 0;  ///< Int, Bool
  double number = 0;    ///< Float
  /// String (UTF-8), Bytes; Int beyond 64 bit: its little-endian bytes in hexadecimal; Name of a dtype or class
  /// ("torch.int4"); Object: the name of its class (torchao's quantised tensors).
  std::string text;
  std::vector<const PickleValue*> items;                                   ///< List, Tuple; Object: arguments
  std::vector<std::pair<const PickleValue*, const PickleValue*>> entries;  ///< Dict, file order; Object: state
  std::shared_ptr<const TorchTensor> tensor;                               ///< Tensor

  bool is_sequence() const { return kind == Kind::List || kind == Kind::Tuple; }
  /// Value of a string key of a dict (the last one wins, as in Python), nullptr if none or not a dict.
  const PickleValue* find(std::string_view key) const;
};

class TorchArchive {
 public:
  /// Reads an archive, or a bare pickle of tensors (ETRecords up to 1.2). `bytes` must outlive it unless `owner` keeps
  /// them alive; `name` is for messages. Errors: InvalidExternalData (damaged), NotSupported ("refused: os.system", big
  /// endian), OutOfResources (a limit).
  static Status open(std::span<const uint8_t> bytes, const std::string& name, TorchArchive* out,
                     const TorchLimits& limits = {}, std::shared_ptr<const void> owner = nullptr);

  /// The pickled object; None before open().
  const PickleValue& root() const;
  /// All tensors in the tree with a path for people ("forward[0][1]", "conv.weight"), in order.
  std::vector<std::pair<std::string, const TorchTensor*>> tensors() const;

 private:
  static Status open_pickle(std::span<const uint8_t> bytes, const std::string& name, TorchArchive* out,
                            const TorchLimits& limits);
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace et::etrecord
