// The unpickler behind torch_archive.h: opcodes in, a tree of PickleValue out. Refuses every global that tensors do not
// need. Internal to this room.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "etrecord/pickle_opcodes.h"
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
  enum class What : uint8_t { Value, Global, Storage };
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

  using Handler = Status (PickleMachine::*)(PickleOp op);
  using Handlers = std::array<Handler, 256>;
  static const Handlers& handlers();
  Status step(uint8_t op);
  /// The object up to the next STOP.
  Status next(Item* out);

  Status op_protocol(PickleOp op);
  Status op_frame(PickleOp op);
  Status op_stop(PickleOp op);
  Status op_mark(PickleOp op);
  Status op_pop(PickleOp op);
  Status op_pop_mark(PickleOp op);
  template <PickleValue::Kind kind>
  Status op_empty(PickleOp op);
  Status op_bool(PickleOp op);
  template <class T>
  Status op_int(PickleOp op);
  template <class Length>
  Status op_long(PickleOp op);
  Status op_float(PickleOp op);
  template <class Length, PickleValue::Kind kind>
  Status op_text(PickleOp op);
  Status op_small_tuple(PickleOp op);
  template <PickleValue::Kind kind>
  Status op_sequence(PickleOp op);
  Status op_dict(PickleOp op);
  Status op_append(PickleOp op);
  Status op_appends(PickleOp op);
  Status op_set_item(PickleOp op);
  Status op_set_items(PickleOp op);
  template <class Index>
  Status op_put(PickleOp op);
  Status op_put_next(PickleOp op);
  template <class Index>
  Status op_get(PickleOp op);
  Status op_global(PickleOp op);
  Status op_stack_global(PickleOp op);
  Status op_persistent(PickleOp op);
  Status op_call(PickleOp op);
  Status op_set_state(PickleOp op);

  Status string_op(uint64_t length, PickleValue::Kind kind);
  Status long_op(uint64_t length);
  Status global(std::string module, std::string name);
  Status container(PickleValue::Kind kind, size_t from);
  Status append(size_t from);
  Status set_items(size_t from);
  Status memo_get(uint64_t index);
  Status memo_put(uint64_t index);

  // Calls of the known globals.
  Status call(const std::string& name, const std::vector<Item>& arguments, PickleValue* out);
  template <bool v3>
  Status rebuild_tensor(const std::vector<Item>& raw, PickleValue* out);
  Status rebuild_parameter(const std::vector<Item>& raw, PickleValue* out);
  Status rebuild_with_attributes(const std::vector<Item>& raw, PickleValue* out);
  Status rebuild_fake(const std::vector<Item>& raw, PickleValue* out);
  template <bool wrapper>
  Status rebuild_object(const std::vector<Item>& raw, PickleValue* out);
  Status encode(const std::vector<Item>& raw, PickleValue* out);
  Status name_object(const std::vector<Item>& raw, PickleValue* out);
  Status size_object(const std::vector<Item>& raw, PickleValue* out);
  Status ordered_dict(const std::vector<Item>& raw, PickleValue* out);

  // A storage as bytes of their own (pickle_storage.cpp).
  Status load_storage(const std::vector<Item>& arguments, std::shared_ptr<const Storage>* out);
  Status read_storage_archive(std::shared_ptr<const Storage>* out);
  Status op_archived_storage();

  Status as_data(const Item& item, PickleValue** out);
  Status check_tree(const PickleValue* root) const;

  Status cut_short() const;
  Status fail(const std::string& expected, Error code = Error::InvalidExternalData) const;
  bool spend(uint64_t bytes);
  Status make(PickleValue::Kind kind, PickleValue** out);
  Status push_value(PickleValue::Kind kind, PickleValue** out);
  Status mark(size_t* position);
  bool take(size_t n, std::span<const uint8_t>* out);
  /// Little endian, unsigned.
  template <class T>
  bool number(T* out) {
    std::span<const uint8_t> b;
    if (!take(sizeof(T), &b)) return false;
    T v = 0;
    for (size_t i = sizeof(T); i-- > 0;) v = static_cast<T>(static_cast<uint64_t>(v) << 8 | b[i]);
    *out = v;
    return true;
  }
  bool line(std::string* out);

  std::span<const uint8_t> in_;
  const TorchLimits& limits_;
  StorageReader storages_;
  std::deque<PickleValue>* arena_;
  size_t at_ = 0;
  size_t op_at_ = 0;
  bool done_ = false;
  bool in_storage_ = false;  // reads the archive of one storage
  uint64_t spent_ = 0;
  std::vector<Item> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Item> memo_;
  // Tuples whose elements are not all plain values (globals, storages), as REDUCE needs them.
  std::unordered_map<const PickleValue*, std::shared_ptr<const std::vector<Item>>> raw_tuples_;
  std::unordered_map<std::string, std::span<const uint8_t>> storage_bytes_;
};

}  // namespace et::etrecord
