// The unpickler behind torch_archive.h: opcodes in, a tree of PickleValue out. Knows the globals of the format page and
// refuses all others. Internal to this room.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "etrecord/torch_archive.h"

namespace et::etrecord {

/// Finds the bytes of a storage; called once a key.
using StorageReader = std::function<Status(const std::string& key, std::span<const uint8_t>* bytes)>;

class PickleMachine {
 public:
  PickleMachine(std::span<const uint8_t> pickle, const TorchLimits& limits, StorageReader storages,
                std::deque<PickleValue>* arena)
      : in_(pickle), limits_(limits), storages_(std::move(storages)), arena_(arena) {}

  /// Runs the pickle; *root lives in the arena. The message names the byte offset in the pickle.
  Status run(const PickleValue** root);

 private:
  enum class What : uint8_t { Value, Mark, Global, Storage };
  struct Storage {
    std::string key;
    std::string storage_class;
    int64_t count = 0;
    std::span<const uint8_t> bytes;
  };
  struct Item {
    What what = What::Value;
    PickleValue* value = nullptr;
    std::shared_ptr<const std::string> global;  // "torch._utils._rebuild_tensor_v2"
    std::shared_ptr<const Storage> storage;
  };

  Status step(uint8_t op, bool* done);
  Status string_op(uint64_t length, PickleValue::Kind kind);
  Status long_op(uint64_t length);
  Status global(std::string module, std::string name);
  Status reduce();
  Status build();
  Status persistent();
  Status container(PickleValue::Kind kind, size_t from);
  Status append(size_t from);
  Status set_items(size_t from);
  Status memo_get(uint64_t index);
  Status memo_put(uint64_t index);

  Status rebuild_tensor(const std::vector<Item>& raw, bool v3, PickleValue* out);
  Status rebuild_parameter(const std::vector<Item>& raw, PickleValue* out);
  Status rebuild_fake(const std::vector<Item>& raw, PickleValue* out);
  Status rebuild_object(const std::vector<Item>& raw, bool wrapper, PickleValue* out);
  Status as_data(const Item& item, PickleValue** out);
  Status encode(const std::vector<Item>& raw, PickleValue* out);
  Status check_tree(const PickleValue* root) const;

  Status fail(const std::string& expected, Error code = Error::InvalidExternalData) const;
  bool spend(uint64_t bytes);
  Status make(PickleValue::Kind kind, PickleValue** out);
  Status push_value(PickleValue::Kind kind, PickleValue** out);
  Status mark(size_t* position);
  bool take(size_t n, std::span<const uint8_t>* out);
  template <class T>
  bool number(T* out);
  bool line(std::string* out);

  std::span<const uint8_t> in_;
  const TorchLimits& limits_;
  StorageReader storages_;
  std::deque<PickleValue>* arena_;
  size_t at_ = 0;
  size_t op_at_ = 0;
  uint64_t spent_ = 0;
  std::vector<Item> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Item> memo_;
  // Tuples whose elements are not all plain values (globals, storages), as REDUCE needs them.
  std::unordered_map<const PickleValue*, std::shared_ptr<const std::vector<Item>>> raw_tuples_;
  std::unordered_map<std::string, std::span<const uint8_t>> storage_bytes_;
};

}  // namespace et::etrecord
