// What calls and persistent ids of a pickle make: storages, tensors, the few other objects that archives of tensors
// hold.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/json.h"
#include "base/printable.h"
#include "etrecord/pickle_globals.h"
#include "etrecord/pickle_machine.h"
#include "etrecord/tensor_meta_json.h"

namespace et::etrecord {

using Kind = PickleValue::Kind;

namespace {

constexpr size_t kMaxRank = 64;
constexpr size_t kMaxArguments = 16;

bool ints_of(const PickleValue* tuple, std::vector<int64_t>* out) {
  if (tuple == nullptr || !tuple->is_sequence() || tuple->items.size() > kMaxRank) return false;
  for (const PickleValue* item : tuple->items) {
    if (item->kind != Kind::Int || !item->text.empty()) return false;
    out->push_back(item->integer);
  }
  return true;
}

// Number of elements that must be in the storage, nullopt if sizes, strides or offset are impossible.
std::optional<uint64_t> reach(const TorchTensor& t) {
  if (t.sizes.size() != t.strides.size() || t.storage_offset < 0) return std::nullopt;
  int64_t numel = 1;
  int64_t last = t.storage_offset;
  bool empty = false;
  for (size_t i = 0; i < t.sizes.size(); ++i) {
    if (t.sizes[i] < 0 || t.strides[i] < 0) return std::nullopt;
    if (t.sizes[i] == 0) empty = true;
  }
  for (size_t i = 0; i < t.sizes.size(); ++i) {
    if (__builtin_mul_overflow(numel, std::max<int64_t>(t.sizes[i], 1), &numel)) return std::nullopt;
    if (empty) continue;
    int64_t step = 0;
    if (__builtin_mul_overflow(t.sizes[i] - 1, t.strides[i], &step) || __builtin_add_overflow(last, step, &last)) {
      return std::nullopt;
    }
  }
  if (numel > std::numeric_limits<int64_t>::max() / 16) return std::nullopt;
  return empty ? 0 : static_cast<uint64_t>(last) + 1;
}

}  // namespace

Status PickleMachine::op_persistent(PickleOp /*op*/) {
  if (in_storage_) return op_archived_storage();
  if (stack_.empty() || stack_.back().what != What::Value) return fail("expected a storage tuple");
  const auto raw = raw_tuples_.find(stack_.back().value);
  const char* expected = "expected (\"storage\", class, key, location, count)";
  if (raw == raw_tuples_.end()) return fail(expected);
  const std::vector<Item>& t = *raw->second;
  const auto is = [&t](size_t i, Kind kind) { return t[i].what == What::Value && t[i].value->kind == kind; };
  if (t.size() != 5 || !is(0, Kind::String) || t[0].value->text != "storage" || t[1].what != What::Global ||
      !is(2, Kind::String) || !is(4, Kind::Int) || t[4].value->integer < 0 || !t[4].value->text.empty()) {
    return fail(expected);
  }
  auto s = std::make_shared<Storage>();
  s->key = t[2].value->text;
  s->storage_class = *t[1].global;
  s->count = t[4].value->integer;
  const auto type = storage_class_type(s->storage_class);
  if (!type && s->storage_class != kUntyped) return fail("expected a storage class, not " + s->storage_class);

  auto known = storage_bytes_.find(s->key);
  if (known == storage_bytes_.end()) {
    std::span<const uint8_t> bytes;
    Status status = storages_(s->key, &bytes);
    if (!status.ok()) return {status.code(), fail("storage " + printable(s->key)).message() + ": " + status.message()};
    known = storage_bytes_.emplace(s->key, bytes).first;
  }
  s->bytes = known->second;
  const uint64_t element = type ? element_size(*type) : 1;
  if (static_cast<uint64_t>(s->count) > s->bytes.size() / element) {
    return fail("storage " + printable(s->key) + " has " + std::to_string(s->bytes.size()) + " bytes, expected " +
                std::to_string(s->count) + " elements of " + std::to_string(element));
  }
  s->bytes = s->bytes.first(static_cast<size_t>(s->count) * element);
  stack_.back() = {What::Storage, nullptr, nullptr, std::move(s)};
  return {};
}

Status PickleMachine::op_call(PickleOp /*op*/) {
  if (stack_.size() < 2 || stack_.back().what != What::Value || stack_.back().value->kind != Kind::Tuple ||
      stack_[stack_.size() - 2].what != What::Global) {
    return fail("expected a global and its arguments");
  }
  const PickleValue* args = stack_.back().value;
  const std::string name = *stack_[stack_.size() - 2].global;
  std::vector<Item> raw;
  const auto wide = raw_tuples_.find(args);
  if (args->items.size() > kMaxArguments || (wide != raw_tuples_.end() && wide->second->size() > kMaxArguments)) {
    return fail("expected at most " + std::to_string(kMaxArguments) + " arguments");
  }
  if (wide != raw_tuples_.end()) {
    raw = *wide->second;
  } else {
    for (const PickleValue* item : args->items) {
      raw.push_back({What::Value, const_cast<PickleValue*>(item), nullptr, nullptr});  // NOLINT: our own arena
    }
  }
  stack_.resize(stack_.size() - 2);

  if (name == kLoadStorage) {
    std::shared_ptr<const Storage> storage;
    if (Status status = load_storage(raw, &storage); !status.ok()) return status;
    stack_.push_back({What::Storage, nullptr, nullptr, std::move(storage)});
    return {};
  }
  PickleValue* out = nullptr;
  if (Status status = make(Kind::Tensor, &out); !status.ok()) return status;
  if (Status status = call(name, raw, out); !status.ok()) return status;
  stack_.push_back({What::Value, out, nullptr, nullptr});
  return {};
}

Status PickleMachine::call(const std::string& name, const std::vector<Item>& arguments, PickleValue* out) {
  struct Row {
    const char* name;
    Status (PickleMachine::*run)(const std::vector<Item>&, PickleValue*);
  };
  static constexpr Row kRows[] = {
      {kRebuildV2, &PickleMachine::rebuild_tensor<false>},
      {kRebuildV3, &PickleMachine::rebuild_tensor<true>},
      {kParameter, &PickleMachine::rebuild_parameter},
      {kParameterWithState, &PickleMachine::rebuild_parameter},
      {kFake, &PickleMachine::rebuild_fake},
      {kFromType, &PickleMachine::rebuild_object<false>},
      {kWrapper, &PickleMachine::rebuild_object<true>},
      {kEncode, &PickleMachine::encode},
      {kLayout, &PickleMachine::name_object},
      {kDevice, &PickleMachine::name_object},
      {kSize, &PickleMachine::size_object},
      {kOrderedDict, &PickleMachine::ordered_dict},
  };
  for (const Row& row : kRows) {
    if (name == row.name) return (this->*row.run)(arguments, out);
  }
  return fail("refused: call of " + name, Error::NotSupported);
}

// A layout or a device: its name.
Status PickleMachine::name_object(const std::vector<Item>& raw, PickleValue* out) {
  if (raw.empty() || raw[0].what != What::Value || raw[0].value->kind != Kind::String) return fail("expected a name");
  out->kind = Kind::String;
  if (!spend(raw[0].value->text.size())) return fail("too much to copy", Error::OutOfResources);
  out->text = raw[0].value->text;
  return {};
}

Status PickleMachine::size_object(const std::vector<Item>& raw, PickleValue* out) {
  if (raw.size() != 1 || raw[0].what != What::Value || !raw[0].value->is_sequence()) return fail("expected sizes");
  out->kind = Kind::Tuple;
  if (!spend(raw[0].value->items.size() * sizeof(void*))) return fail("too much to copy", Error::OutOfResources);
  out->items = raw[0].value->items;
  return {};
}

Status PickleMachine::ordered_dict(const std::vector<Item>& raw, PickleValue* out) {
  out->kind = Kind::Dict;
  if (raw.empty()) return {};
  if (raw.size() > 1 || raw[0].what != What::Value || !raw[0].value->is_sequence()) {
    return fail("expected no argument or a list of pairs for OrderedDict");
  }
  const std::vector<const PickleValue*>& pairs = raw[0].value->items;
  if (!spend(pairs.size() * sizeof(out->entries[0]))) return fail("too much to copy", Error::OutOfResources);
  for (const PickleValue* pair : pairs) {
    if (!pair->is_sequence() || pair->items.size() != 2) return fail("expected pairs for OrderedDict");
    out->entries.emplace_back(pair->items[0], pair->items[1]);
  }
  return {};
}

// State of an object: attributes that PyTorch hangs on dicts (_metadata) and parameters. None is needed.
Status PickleMachine::op_set_state(PickleOp /*op*/) {
  if (stack_.size() < 2 || stack_.back().what != What::Value || stack_[stack_.size() - 2].what != What::Value) {
    return fail("expected an object and its state");
  }
  const Kind target = stack_[stack_.size() - 2].value->kind;
  if (target != Kind::Dict && target != Kind::Tensor) return fail("expected a dict or a tensor to set the state of");
  stack_.pop_back();
  return {};
}

template <bool v3>
Status PickleMachine::rebuild_tensor(const std::vector<Item>& raw, PickleValue* out) {
  // (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, metadata])
  const size_t min = v3 ? 7 : 6;
  if (raw.size() < min || raw.size() > min + 1 || raw[0].what != What::Storage) {
    return fail("expected a storage and " + std::to_string(min - 1) + " arguments for a tensor");
  }
  for (size_t i = 1; i < 6; ++i) {
    if (raw[i].what != What::Value) return fail("expected plain arguments for a tensor");
  }
  const Storage& storage = *raw[0].storage;
  auto t = std::make_shared<TorchTensor>();
  const auto type = v3 ? (raw[6].what == What::Global ? dtype_object_type(*raw[6].global) : std::nullopt)
                       : storage_class_type(storage.storage_class);
  if (!type) return fail("expected a tensor's dtype");
  if (raw[1].value->kind != Kind::Int || !raw[1].value->text.empty() || !ints_of(raw[2].value, &t->sizes) ||
      !ints_of(raw[3].value, &t->strides)) {
    return fail("expected a tensor's storage offset, sizes and strides (at most " + std::to_string(kMaxRank) + ")");
  }
  t->dtype = *type;
  t->storage_offset = raw[1].value->integer;
  t->storage_key = storage.key;
  t->storage = storage.bytes;
  t->requires_grad = raw[4].value->integer != 0;
  const auto needed = reach(*t);
  if (!needed) return fail("impossible sizes, strides or storage offset of a tensor");
  if (*needed > t->storage.size() / element_size(t->dtype)) {
    return fail("tensor reaches element " + std::to_string(*needed - 1) + " of storage " + printable(t->storage_key) +
                ", which has " + std::to_string(t->storage.size() / element_size(t->dtype)));
  }
  out->tensor = std::move(t);
  return {};
}

Status PickleMachine::rebuild_parameter(const std::vector<Item>& raw, PickleValue* out) {
  if (raw.size() < 3 || raw.size() > 4 || raw[0].what != What::Value || raw[0].value->kind != Kind::Tensor ||
      raw[1].what != What::Value) {
    return fail("expected (tensor, requires_grad, hooks[, state]) for a parameter");
  }
  auto t = std::make_shared<TorchTensor>(*raw[0].value->tensor);
  t->is_parameter = true;
  t->requires_grad = raw[1].value->integer != 0;
  out->tensor = std::move(t);
  return {};
}

Status PickleMachine::rebuild_fake(const std::vector<Item>& raw, PickleValue* out) {
  if (raw.empty() || raw.size() > 2 || raw[0].what != What::Value || raw[0].value->kind != Kind::Bytes ||
      (raw.size() == 2 && raw[1].what != What::Value)) {
    return fail("expected (bytes, is_parameter) for a tensor without data");
  }
  if (!spend(raw[0].value->text.size() * 16)) return fail("too much to parse", Error::OutOfResources);
  JsonDocument document;
  Status status = document.parse(raw[0].value->text, "tensor description", 64);
  TensorMeta meta;
  if (!status.ok()) return fail(status.message());
  if (!parse_tensor_meta(document.root(), &meta) || !meta.dtype_known || meta.sizes.size() != meta.strides.size() ||
      meta.sizes.size() > kMaxRank) {
    return fail("expected dtype, sizes and strides in a tensor description");
  }
  auto t = std::make_shared<TorchTensor>();
  t->fake = true;
  t->dtype = meta.dtype;
  t->requires_grad = meta.requires_grad;
  t->is_parameter = raw.size() == 2 && raw[1].value->integer != 0;
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    t->sizes.push_back(meta.sizes[i].value.value_or(0));
    t->strides.push_back(meta.strides[i].value.value_or(0));
  }
  if (!reach(*t)) return fail("impossible sizes or strides of a tensor without data");
  out->tensor = std::move(t);
  return {};
}

