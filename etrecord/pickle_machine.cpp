// The stack machine: reading a pickle, and what each opcode does. The stack and the memo are in pickle_stack.cpp, what
// calls make in pickle_calls.cpp.
#include "etrecord/pickle_machine.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/hex.h"
#include "base/printable.h"

namespace et::etrecord {

using Kind = PickleValue::Kind;

Status PickleMachine::fail(const std::string& expected, Error code) const {
  return {code, "pickle at byte " + std::to_string(op_at_) + ": " + expected};
}

bool PickleMachine::take(size_t n, std::span<const uint8_t>* out) {
  if (in_.size() - at_ < n) return false;
  *out = in_.subspan(at_, n);
  at_ += n;
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

Status PickleMachine::run(const PickleValue** root) {
  Item item;
  if (Status status = next(&item); !status.ok()) return status;
  if (item.what != What::Value) return fail("expected one object at STOP");
  *root = item.value;
  return check_tree(*root);
}

Status PickleMachine::next(Item* out) {
  done_ = false;
  while (!done_) {
    op_at_ = at_;
    if (at_ >= in_.size()) return fail("expected STOP: the pickle is cut short");
    Status status = step(in_[at_++]);
    if (!status.ok()) return status;
    // An operation may not reach below the innermost MARK.
    if (!marks_.empty() && stack_.size() < marks_.back()) return fail("expected a deeper stack");
  }
  if (stack_.size() != 1) return fail("expected one object at STOP");
  *out = stack_[0];
  stack_.clear();
  marks_.clear();
  memo_.clear();
  return {};
}

Status PickleMachine::cut_short() const { return fail("expected more bytes: the pickle is cut short"); }

Status PickleMachine::op_protocol(PickleOp /*op*/) {
  uint8_t version = 0;
  if (!number(&version)) return cut_short();
  if (version <= 5) return {};
  return fail("protocol " + std::to_string(version) + ", expected at most 5", Error::NotSupported);
}

Status PickleMachine::op_frame(PickleOp /*op*/) {
  uint64_t length = 0;
  return number(&length) ? Status() : cut_short();
}

Status PickleMachine::op_stop(PickleOp /*op*/) {
  done_ = true;
  return {};
}

Status PickleMachine::op_mark(PickleOp /*op*/) {
  marks_.push_back(stack_.size());
  return {};
}

Status PickleMachine::op_pop(PickleOp /*op*/) {
  if (!marks_.empty() && marks_.back() == stack_.size()) {
    marks_.pop_back();
    return {};
  }
  if (stack_.empty()) return fail("expected an object on the stack");
  stack_.pop_back();
  return {};
}

Status PickleMachine::op_pop_mark(PickleOp /*op*/) {
  size_t from = 0;
  Status status = mark(&from);
  if (status.ok()) stack_.resize(from);
  return status;
}

template <PickleValue::Kind kind>
Status PickleMachine::op_empty(PickleOp /*op*/) {
  PickleValue* v = nullptr;
  return push_value(kind, &v);
}

Status PickleMachine::op_bool(PickleOp op) {
  PickleValue* v = nullptr;
  Status status = push_value(Kind::Bool, &v);
  if (status.ok()) v->integer = op == PickleOp::True ? 1 : 0;
  return status;
}

template <class T>
Status PickleMachine::op_int(PickleOp /*op*/) {
  std::make_unsigned_t<T> bits = 0;
  if (!number(&bits)) return cut_short();
  PickleValue* v = nullptr;
  Status status = push_value(Kind::Int, &v);
  if (status.ok()) v->integer = static_cast<T>(bits);
  return status;
}

template <class Length>
Status PickleMachine::op_long(PickleOp /*op*/) {
  Length length = 0;
  return number(&length) ? long_op(length) : cut_short();
}

Status PickleMachine::op_float(PickleOp /*op*/) {
  std::span<const uint8_t> b;
  if (!take(8, &b)) return cut_short();
  uint64_t bits = 0;
  for (const uint8_t byte : b) bits = bits << 8 | byte;
  PickleValue* v = nullptr;
  Status status = push_value(Kind::Float, &v);
  if (status.ok()) v->number = std::bit_cast<double>(bits);
  return status;
}

template <class Length, PickleValue::Kind kind>
Status PickleMachine::op_text(PickleOp /*op*/) {
  Length length = 0;
  return number(&length) ? string_op(length, kind) : cut_short();
}

Status PickleMachine::op_small_tuple(PickleOp op) {
  const size_t count = static_cast<size_t>(op) - static_cast<size_t>(PickleOp::Tuple1) + 1;
  if (stack_.size() < count) return fail("expected more objects on the stack");
  return container(Kind::Tuple, stack_.size() - count);
}

template <PickleValue::Kind kind>
Status PickleMachine::op_sequence(PickleOp /*op*/) {
  size_t from = 0;
  Status status = mark(&from);
  return status.ok() ? container(kind, from) : status;
}

Status PickleMachine::op_dict(PickleOp /*op*/) {
  size_t from = 0;
  if (Status status = mark(&from); !status.ok()) return status;
  PickleValue* v = nullptr;
  if (Status status = make(Kind::Dict, &v); !status.ok()) return status;
  stack_.insert(stack_.begin() + static_cast<std::ptrdiff_t>(from), Item{What::Value, v, nullptr, nullptr});
  return set_items(from + 1);
}

Status PickleMachine::op_append(PickleOp /*op*/) {
  return stack_.empty() ? fail("expected an object on the stack") : append(stack_.size() - 1);
}

Status PickleMachine::op_appends(PickleOp /*op*/) {
  size_t from = 0;
  Status status = mark(&from);
  return status.ok() ? append(from) : status;
}

Status PickleMachine::op_set_item(PickleOp /*op*/) {
  return stack_.size() < 2 ? fail("expected a key and a value on the stack") : set_items(stack_.size() - 2);
}

Status PickleMachine::op_set_items(PickleOp /*op*/) {
  size_t from = 0;
  Status status = mark(&from);
  return status.ok() ? set_items(from) : status;
}

template <class Index>
Status PickleMachine::op_put(PickleOp /*op*/) {
  Index index = 0;
  return number(&index) ? memo_put(index) : cut_short();
}

Status PickleMachine::op_put_next(PickleOp /*op*/) { return memo_put(memo_.size()); }

template <class Index>
Status PickleMachine::op_get(PickleOp /*op*/) {
  Index index = 0;
  return number(&index) ? memo_get(index) : cut_short();
}

Status PickleMachine::op_global(PickleOp op) {
  std::string module, name;
  const bool instance = op == PickleOp::Instance;
  if (!line(&module) || !line(&name)) {
    return fail(std::string("expected two lines that name a ") + (instance ? "class" : "global"));
  }
  if (instance) return fail("refused: " + printable(module + "." + name), Error::NotSupported);
  return global(std::move(module), std::move(name));
}

Status PickleMachine::op_stack_global(PickleOp /*op*/) {
  if (stack_.size() < 2) return fail("expected two strings on the stack");
  const Item name = stack_[stack_.size() - 1], module = stack_[stack_.size() - 2];
  if (name.what != What::Value || name.value->kind != Kind::String || module.what != What::Value ||
      module.value->kind != Kind::String) {
    return fail("expected two strings that name a global");
  }
  stack_.resize(stack_.size() - 2);
  return global(module.value->text, name.value->text);
}

const PickleMachine::Handlers& PickleMachine::handlers() {
  using M = PickleMachine;
  using Op = PickleOp;
  struct Row {
    Op op;
    Handler run;
  };
  static constexpr Row kRows[] = {
      {Op::Protocol, &M::op_protocol},
      {Op::Frame, &M::op_frame},
      {Op::Stop, &M::op_stop},
      {Op::Mark, &M::op_mark},
      {Op::Pop, &M::op_pop},
      {Op::PopMark, &M::op_pop_mark},
      {Op::None, &M::op_empty<Kind::None>},
      {Op::True, &M::op_bool},
      {Op::False, &M::op_bool},
      {Op::Int8, &M::op_int<uint8_t>},
      {Op::Int16, &M::op_int<uint16_t>},
      {Op::Int32, &M::op_int<int32_t>},
      {Op::Long8, &M::op_long<uint8_t>},
      {Op::Long32, &M::op_long<uint32_t>},
      {Op::Float, &M::op_float},
      {Op::Text8, &M::op_text<uint8_t, Kind::String>},
      {Op::Text32, &M::op_text<uint32_t, Kind::String>},
      {Op::Text64, &M::op_text<uint64_t, Kind::String>},
      {Op::Bytes8, &M::op_text<uint8_t, Kind::Bytes>},
      {Op::Bytes32, &M::op_text<uint32_t, Kind::Bytes>},
      {Op::Bytes64, &M::op_text<uint64_t, Kind::Bytes>},
      {Op::EmptyDict, &M::op_empty<Kind::Dict>},
      {Op::EmptyList, &M::op_empty<Kind::List>},
      {Op::EmptyTuple, &M::op_empty<Kind::Tuple>},
      {Op::Tuple1, &M::op_small_tuple},
      {Op::Tuple2, &M::op_small_tuple},
      {Op::Tuple3, &M::op_small_tuple},
      {Op::Tuple, &M::op_sequence<Kind::Tuple>},
      {Op::List, &M::op_sequence<Kind::List>},
      {Op::Dict, &M::op_dict},
      {Op::Append, &M::op_append},
      {Op::Appends, &M::op_appends},
      {Op::SetItem, &M::op_set_item},
      {Op::SetItems, &M::op_set_items},
      {Op::Put8, &M::op_put<uint8_t>},
      {Op::Put32, &M::op_put<uint32_t>},
      {Op::PutNext, &M::op_put_next},
      {Op::Get8, &M::op_get<uint8_t>},
      {Op::Get32, &M::op_get<uint32_t>},
      {Op::Global, &M::op_global},
      {Op::StackGlobal, &M::op_stack_global},
      {Op::Persistent, &M::op_persistent},
      {Op::Call, &M::op_call},
      {Op::SetState, &M::op_set_state},
      {Op::Instance, &M::op_global},
  };
  static const Handlers table = [] {
    Handlers t{};
    for (const Row& row : kRows) t[static_cast<uint8_t>(row.op)] = row.run;
    return t;
  }();
  return table;
}

Status PickleMachine::step(uint8_t op) {
  if (const Handler handler = handlers()[op]) return (this->*handler)(static_cast<PickleOp>(op));
  return fail("refused: opcode 0x" + hex_text({&op, 1}) + ", which tensors do not need", Error::NotSupported);
}

}  // namespace et::etrecord
