// Storages that a pickle holds as bytes of their own: ETRecords up to 1.2 have reference outputs and representative
// inputs as bare pickles, in which each storage is an archive of PyTorch's form before zip: four pickles (magic number,
// version, byte order, the storage), a pickled list of keys, the number of elements, the elements.
#include "base/printable.h"
#include "etrecord/pickle_globals.h"
#include "etrecord/pickle_machine.h"

namespace et::etrecord {

using Kind = PickleValue::Kind;

namespace {
constexpr std::string_view kMagicNumber = "6cfc9c46f9206aa85019";  // 0x1950a86a20f9469cfc6c, little endian
constexpr int64_t kVersion = 1001;
}  // namespace

Status PickleMachine::load_storage(const std::vector<Item>& raw, std::shared_ptr<const Storage>* out) {
  if (raw.size() != 1 || raw[0].what != What::Value || raw[0].value->kind != Kind::Bytes) {
    return fail("expected the bytes of a storage");
  }
  if (in_storage_) return fail("refused: a storage inside of a storage", Error::NotSupported);
  const std::string& text = raw[0].value->text;  // the arena keeps it
  PickleMachine inner({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, limits_, nullptr, arena_);
  inner.in_storage_ = true;
  std::shared_ptr<const Storage> storage;
  if (Status status = inner.read_storage_archive(&storage); !status.ok()) {
    return {status.code(), fail("storage: ").message() + status.message()};
  }
  // Keys are addresses, which a process uses again.
  auto named = std::make_shared<Storage>(*storage);
  named->key += "@" + std::to_string(op_at_);
  *out = std::move(named);
  return {};
}

Status PickleMachine::read_storage_archive(std::shared_ptr<const Storage>* out) {
  Item magic, version, system, storage, keys;
  const auto is = [](const Item& item, Kind kind) { return item.what == What::Value && item.value->kind == kind; };
  if (Status status = next(&magic); !status.ok()) return status;
  if (!is(magic, Kind::Int) || magic.value->text != kMagicNumber) return fail("expected PyTorch's magic number");
  for (Item* item : {&version, &system, &storage, &keys}) {
    if (Status status = next(item); !status.ok()) return status;
  }
  if (!is(version, Kind::Int) || version.value->integer != kVersion) {
    return fail("expected version " + std::to_string(kVersion) + " of PyTorch's old archive", Error::NotSupported);
  }
  const PickleValue* order = is(system, Kind::Dict) ? system.value->find("little_endian") : nullptr;
  if (order == nullptr || order->integer == 0) return fail("expected little endian", Error::NotSupported);
  if (storage.what != What::Storage) return fail("expected a storage");
  auto s = std::make_shared<Storage>(*storage.storage);
  if (!is(keys, Kind::List) || keys.value->items.size() != 1 || keys.value->items[0]->text != s->key) {
    return fail("expected the key of storage " + printable(s->key));
  }
  uint64_t count = 0;
  if (!number(&count)) return cut_short();
  const auto type = storage_class_type(s->storage_class);
  const uint64_t element = type ? element_size(*type) : 1;
  if (count != static_cast<uint64_t>(s->count) || count > (in_.size() - at_) / element) {
    return fail("storage " + printable(s->key) + " has " + std::to_string(in_.size() - at_) + " bytes, expected " +
                std::to_string(s->count) + " elements of " + std::to_string(element));
  }
  s->bytes = in_.subspan(at_, static_cast<size_t>(count * element));
  *out = std::move(s);
  return {};
}

// ("storage", class, key, location, count, view), as PyTorch's old archives write it. The bytes follow later.
Status PickleMachine::op_archived_storage() {
  const char* expected = "expected (\"storage\", class, key, location, count, None)";
  if (stack_.empty() || stack_.back().what != What::Value) return fail(expected);
  const auto raw = raw_tuples_.find(stack_.back().value);
  if (raw == raw_tuples_.end()) return fail(expected);
  const std::vector<Item>& t = *raw->second;
  const auto is = [&t](size_t i, Kind kind) { return t[i].what == What::Value && t[i].value->kind == kind; };
  if (t.size() != 6 || !is(0, Kind::String) || t[0].value->text != "storage" || t[1].what != What::Global ||
      !is(2, Kind::String) || !is(4, Kind::Int) || t[4].value->integer < 0 || !t[4].value->text.empty() ||
      !is(5, Kind::None)) {
    return fail(expected);
  }
  auto s = std::make_shared<Storage>();
  s->key = t[2].value->text;
  s->storage_class = *t[1].global;
  s->count = t[4].value->integer;
  if (!storage_class_type(s->storage_class) && s->storage_class != kUntyped) {
    return fail("expected a storage class, not " + s->storage_class);
  }
  stack_.back() = {What::Storage, nullptr, nullptr, std::move(s)};
  return {};
}

}  // namespace et::etrecord
