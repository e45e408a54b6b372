// One event of an ETDump and the value it may carry: plain views into the file, valid as long as the file's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/scalar_type.h"
#include "etdump/int64_view.h"
#include "etdump/wire.h"

namespace et::etdump {

/// A logged tensor. Int64View behaves like a span of const int64_t (size, [], range-for) but reads bytewise, because
/// neither the file nor its mapping is trusted to be aligned.
struct TensorInfo {
  ScalarType dtype = ScalarType::Byte;  // the stored number, even if unknown (then element_size() is 0)
  int8_t raw_dtype = 0;
  Int64View sizes;      // elements
  Int64View strides;    // elements; may be empty or of another length than sizes: DebugBuffer checks
  int64_t offset = -1;  // bytes into the debug buffer; -1 = nothing stored
};

/// Numbers as in the ETDump schema. String has no content there: as_string() is empty.
enum class ValueKind : int8_t {
  Null = 0,
  Int = 1,
  Bool = 2,
  Float = 3,
  Double = 4,
  Tensor = 5,
  TensorList = 6,
  String = 7
};

/// The value of a debug event. Checked when the event was read: the accessors cannot fail. An accessor of another
/// kind gives 0 / false / nothing.
class Value {
 public:
  ValueKind kind() const { return kind_; }
  int64_t as_int() const { return kind_ == ValueKind::Int ? int_ : 0; }
  bool as_bool() const { return kind_ == ValueKind::Bool && int_ != 0; }
  double as_double() const { return kind_ == ValueKind::Double || kind_ == ValueKind::Float ? double_ : 0.0; }
  std::string_view as_string() const { return {}; }
  /// 1 for a Tensor, the length for a TensorList, else 0.
  size_t tensor_count() const { return static_cast<size_t>(tensors_.count); }
  /// `i` < tensor_count().
  TensorInfo tensor(size_t i) const;
  /// A program output (upstream marks tensors and tensor lists only; scalar outputs look like intermediates).
  bool is_output() const { return output_; }

 private:
  friend class ValueReader;
  ValueKind kind_ = ValueKind::Null;
  bool output_ = false;
  bool list_ = false;
  int64_t int_ = 0;
  double double_ = 0.0;
  wire::Bytes bytes_;
  wire::Vector tensors_;  // of a TensorList; for a Tensor `first` is the table itself
};

enum class EventKind : uint8_t { Profile, Debug, Allocation };

struct Event {
  EventKind kind = EventKind::Profile;
  uint32_t index = 0;  // in RunData.events; indexes of damaged events are skipped, not reused
  std::string_view name;
  bool has_name = false;
  int32_t instruction_id = -1;        // -1 = absent. Framework events carry 0 and chain_index -1
  int64_t chain_index = 0;            // -1 outside instructions (2^64-1 of debug events comes out as -1)
  int32_t delegate_id_int = -1;       // -1 = none
  std::string_view delegate_id_str;   // "" = none
  bool has_delegate_id_str = false;   // stored and not empty
  std::span<const uint8_t> metadata;  // delegate_debug_metadata: the backend's own bytes
  bool has_metadata = false;          // stored; may be empty
  uint64_t start = 0, end = 0;        // ticks, as stored (Profile)
  Value value;                        // Debug
  int32_t allocator_id = 0;           // Allocation: 1-based index into Run::allocator_name's list; 0 = none
  uint64_t allocation_size = 0;       // bytes (Allocation)

  bool is_delegated() const { return delegate_id_int != -1 || has_delegate_id_str; }
};

}  // namespace et::etdump
