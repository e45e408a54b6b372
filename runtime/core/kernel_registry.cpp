#include "runtime/core/kernel_registry.h"

#include "runtime/platform/log.h"

namespace et {
namespace {

// Constant-initialised, so that tables of any object may register before this one's dynamic initialisers would run.
constinit const KernelTable* g_first = nullptr;

bool equal(const char* a, string_view b) { return string_view(a) == b; }

class KeyWriter {
 public:
  explicit KeyWriter(Span<char> buffer) : buffer_(buffer) {}
  void put(char c) {
    if (used_ + 1 < buffer_.size()) buffer_[used_] = c;
    ++used_;
  }
  void put_number(unsigned n) {
    if (n >= 10) put_number(n / 10);
    put(static_cast<char>('0' + n % 10));
  }
  Error finish() {
    if (used_ + 1 > buffer_.size()) return Error::InvalidArgument;
    buffer_[used_] = 0;
    return Error::Ok;
  }

 private:
  Span<char> buffer_;
  size_t used_ = 0;
};

}  // namespace

Error make_kernel_key(ArrayRef<TensorMeta> tensors, Span<char> buffer) {
  KeyWriter w(buffer);
  for (char c : string_view("v1/")) w.put(c);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) w.put('|');
    w.put_number(static_cast<unsigned>(tensors[i].scalar_type));
    w.put(';');
    for (size_t d = 0; d < tensors[i].dim_order.size(); ++d) {
      if (d > 0) w.put(',');
      w.put_number(tensors[i].dim_order[d]);
    }
  }
  return w.finish();
}

const Kernel* find_kernel(ArrayRef<Kernel> rows, string_view name, string_view key) {
  const Kernel* fallback = nullptr;
  for (const Kernel& row : rows) {
    if (!equal(row.name, name)) continue;
    if (row.key == nullptr) {
      fallback = &row;
    } else if (equal(row.key, key)) {
      return &row;
    }
  }
  return fallback;
}

Result<const Kernel*> get_kernel(string_view name, string_view key) {
  const Kernel* fallback = nullptr;
  for (const KernelTable* t = g_first; t != nullptr; t = t->next()) {
    const Kernel* row = find_kernel(t->rows(), name, key);
    if (row == nullptr) continue;
    if (row->key != nullptr) return row;
    if (fallback == nullptr) fallback = row;
  }
  if (fallback == nullptr) return Error::OperatorMissing;
  return fallback;
}

bool has_kernel(string_view name) {
  for (const KernelTable* t = g_first; t != nullptr; t = t->next()) {
    for (const Kernel& row : t->rows()) {
      if (equal(row.name, name)) return true;
    }
  }
  return false;
}

Error KernelTable::add(KernelTable* table, ArrayRef<Kernel> rows) {
  for (const KernelTable* t = g_first; t != nullptr; t = t->next()) {
    for (const Kernel& there : t->rows()) {
      for (const Kernel& row : rows) {
        const bool same_key =
            (row.key == nullptr || there.key == nullptr) ? row.key == there.key : equal(row.key, there.key);
        ET_CHECK_OR_RETURN_ERROR(!same_key || !equal(row.name, there.name), RegistrationAlreadyRegistered,
                                 "kernel %s (%s) is already registered", row.name,
                                 row.key == nullptr ? "any dtype" : row.key);
      }
    }
  }
  table->rows_ = rows;
  table->next_ = g_first;
  g_first = table;
  return Error::Ok;
}

const KernelTable* KernelTable::first() { return g_first; }

KernelRegistration::KernelRegistration(ArrayRef<Kernel> rows) { static_cast<void>(KernelTable::add(&table_, rows)); }

}  // namespace et
