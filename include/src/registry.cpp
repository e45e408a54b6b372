// The registry of kernels under its ExecuTorch interface.
#include <deque>
#include <string>
#include <vector>

#include "executorch/runtime/core/tag.h"
#include "executorch/runtime/kernel/operator_registry.h"

namespace executorch::runtime {
namespace {

/// Rows as the registry wants them: it keeps pointers.
struct Table {
  std::deque<std::string> texts;
  std::vector<::et::Kernel> rows;
  ::et::KernelTable table;
};

/// An application's kernel is called by its name, one of the ATen library by "native_call_…".
::et::KernelKind kind_of(const char* name) {
  return std::strncmp(name, "aten::", 6) == 0 ? ::et::KernelKind::Native : ::et::KernelKind::Library;
}

Error key_of(Span<const TensorMeta> meta, char* buffer, size_t size) {
  std::vector<::et::TensorMeta> list;
  for (const TensorMeta& m : meta) {
    // Two digits are all that a key has for either.
    ET_CHECK_OR_RETURN_ERROR(static_cast<int>(m.dtype_) >= 0 && static_cast<int>(m.dtype_) < 100, InvalidArgument,
                             "kernel key: no such dtype: %d", static_cast<int>(m.dtype_));
    for (const auto d : m.dim_order_) {
      ET_CHECK_OR_RETURN_ERROR(d < 100, InvalidArgument, "kernel key: no such dimension: %u", unsigned{d});
    }
    list.push_back({m.dtype_, m.dim_order_});
  }
  return ::et::make_kernel_key(list, Span<char>(buffer, size));
}

}  // namespace

namespace internal {

Error make_kernel_key_string(Span<const TensorMeta> key, char* buffer, size_t buffer_size) {
  if (key.empty()) {
    // What takes no tensor has no key.
    if (buffer_size > 0) buffer[0] = 0;
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr, InvalidArgument, "kernel key: no buffer was given");
  return key_of(key, buffer, buffer_size);
}

}  // namespace internal

Error register_kernels(Span<const Kernel> kernels) {
  auto* table = new Table;  // for the life of the process, as the registry asks
  for (const Kernel& k : kernels) {
    table->texts.push_back(k.name_);
    ::et::Kernel row{table->texts.back().c_str(), k.op_, kind_of(k.name_), nullptr};
    if (!k.kernel_key_.is_fallback()) {
      table->texts.push_back(k.kernel_key_.data());
      row.key = table->texts.back().c_str();
    }
    table->rows.push_back(row);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const bool twice =
          std::strcmp(kernels[i].name_, kernels[k].name_) == 0 && kernels[i].kernel_key_ == kernels[k].kernel_key_;
      ET_CHECK_MSG(!twice, "registration failed: kernel %s is given twice", kernels[i].name_);
    }
  }
  const Error error = ::et::KernelTable::add(&table->table, table->rows);
  // Two kernels of one name and key are a mistake of the build, and the registration of static objects that nobody
  // sees.
  ET_CHECK_MSG(error != Error::RegistrationAlreadyRegistered,
               "registration failed (error %u): the log says which kernel is there already",
               static_cast<unsigned>(error));
  if (error != Error::Ok) delete table;
  return error;
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list) {
  char key[::et::kMaxKernelKey] = "";
  if (!meta_list.empty()) ET_CHECK_OK_OR_RETURN_ERROR(key_of(meta_list, key, sizeof key));
  const Result<const ::et::Kernel*> row = ::et::get_kernel(name, key);
  if (!row.ok()) {
    ET_LOG(Error, "no kernel of %s for the key '%s'", name, key);
    return row.error();
  }
  return (*row)->function;
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list,
                                                 Span<const Kernel> kernels) {
  char key[::et::kMaxKernelKey] = "";
  if (!meta_list.empty()) ET_CHECK_OK_OR_RETURN_ERROR(key_of(meta_list, key, sizeof key));
  OpFunction fallback = nullptr;
  for (const Kernel& k : kernels) {
    if (std::strcmp(k.name_, name) != 0) continue;
    if (k.kernel_key_.is_fallback()) {
      fallback = k.op_;
    } else if (!meta_list.empty() && std::strcmp(k.kernel_key_.data(), key) == 0) {
      return k.op_;
    }
  }
  if (fallback == nullptr) return Error::OperatorMissing;
  return fallback;
}

bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list) {
  char key[::et::kMaxKernelKey] = "";
  if (!meta_list.empty() && key_of(meta_list, key, sizeof key) != Error::Ok) return false;
  return ::et::get_kernel(name, key).ok();
}

Span<const Kernel> get_registered_kernels() {
  static std::vector<Kernel> all;
  all.clear();
  for (const ::et::KernelTable* t = ::et::KernelTable::first(); t != nullptr; t = t->next()) {
    for (const ::et::Kernel& row : t->rows()) all.emplace_back(row.name, KernelKey(row.key), row.function);
  }
  return {all.data(), all.size()};
}

size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size) {
  const char* name = tag_to_string(tag);
  std::string unknown;
  if (name == nullptr) {
    unknown = "Unknown(" + std::to_string(static_cast<unsigned>(tag)) + ")";
    name = unknown.c_str();
  }
  const size_t length = std::strlen(name);
  if (buffer_size > 0) {
    const size_t kept = length < buffer_size ? length : buffer_size - 1;
    std::memcpy(buffer, name, kept);
    buffer[kept] = 0;
  }
  return length;
}

const char* tag_to_string(Tag tag) {
  const char* name = ::et::tag_name(tag);
  return std::strcmp(name, "unknown") == 0 ? nullptr : name;
}

}  // namespace executorch::runtime
