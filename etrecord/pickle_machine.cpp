#include "etrecord/pickle_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "base/json.h"
#include "base/printable.h"
#include "etrecord/tensor_meta_json.h"

namespace et::etrecord {
namespace {

using Kind = PickleValue::Kind;

constexpr size_t kMaxRank = 64;

constexpr const char* kRebuildV2 = "torch._utils._rebuild_tensor_v2";
constexpr const char* kRebuildV3 = "torch._utils._rebuild_tensor_v3";
constexpr const char* kParameter = "torch._utils._rebuild_parameter";
constexpr const char* kOrderedDict = "collections.OrderedDict";
constexpr const char* kFake = "executorch.exir.serde.export_serialize._reconstruct_fake_tensor";
constexpr const char* kEncode = "_codecs.encode";
constexpr const char* kFromType = "torch._tensor._rebuild_from_type_v2";
constexpr const char* kWrapper = "torch._utils._rebuild_wrapper_subclass";
constexpr const char* kLayout = "torch.serialization._get_layout";
constexpr const char* kDevice = "torch.device";
constexpr const char* kSize = "torch.Size";
constexpr const char* kUntyped = "torch.storage.UntypedStorage";

struct TypeName {
  const char* name;
  ScalarType type;
};

constexpr TypeName kStorageClasses[] = {
    {"torch.FloatStorage", ScalarType::Float},
    {"torch.DoubleStorage", ScalarType::Double},
    {"torch.HalfStorage", ScalarType::Half},
    {"torch.BFloat16Storage", ScalarType::BFloat16},
    {"torch.LongStorage", ScalarType::Long},
    {"torch.IntStorage", ScalarType::Int},
    {"torch.ShortStorage", ScalarType::Short},
    {"torch.CharStorage", ScalarType::Char},
    {"torch.ByteStorage", ScalarType::Byte},
    {"torch.BoolStorage", ScalarType::Bool},
    {"torch.ComplexFloatStorage", ScalarType::ComplexFloat},
    {"torch.ComplexDoubleStorage", ScalarType::ComplexDouble},
};

// dtype objects, which only _rebuild_tensor_v3 takes.
constexpr TypeName kDtypes[] = {
    {"torch.uint8", ScalarType::Byte},
    {"torch.int8", ScalarType::Char},
    {"torch.int16", ScalarType::Short},
    {"torch.int32", ScalarType::Int},
    {"torch.int64", ScalarType::Long},
    {"torch.float16", ScalarType::Half},
    {"torch.float32", ScalarType::Float},
    {"torch.float64", ScalarType::Double},
    {"torch.complex32", ScalarType::ComplexHalf},
    {"torch.complex64", ScalarType::ComplexFloat},
    {"torch.complex128", ScalarType::ComplexDouble},
    {"torch.bool", ScalarType::Bool},
    {"torch.bfloat16", ScalarType::BFloat16},
    {"torch.uint16", ScalarType::UInt16},
    {"torch.uint32", ScalarType::UInt32},
    {"torch.uint64", ScalarType::UInt64},
    {"torch.float8_e5m2", ScalarType::Float8_e5m2},
    {"torch.float8_e4m3fn", ScalarType::Float8_e4m3fn},
    {"torch.float8_e5m2fnuz", ScalarType::Float8_e5m2fnuz},
    {"torch.float8_e4m3fnuz", ScalarType::Float8_e4m3fnuz},
};

template <size_t N>
std::optional<ScalarType> find_type(const TypeName (&table)[N], const std::string& name) {
  for (const TypeName& t : table) {
    if (name == t.name) return t.type;
  }
  return std::nullopt;
}

// Names that may stand as data but can never be called: dtypes (also those without storage, "torch.int4") and the
// classes of torchao's quantised tensors.
bool is_name(const std::string& name) {
  if (find_type(kDtypes, name)) return true;
  std::string_view n = name;
  if (n.substr(0, 8) == "torchao.") return true;
  for (const std::string_view prefix : {std::string_view("torch.int"), std::string_view("torch.uint")}) {
    if (n.size() == prefix.size() + 1 && n.substr(0, prefix.size()) == prefix && n.back() >= '1' && n.back() <= '7') {
      return true;
    }
  }
  return false;
}

bool known_global(const std::string& name) {
  for (const char* known : {kRebuildV2, kRebuildV3, kParameter, kOrderedDict, kFake, kEncode, kFromType, kWrapper,
                            kLayout, kDevice, kSize, kUntyped}) {
    if (name == known) return true;
  }
  return find_type(kStorageClasses, name) || is_name(name);
}

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

Status PickleMachine::fail(const std::string& expected, Error code) const {
  return {code, "pickle at byte " + std::to_string(op_at_) + ": " + expected};
}

bool PickleMachine::take(size_t n, std::span<const uint8_t>* out) {
  if (in_.size() - at_ < n) return false;
  *out = in_.subspan(at_, n);
  at_ += n;
  return true;
}

// Little endian, unsigned.
template <class T>
bool PickleMachine::number(T* out) {
  std::span<const uint8_t> b;
  if (!take(sizeof(T), &b)) return false;
  T v = 0;
  for (size_t i = sizeof(T); i-- > 0;) v = static_cast<T>(static_cast<uint64_t>(v) << 8 | b[i]);
  *out = v;
  return true;
}

bool PickleMachine::line(std::string* out) {
  const auto rest = in_.subspan(at_, std::min<size_t>(in_.size() - at_, 1024));
  const auto end = std::find(rest.begin(), rest.end(), uint8_t{'\n'});
  if (end == rest.end()) return false;
  out->assign(rest.begin(), end);
  at_ += out->size() + 1;
  return true;
}

// Work that does not shrink with the pickle, because remembered objects can be used again and again.
bool PickleMachine::spend(uint64_t bytes) {
  constexpr uint64_t kBudget = uint64_t{512} << 20;
  spent_ += bytes;
  return bytes <= kBudget && spent_ <= kBudget;
}

Status PickleMachine::make(Kind kind, PickleValue** out) {
  if (arena_->size() >= limits_.max_objects) {
    return fail("more than " + std::to_string(limits_.max_objects) + " objects", Error::OutOfResources);
  }
  *out = &arena_->emplace_back();
  (*out)->kind = kind;
  return {};
}

Status PickleMachine::push_value(Kind kind, PickleValue** out) {
  Status status = make(kind, out);
  if (status.ok()) stack_.push_back({What::Value, *out, nullptr, nullptr});
  return status;
}

Status PickleMachine::mark(size_t* position) {
  if (marks_.empty()) return fail("expected a MARK on the stack");
  *position = marks_.back();
  marks_.pop_back();
  if (*position > stack_.size()) return fail("expected the MARK below the stack's top");
  return {};
}

Status PickleMachine::run(const PickleValue** root) {
  bool done = false;
  while (!done) {
    op_at_ = at_;
    if (at_ >= in_.size()) return fail("expected STOP: the pickle is cut short");
    Status status = step(in_[at_++], &done);
    if (!status.ok()) return status;
    // An operation may not reach below the innermost MARK.
    if (!marks_.empty() && stack_.size() < marks_.back()) return fail("expected a deeper stack");
  }
  if (stack_.size() != 1 || stack_[0].what != What::Value) return fail("expected one object at STOP");
  *root = stack_[0].value;
  return check_tree(*root);
}

// NOLINTNEXTLINE(readability-function-size): one opcode a line or two
Status PickleMachine::step(uint8_t op, bool* done) {
  const auto cut = [this] { return fail("expected more bytes: the pickle is cut short"); };
  PickleValue* v = nullptr;
  size_t from = 0;
  uint8_t u8 = 0;
  uint16_t u16 = 0;
  uint32_t u32 = 0;
  uint64_t u64 = 0;
  switch (op) {
    case 0x80:  // PROTO
      if (!number(&u8)) return cut();
      return u8 <= 5 ? Status() : fail("protocol " + std::to_string(u8) + ", expected at most 5", Error::NotSupported);
    case 0x95:  // FRAME: only a hint
      return number(&u64) ? Status() : cut();
    case 0x28:  // MARK
      marks_.push_back(stack_.size());
      return {};
    case 0x2e:  // STOP
      *done = true;
      return {};
    case 0x30:  // POP
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
        return {};
      }
      if (stack_.empty()) return fail("expected an object on the stack");
      stack_.pop_back();
      return {};
    case 0x31: {  // POP_MARK
      Status status = mark(&from);
      if (status.ok()) stack_.resize(from);
      return status;
    }
    case 0x4e:
      return push_value(Kind::None, &v);  // NONE
    case 0x88:                            // NEWTRUE
    case 0x89: {                          // NEWFALSE
      Status status = push_value(Kind::Bool, &v);
      if (status.ok()) v->integer = op == 0x88;
      return status;
    }
    case 0x4b:    // BININT1
    case 0x4d:    // BININT2
    case 0x4a: {  // BININT
      int64_t value = 0;
      if (op == 0x4b) {
        if (!number(&u8)) return cut();
        value = u8;
      } else if (op == 0x4d) {
        if (!number(&u16)) return cut();
        value = u16;
      } else {
        if (!number(&u32)) return cut();
        value = static_cast<int32_t>(u32);
      }
      Status status = push_value(Kind::Int, &v);
      if (status.ok()) v->integer = value;
      return status;
    }
    case 0x8a:
      return number(&u8) ? long_op(u8) : cut();  // LONG1
    case 0x8b:
      return number(&u32) ? long_op(u32) : cut();  // LONG4
    case 0x47: {                                   // BINFLOAT, big endian
      std::span<const uint8_t> b;
      if (!take(8, &b)) return cut();
      for (const uint8_t byte : b) u64 = u64 << 8 | byte;
      Status status = push_value(Kind::Float, &v);
      if (status.ok()) v->number = std::bit_cast<double>(u64);
      return status;
    }
    case 0x58:
      return number(&u32) ? string_op(u32, Kind::String) : cut();  // BINUNICODE
    case 0x8c:
      return number(&u8) ? string_op(u8, Kind::String) : cut();  // SHORT_BINUNICODE
    case 0x8d:
      return number(&u64) ? string_op(u64, Kind::String) : cut();  // BINUNICODE8
    case 0x42:
      return number(&u32) ? string_op(u32, Kind::Bytes) : cut();  // BINBYTES
    case 0x43:
      return number(&u8) ? string_op(u8, Kind::Bytes) : cut();  // SHORT_BINBYTES
    case 0x8e:
      return number(&u64) ? string_op(u64, Kind::Bytes) : cut();  // BINBYTES8
    case 0x7d:
      return push_value(Kind::Dict, &v);  // EMPTY_DICT
    case 0x5d:
      return push_value(Kind::List, &v);  // EMPTY_LIST
    case 0x29:
      return push_value(Kind::Tuple, &v);  // EMPTY_TUPLE
    case 0x85:
    case 0x86:
    case 0x87:  // TUPLE1..3
      if (stack_.size() < op - 0x84u) return fail("expected more objects on the stack");
      return container(Kind::Tuple, stack_.size() - (op - 0x84u));
    case 0x74:    // TUPLE
    case 0x6c:    // LIST
    case 0x64: {  // DICT
      Status status = mark(&from);
      if (!status.ok()) return status;
      if (op != 0x64) return container(op == 0x74 ? Kind::Tuple : Kind::List, from);
      Status made = make(Kind::Dict, &v);
      if (!made.ok()) return made;
      stack_.insert(stack_.begin() + static_cast<std::ptrdiff_t>(from), Item{What::Value, v, nullptr, nullptr});
      return set_items(from + 1);
    }
    case 0x61:  // APPEND
      return stack_.empty() ? fail("expected an object on the stack") : append(stack_.size() - 1);
    case 0x65: {  // APPENDS
      Status status = mark(&from);
      return status.ok() ? append(from) : status;
    }
    case 0x73:  // SETITEM
      return stack_.size() < 2 ? fail("expected a key and a value on the stack") : set_items(stack_.size() - 2);
    case 0x75: {  // SETITEMS
      Status status = mark(&from);
      return status.ok() ? set_items(from) : status;
    }
    case 0x71:
      return number(&u8) ? memo_put(u8) : cut();  // BINPUT
    case 0x72:
      return number(&u32) ? memo_put(u32) : cut();  // LONG_BINPUT
    case 0x94:
      return memo_put(memo_.size());  // MEMOIZE
    case 0x68:
      return number(&u8) ? memo_get(u8) : cut();  // BINGET
    case 0x6a:
      return number(&u32) ? memo_get(u32) : cut();  // LONG_BINGET
    case 0x63: {                                    // GLOBAL
      std::string module, name;
      if (!line(&module) || !line(&name)) return fail("expected two lines that name a global");
      return global(std::move(module), std::move(name));
    }
    case 0x93: {  // STACK_GLOBAL
      if (stack_.size() < 2) return fail("expected two strings on the stack");
      const Item name = stack_[stack_.size() - 1], module = stack_[stack_.size() - 2];
      if (name.what != What::Value || name.value->kind != Kind::String || module.what != What::Value ||
          module.value->kind != Kind::String) {
        return fail("expected two strings that name a global");
      }
      stack_.resize(stack_.size() - 2);
      return global(module.value->text, name.value->text);
    }
    case 0x51:
      return persistent();  // BINPERSID
    case 0x52:
      return reduce();  // REDUCE
    case 0x62:
      return build();  // BUILD
    case 0x69: {       // INST
      std::string module, name;
      if (!line(&module) || !line(&name)) return fail("expected two lines that name a class");
      return fail("refused: " + printable(module + "." + name), Error::NotSupported);
    }
    default: {
      static const char* kHex = "0123456789abcdef";
      return fail(std::string("refused: opcode 0x") + kHex[op >> 4] + kHex[op & 15] + ", which tensors do not need",
                  Error::NotSupported);
    }
  }
}

Status PickleMachine::string_op(uint64_t length, Kind kind) {
  std::span<const uint8_t> b;
  if (length > in_.size() - at_ || !take(static_cast<size_t>(length), &b)) {
    return fail("expected " + std::to_string(length) + " bytes of text: the pickle is cut short");
  }
  PickleValue* v = nullptr;
  Status status = push_value(kind, &v);
  if (status.ok()) v->text.assign(b.begin(), b.end());
  return status;
}

Status PickleMachine::long_op(uint64_t length) {
  std::span<const uint8_t> b;
  if (length > in_.size() - at_ || !take(static_cast<size_t>(length), &b)) {
    return fail("expected " + std::to_string(length) + " bytes of a number: the pickle is cut short");
  }
  PickleValue* v = nullptr;
  Status status = push_value(Kind::Int, &v);
  if (!status.ok()) return status;
  // Bytes that only repeat the sign say nothing.
  while (b.size() > 8 && b.back() == ((b[b.size() - 2] & 0x80) != 0 ? 0xFF : 0x00)) b = b.first(b.size() - 1);
  if (b.size() > 8) {
    static const char* kHex = "0123456789abcdef";
    for (const uint8_t byte : b) {
      v->text += kHex[byte >> 4];
      v->text += kHex[byte & 15];
    }
    return {};
  }
  uint64_t bits = !b.empty() && (b.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = b.size(); i-- > 0;) bits = bits << 8 | b[i];
  v->integer = static_cast<int64_t>(bits);
  return {};
}

Status PickleMachine::global(std::string module, std::string name) {
  auto full = std::make_shared<std::string>(std::move(module) + "." + std::move(name));
  if (!known_global(*full)) return fail("refused: " + printable(*full), Error::NotSupported);
  stack_.push_back({What::Global, nullptr, std::move(full), nullptr});
  return {};
}

Status PickleMachine::container(Kind kind, size_t from) {
  PickleValue* v = nullptr;
  Status status = make(kind, &v);
  if (!status.ok()) return status;
  bool plain = true;
  for (size_t i = from; i < stack_.size(); ++i) plain = plain && stack_[i].what == What::Value;
  if (plain) {
    v->items.reserve(stack_.size() - from);
    for (size_t i = from; i < stack_.size(); ++i) v->items.push_back(stack_[i].value);
  } else {
    if (kind != Kind::Tuple) return fail("expected only data in a list");
    raw_tuples_[v] =
        std::make_shared<const std::vector<Item>>(stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
  }
  stack_.resize(from);
  stack_.push_back({What::Value, v, nullptr, nullptr});
  return {};
}

Status PickleMachine::append(size_t from) {
  if (from == 0 || from > stack_.size() || stack_[from - 1].what != What::Value ||
      stack_[from - 1].value->kind != Kind::List) {
    return fail("expected a list to append to");
  }
  PickleValue* list = stack_[from - 1].value;
  for (size_t i = from; i < stack_.size(); ++i) {
    PickleValue* v = nullptr;
    if (Status status = as_data(stack_[i], &v); !status.ok()) return status;
    list->items.push_back(v);
  }
  stack_.resize(from);
  return {};
}

Status PickleMachine::set_items(size_t from) {
  if (from == 0 || from > stack_.size() || stack_[from - 1].what != What::Value ||
      stack_[from - 1].value->kind != Kind::Dict) {
    return fail("expected a dict to set items of");
  }
  if ((stack_.size() - from) % 2 != 0) return fail("expected a value for each key");
  PickleValue* dict = stack_[from - 1].value;
  for (size_t i = from; i + 1 < stack_.size(); i += 2) {
    PickleValue *key = nullptr, *value = nullptr;
    if (Status status = as_data(stack_[i], &key); !status.ok()) return status;
    if (Status status = as_data(stack_[i + 1], &value); !status.ok()) return status;
    dict->entries.emplace_back(key, value);
  }
  stack_.resize(from);
  return {};
}

Status PickleMachine::memo_put(uint64_t index) {
  if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())) {
    return fail("expected an object to remember");
  }
  if (memo_.size() >= limits_.max_objects) return fail("too many remembered objects", Error::OutOfResources);
  memo_[index] = stack_.back();
  return {};
}

