// The registry of kernels: tables of rows (operator, key, function) that register themselves when their object is
// linked, or that a program hands in. Nothing is copied or allocated: a table is linked into a list.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "base/result.h"
#include "runtime/core/evalue.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/span.h"

namespace et {

/// A boxed kernel: the operator's arguments in the order of its schema, out arguments included, then the result again.
using OpFunction = void (*)(KernelRuntimeContext& context, Span<EValue*> args);

/// How the events of a kernel are named in a dump, as upstream does it.
enum class KernelKind : uint8_t {
  Native,   // "native_call_<op.overload>", a kernel of the ATen library
  Library,  // "<namespace>::<op.overload>", registered by an application
  Prim,     // no event of its own
};

/// One row. `name` is "aten::add.out". `key` is null for a kernel that takes all dtypes and dim orders, else
/// "v1/<dtype>;<dim order>|…" with one part for each tensor argument, the trailing result included: "v1/6;0,1|6;0,1".
struct Kernel {
  const char* name;
  OpFunction function;
  KernelKind kind = KernelKind::Native;
  const char* key = nullptr;
};

/// dtype and dim order of one tensor argument.
struct TensorMeta {
  ScalarType scalar_type = ScalarType::Float;
  ArrayRef<uint8_t> dim_order;
};
/// Longest key, terminating zero included.
inline constexpr size_t kMaxKernelKey = 512;
/// Writes the key of `tensors` into `buffer`. InvalidArgument: it does not fit.
Error make_kernel_key(ArrayRef<TensorMeta> tensors, Span<char> buffer);

/// Looks in `rows` for the name: the row whose key is equal, else the last row without key, else null.
const Kernel* find_kernel(ArrayRef<Kernel> rows, string_view name, string_view key);
/// The same in all registered tables. OperatorMissing when there is none.
Result<const Kernel*> get_kernel(string_view name, string_view key = {});
bool has_kernel(string_view name);

/// A table in the registry. Its memory and its rows must live as long as the process.
class KernelTable {
 public:
  /// Registers the rows. A row that is there already (name and key) is RegistrationAlreadyRegistered: nothing of the
  /// table is registered then.
  static Error add(KernelTable* table, ArrayRef<Kernel> rows);
  ArrayRef<Kernel> rows() const { return rows_; }
  const KernelTable* next() const { return next_; }
  static const KernelTable* first();

 private:
  ArrayRef<Kernel> rows_;
  const KernelTable* next_ = nullptr;
};

/// At static initialisation: registers rows, or logs why not.
class KernelRegistration {
 public:
  explicit KernelRegistration(ArrayRef<Kernel> rows);

 private:
  KernelTable table_;
};

}  // namespace et
