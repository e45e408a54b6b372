// Bounds-checked access to a flatbuffer that may be damaged: tables are checked one at a time, when they are visited.
// Knows the binary layout (tables, vtables, vectors, strings), not the schemas. Reads bytewise: no alignment is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "etdump/int64_view.h"

namespace et::etdump::wire {

/// What was found broken, where. `field` and `expected` are static strings; `expected` is null while all is well.
struct Fault {
  uint64_t offset = 0;  // bytes from the start of the file
  const char* field = "";
  const char* expected = nullptr;

  bool ok() const { return expected == nullptr; }
  bool set(uint64_t at, const char* what, const char* wanted) {
    offset = at;
    field = what;
    expected = wanted;
    return false;
  }
};

/// The bytes that offsets may point into: `file[0, end)`.
struct Bytes {
  const uint8_t* data = nullptr;
  uint64_t end = 0;

  bool holds(uint64_t at, uint64_t count) const { return at <= end && count <= end - at; }
  template <class T>
  T load(uint64_t at) const {  // the caller has checked holds(at, sizeof(T))
    T value;
    std::memcpy(&value, data + at, sizeof(T));
    return value;
  }
};

/// A vector: position of its first element and the number of elements that lie in the file.
struct Vector {
  uint64_t first = 0;
  uint64_t count = 0;     // readable elements
  uint64_t declared = 0;  // elements the file claims
};

/// A checked table. Fields are read through it; an absent field gives its default.
class Table {
 public:
  /// Checks the table at `at`: vtable and table body inside the file, sizes consistent.
  static bool open(const Bytes& bytes, uint64_t at, const char* name, Table* out, Fault* fault) {
    if ((at & 3) != 0 || !bytes.holds(at, 4)) return fault->set(at, name, "a table inside the file");
    const int64_t vtable = static_cast<int64_t>(at) - bytes.load<int32_t>(at);
    if (vtable < 0 || (vtable & 1) != 0 || !bytes.holds(static_cast<uint64_t>(vtable), 4))
      return fault->set(at, name, "a vtable inside the file");
    const uint64_t v = static_cast<uint64_t>(vtable);
    const uint16_t vtable_bytes = bytes.load<uint16_t>(v);
    const uint16_t table_bytes = bytes.load<uint16_t>(v + 2);
    if (vtable_bytes < 4 || (vtable_bytes & 1) != 0 || !bytes.holds(v, vtable_bytes))
      return fault->set(v, name, "a valid vtable size");
    if (table_bytes < 4 || !bytes.holds(at, table_bytes)) return fault->set(v, name, "a table body inside the file");
    out->bytes_ = bytes;
    out->at_ = at;
    out->vtable_ = v;
    out->vtable_bytes_ = vtable_bytes;
    out->table_bytes_ = table_bytes;
    return true;
  }

  uint64_t at() const { return at_; }
  const Bytes& bytes() const { return bytes_; }

  /// Scalar field `id`. False: the vtable sends it outside the table.
  template <class T>
  bool scalar(unsigned id, T absent, const char* name, T* out, Fault* fault) const {
    const uint16_t slot = slot_of(id);
    if (slot == 0) {
      *out = absent;
      return true;
    }
    if (!inside(slot, sizeof(T))) return fault->set(at_, name, "a field inside its table");
    *out = bytes_.load<T>(at_ + slot);
    return true;
  }

  /// Position that reference field `id` points to; 0 when the field is absent.
  bool reference(unsigned id, const char* name, uint64_t* out, Fault* fault) const {
    const uint16_t slot = slot_of(id);
    if (slot == 0) {
      *out = 0;
      return true;
    }
    if (!inside(slot, 4)) return fault->set(at_, name, "a field inside its table");
    return follow(bytes_, at_ + slot, name, out, fault);
  }

  /// Table field `id`; `*present` false when absent.
  bool table(unsigned id, const char* name, Table* out, bool* present, Fault* fault) const {
    uint64_t target = 0;
    if (!reference(id, name, &target, fault)) return false;
    *present = target != 0;
    return !*present || open(bytes_, target, name, out, fault);
  }