Status PickleMachine::memo_get(uint64_t index) {
  const auto it = memo_.find(index);
  if (it == memo_.end()) return fail("expected a remembered object " + std::to_string(index));
  stack_.push_back(it->second);
  return {};
}

Status PickleMachine::persistent() {
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
  const auto type = find_type(kStorageClasses, s->storage_class);
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

Status PickleMachine::reduce() {
  if (stack_.size() < 2 || stack_.back().what != What::Value || stack_.back().value->kind != Kind::Tuple ||
      stack_[stack_.size() - 2].what != What::Global) {
    return fail("expected a global and its arguments");
  }
  const PickleValue* args = stack_.back().value;
  const std::string name = *stack_[stack_.size() - 2].global;
  std::vector<Item> raw;
  constexpr size_t kMaxArguments = 16;
  const auto wide = raw_tuples_.find(args);
  if (args->items.size() > kMaxArguments || (wide != raw_tuples_.end() && wide->second->size() > kMaxArguments)) {
    return fail("expected at most " + std::to_string(kMaxArguments) + " arguments");
  }
  if (const auto it = raw_tuples_.find(args); it != raw_tuples_.end()) {
    raw = *it->second;
  } else {
    for (const PickleValue* item : args->items) {
      raw.push_back({What::Value, const_cast<PickleValue*>(item), nullptr, nullptr});  // NOLINT: our own arena
    }
  }
  stack_.resize(stack_.size() - 2);

  PickleValue* out = nullptr;
  Status made = make(Kind::Tensor, &out);
  if (!made.ok()) return made;
  Status status;
  if (name == kRebuildV2 || name == kRebuildV3) {
    status = rebuild_tensor(raw, name == kRebuildV3, out);
  } else if (name == kParameter) {
    status = rebuild_parameter(raw, out);
  } else if (name == kFake) {
    status = rebuild_fake(raw, out);
  } else if (name == kEncode) {
    status = encode(raw, out);
  } else if (name == kFromType || name == kWrapper) {
    status = rebuild_object(raw, name == kWrapper, out);
  } else if (name == kLayout || name == kDevice) {
    if (raw.empty() || raw[0].what != What::Value || raw[0].value->kind != Kind::String) return fail("expected a name");
    out->kind = Kind::String;
    if (!spend(raw[0].value->text.size())) return fail("too much to copy", Error::OutOfResources);
    out->text = raw[0].value->text;
  } else if (name == kSize) {
    if (raw.size() != 1 || raw[0].what != What::Value || !raw[0].value->is_sequence()) return fail("expected sizes");
    out->kind = Kind::Tuple;
    if (!spend(raw[0].value->items.size() * sizeof(void*))) return fail("too much to copy", Error::OutOfResources);
    out->items = raw[0].value->items;
  } else if (name == kOrderedDict) {
    out->kind = Kind::Dict;
    if (raw.size() > 1 || (raw.size() == 1 && (raw[0].what != What::Value || !raw[0].value->is_sequence()))) {
      return fail("expected no argument or a list of pairs for OrderedDict");
    }
    if (raw.size() == 1) {
      if (!spend(raw[0].value->items.size() * sizeof(out->entries[0])))
        return fail("too much to copy", Error::OutOfResources);
      for (const PickleValue* pair : raw[0].value->items) {
        if (!pair->is_sequence() || pair->items.size() != 2) return fail("expected pairs for OrderedDict");
        out->entries.emplace_back(pair->items[0], pair->items[1]);
      }
    }
  } else {
    return fail("refused: call of " + name, Error::NotSupported);
  }
  if (!status.ok()) return status;
  stack_.push_back({What::Value, out, nullptr, nullptr});
  return {};
}

// State of an object: attributes that PyTorch hangs on dicts (_metadata) and parameters. None is needed.
Status PickleMachine::build() {
  if (stack_.size() < 2 || stack_.back().what != What::Value || stack_[stack_.size() - 2].what != What::Value) {
    return fail("expected an object and its state");
  }
  const Kind target = stack_[stack_.size() - 2].value->kind;
  if (target != Kind::Dict && target != Kind::Tensor) return fail("expected a dict or a tensor to set the state of");
  stack_.pop_back();
  return {};
}

Status PickleMachine::rebuild_tensor(const std::vector<Item>& raw, bool v3, PickleValue* out) {
  // (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, metadata])
  const size_t least = v3 ? 7 : 6;
  if (raw.size() < least || raw.size() > least + 1 || raw[0].what != What::Storage) {
    return fail("expected a storage and " + std::to_string(least - 1) + " arguments for a tensor");
  }
  for (size_t i = 1; i < 6; ++i) {
    if (raw[i].what != What::Value) return fail("expected plain arguments for a tensor");
  }
  const Storage& storage = *raw[0].storage;
  auto t = std::make_shared<TorchTensor>();
  const auto type = v3 ? (raw[6].what == What::Global ? find_type(kDtypes, *raw[6].global) : std::nullopt)
                       : find_type(kStorageClasses, storage.storage_class);
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
  if (raw.size() != 3 || raw[0].what != What::Value || raw[0].value->kind != Kind::Tensor ||
      raw[1].what != What::Value) {
    return fail("expected (tensor, requires_grad, hooks) for a parameter");
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

// A tensor subclass: (constructor, class, arguments, state), or the arguments alone, which begin with the class. Kept
// as data; its parts are plain tensors.
Status PickleMachine::rebuild_object(const std::vector<Item>& raw, bool wrapper, PickleValue* out) {
  const size_t type = wrapper ? 0 : 1;
  if (raw.size() <= type || raw[type].what != What::Global) return fail("expected the class of a tensor subclass");
  out->kind = Kind::Object;
  out->text = *raw[type].global;
  if (!is_name(out->text)) return fail("refused: object of " + printable(out->text), Error::NotSupported);
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
    constexpr size_t kMaxArguments = 16;
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
  if (item.what != What::Global || !is_name(*item.global)) return fail("expected only data here");
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

// No cycles, no globals left over, bounded depth, and bounded size even when shared parts are counted again and again.
Status PickleMachine::check_tree(const PickleValue* root) const {
  struct Info {
    uint64_t size = 0;  // 0: being visited
    uint32_t height = 0;
  };
  struct Visit {
    const PickleValue* value;
    size_t next = 0;
    uint64_t size = 1;
    uint32_t height = 1;
  };
  std::unordered_map<const PickleValue*, Info> seen;
  std::vector<Visit> path;
  const auto children = [](const PickleValue* v) { return v->items.size() + 2 * v->entries.size(); };
  const auto child = [](const PickleValue* v, size_t i) {
    if (i < v->items.size()) return v->items[i];
    i -= v->items.size();
    return i % 2 == 0 ? v->entries[i / 2].first : v->entries[i / 2].second;
  };
  path.push_back({root});
  seen[root] = {};
  while (true) {
    Visit& f = path.back();
    if (f.next == 0 && raw_tuples_.count(f.value) != 0) return fail("expected only data in the result");
    if (f.next < children(f.value)) {
      const PickleValue* c = child(f.value, f.next++);
      const auto [it, fresh] = seen.try_emplace(c);
      if (!fresh && it->second.size == 0) return fail("refused: an object that contains itself");
      if (!fresh) {
        f.size += it->second.size;
        f.height = std::max(f.height, it->second.height + 1);
      }
      if (f.size > limits_.max_tree) return fail("refused: more objects than allowed", Error::OutOfResources);
      if (f.height > limits_.max_depth || path.size() > limits_.max_depth) {
        return fail("refused: nested deeper than " + std::to_string(limits_.max_depth), Error::OutOfResources);
      }
      if (fresh) path.push_back({c});
      continue;
    }
    const Visit finished = f;
    seen[finished.value] = {finished.size, finished.height};
    path.pop_back();
    if (path.empty()) return {};
    Visit& parent = path.back();
    parent.size += finished.size;
    parent.height = std::max(parent.height, finished.height + 1);
  }
}

}  // namespace et::etrecord
