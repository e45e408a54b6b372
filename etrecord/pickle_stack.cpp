// Objects, the stack and the memo of the pickle machine.
#include "base/hex.h"
#include "base/printable.h"
#include "etrecord/pickle_globals.h"
#include "etrecord/pickle_machine.h"

namespace et::etrecord {

using Kind = PickleValue::Kind;

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
    v->text = hex_text(b);
    return {};
  }
  uint64_t bits = !b.empty() && (b.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = b.size(); i-- > 0;) bits = bits << 8 | b[i];
  v->integer = static_cast<int64_t>(bits);
  return {};
}

Status PickleMachine::global(std::string module, std::string name) {
  auto full = std::make_shared<std::string>(std::move(module) + "." + std::move(name));
  if (!is_known_global(*full)) return fail("refused: " + printable(*full), Error::NotSupported);
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

}  // namespace et::etrecord