  /// String field `id`; `*present` (may be null) says whether the field is there.
  bool string(unsigned id, const char* name, std::string_view* out, bool* present, Fault* fault) const {
    uint64_t target = 0;
    *out = {};
    if (present != nullptr) *present = false;
    if (!reference(id, name, &target, fault)) return false;
    if (target == 0) return true;
    if (!bytes_.holds(target, 4)) return fault->set(target, name, "a string inside the file");
    const uint64_t length = bytes_.load<uint32_t>(target);
    if (!bytes_.holds(target + 4, length + 1)) return fault->set(target, name, "a string inside the file");
    if (bytes_.data[target + 4 + length] != 0) return fault->set(target, name, "a string that ends in NUL");
    *out = {reinterpret_cast<const char*>(bytes_.data + target + 4), static_cast<size_t>(length)};
    if (present != nullptr) *present = true;
    return true;
  }

  /// Vector field `id` with elements of `element` bytes, cut to what lies in the file (`count` < `declared` then).
  bool clipped_vector(unsigned id, size_t element, const char* name, Vector* out, Fault* fault) const {
    uint64_t target = 0;
    *out = {};
    if (!reference(id, name, &target, fault)) return false;
    if (target == 0) return true;
    if ((target & 3) != 0 || !bytes_.holds(target, 4)) return fault->set(target, name, "a vector inside the file");
    out->first = target + 4;
    out->declared = bytes_.load<uint32_t>(target);
    const uint64_t room = (bytes_.end - out->first) / element;
    out->count = out->declared < room ? out->declared : room;
    return true;
  }

  /// As clipped_vector, but a vector that runs past the end is a fault.
  bool vector(unsigned id, size_t element, const char* name, Vector* out, Fault* fault) const {
    if (!clipped_vector(id, element, name, out, fault)) return false;
    if (out->count < out->declared) return fault->set(out->first - 4, name, "a vector inside the file");
    return true;
  }

  bool byte_vector(unsigned id, const char* name, std::span<const uint8_t>* out, bool* present, Fault* fault) const {
    Vector v;
    if (!vector(id, 1, name, &v, fault)) return false;
    *out = v.count == 0 ? std::span<const uint8_t>()
                        : std::span<const uint8_t>(bytes_.data + v.first, static_cast<size_t>(v.count));
    if (present != nullptr) *present = v.first != 0;
    return true;
  }

  bool int64_vector(unsigned id, const char* name, Int64View* out, Fault* fault) const {
    Vector v;
    if (!vector(id, 8, name, &v, fault)) return false;
    *out = v.count == 0 ? Int64View() : Int64View(bytes_.data + v.first, static_cast<size_t>(v.count));
    return true;
  }

  /// Follows the uoffset stored at `slot` (inside the file).
  static bool follow(const Bytes& bytes, uint64_t slot, const char* name, uint64_t* out, Fault* fault) {
    const uint32_t step = bytes.load<uint32_t>(slot);
    if (step == 0 || !bytes.holds(slot + step, 4)) return fault->set(slot, name, "an offset inside the file");
    *out = slot + step;
    return true;
  }

  /// Element `i` (< v.count) of a vector of tables.
  static bool element(const Bytes& bytes, const Vector& v, uint64_t i, const char* name, Table* out, Fault* fault) {
    uint64_t target = 0;
    return follow(bytes, v.first + 4 * i, name, &target, fault) && open(bytes, target, name, out, fault);
  }

 private:
  uint16_t slot_of(unsigned id) const {
    const unsigned at = 4 + 2 * id;
    return at + 2 <= vtable_bytes_ ? bytes_.load<uint16_t>(vtable_ + at) : uint16_t{0};
  }
  bool inside(uint16_t slot, size_t size) const { return slot >= 4 && slot + size <= table_bytes_; }

  Bytes bytes_;
  uint64_t at_ = 0;
  uint64_t vtable_ = 0;
  uint16_t vtable_bytes_ = 0;
  uint16_t table_bytes_ = 0;
};

}  // namespace et::etdump::wire