// A plain tensor with attributes: (what makes the tensor, class, its arguments, attributes). The attributes are not
// needed.
Status PickleMachine::rebuild_with_attributes(const std::vector<Item>& raw, PickleValue* out) {
  if (raw.size() != 4 || raw[0].what != What::Global || raw[2].what != What::Value || !raw[2].value->is_sequence()) {
    return fail("expected (function, class, arguments, attributes) for a tensor with attributes");
  }
  // Not itself: a pickle must not choose how deep this goes.
  for (const char* name : {kRebuildV2, kRebuildV3, kParameter, kParameterWithState, kFake}) {
    if (*raw[0].global != name) continue;
    const auto wide = raw_tuples_.find(raw[2].value);
    const size_t count = wide != raw_tuples_.end() ? wide->second->size() : raw[2].value->items.size();
    if (count > kMaxArguments) return fail("expected at most " + std::to_string(kMaxArguments) + " arguments");
    std::vector<Item> arguments;
    if (wide != raw_tuples_.end()) {
      arguments = *wide->second;
    } else {
      for (const PickleValue* item : raw[2].value->items) {
        arguments.push_back({What::Value, const_cast<PickleValue*>(item), nullptr, nullptr});  // NOLINT: our own arena
      }
    }
    return call(name, arguments, out);
  }
  return fail("refused: a tensor made by " + printable(*raw[0].global), Error::NotSupported);
}

// A tensor subclass: (constructor, class, arguments, state), or the arguments alone, which begin with the class. Kept
// as data; its parts are plain tensors.
template <bool wrapper>
Status PickleMachine::rebuild_object(const std::vector<Item>& raw, PickleValue* out) {
  const size_t type = wrapper ? 0 : 1;
  if (raw.size() <= type || raw[type].what != What::Global) return fail("expected the class of a tensor subclass");
  if (!wrapper && is_tensor_class(*raw[type].global)) return rebuild_with_attributes(raw, out);
  out->kind = Kind::Object;
  out->text = *raw[type].global;
  if (!is_data_name(out->text)) return fail("refused: object of " + printable(out->text), Error::NotSupported);
  std::vector<Item> arguments(raw.begin() + static_cast<std::ptrdiff_t>(type) + 1, raw.end());
  if (!wrapper) {
    if (raw.size() != 4 || raw[0].what != What::Global || *raw[0].global != kWrapper || raw[2].what != What::Value ||
        raw[3].what != What::Value) {
      return fail("expected a wrapper subclass with arguments and state");
    }
    if (!spend(raw[3].value->entries.size() * sizeof(raw[3].value->entries[0]))) {
      return fail("too much to copy", Error::OutOfResources);
    }
    out->entries = raw[3].value->entries;
    arguments.clear();
    if (const auto it = raw_tuples_.find(raw[2].value);
        it != raw_tuples_.end() && it->second->size() <= kMaxArguments) {
      arguments.assign(it->second->begin() + 1, it->second->end());  // without the class
    }
  }
  for (const Item& item : arguments) {
    PickleValue* v = nullptr;
    if (Status status = as_data(item, &v); !status.ok()) return status;
    out->items.push_back(v);
  }
  return {};
}

Status PickleMachine::as_data(const Item& item, PickleValue** out) {
  if (item.what == What::Value) {
    *out = item.value;
    return {};
  }
  if (item.what != What::Global || !is_data_name(*item.global)) return fail("expected only data here");
  Status status = make(Kind::Name, out);
  if (status.ok()) (*out)->text = *item.global;
  return status;
}

// Bytes in protocol 2: text whose characters are the bytes.
Status PickleMachine::encode(const std::vector<Item>& raw, PickleValue* out) {
  if (raw.size() != 2 || raw[0].what != What::Value || raw[0].value->kind != Kind::String ||
      raw[1].what != What::Value || (raw[1].value->text != "latin1" && raw[1].value->text != "latin-1")) {
    return fail("expected (text, \"latin1\") for bytes");
  }
  out->kind = Kind::Bytes;
  const std::string& text = raw[0].value->text;
  if (!spend(text.size())) return fail("too much to copy", Error::OutOfResources);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      out->text += text[i];
    } else if ((c == 0xC2 || c == 0xC3) && i + 1 < text.size()) {
      out->text += static_cast<char>(c << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F));
    } else {
      return fail("expected characters up to U+00FF in bytes");
    }
  }
  return {};
}

}  // namespace et::etrecord
