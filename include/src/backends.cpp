// Backends written for ExecuTorch in the runtime's registry, and the runtime's backends under ExecuTorch's interface.
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "executorch/runtime/backend/interface.h"
#include "runtime/backends/backend.h"

namespace executorch::runtime {

BackendInterface::~BackendInterface() = default;

namespace {

::et::BackendOption to_ours(const BackendOption& option) {
  ::et::BackendOption out{::et::string_view(option.key)};
  if (const bool* b = std::get_if<bool>(&option.value)) out.set(*b);
  if (const int* i = std::get_if<int>(&option.value)) out.set(*i);
  if (const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&option.value)) out.set(text->data());
  return out;
}
BackendOption to_theirs(const ::et::BackendOption& option) {
  BackendOption out;
  std::memcpy(out.key, option.key, sizeof out.key);
  if (option.type == ::et::BackendOption::Type::Bool) out.value = option.bool_value;
  if (option.type == ::et::BackendOption::Type::Int) out.value = option.int_value;
  if (option.type == ::et::BackendOption::Type::Text) {
    std::array<char, kMaxOptionValueLength> text{};
    std::memcpy(text.data(), option.text_value, text.size());
    out.value = text;
  }
  return out;
}
std::vector<BackendOption> to_theirs(::et::ArrayRef<::et::BackendOption> options) {
  std::vector<BackendOption> out;
  for (const ::et::BackendOption& o : options) out.push_back(to_theirs(o));
  return out;
}

/// An application's backend as the runtime calls it.
class Guest final : public ::et::BackendInterface {
 public:
  explicit Guest(runtime::BackendInterface* backend) : backend_(backend) {}
  bool is_available() const override { return backend_->is_available(); }
  Result<DelegateHandle*> init(::et::BackendInitContext& context, FreeableBuffer* processed,
                               ::et::ArrayRef<::et::CompileSpec> specs) const override {
    // Names and keys come from the program, which ends its texts with a zero.
    std::vector<CompileSpec> list;
    for (const ::et::CompileSpec& s : specs) {
      list.push_back({s.key.data(), {const_cast<uint8_t*>(s.value.data()), s.value.size()}});
    }
    const std::vector<BackendOption> options = to_theirs(context.runtime_specs());
    runtime::BackendInitContext theirs(context.get_runtime_allocator(), context.event_tracer(),
                                       context.get_method_name().data(), context.get_named_data_map(), options);
    return backend_->init(theirs, processed, list);
  }
  Error execute(::et::BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    runtime::BackendExecutionContext theirs(context.event_tracer(), context.get_temp_allocator(),
                                            context.get_method_name().data());
    return backend_->execute(theirs, handle, args);
  }
  void destroy(DelegateHandle* handle) const override { backend_->destroy(handle); }
  Error set_option(Span<const ::et::BackendOption> options) const override {
    std::vector<BackendOption> list = to_theirs(options);
    BackendOptionContext context;
    return backend_->set_option(context, list);
  }
  Error get_option(Span<::et::BackendOption> options) const override {
    std::vector<BackendOption> list = to_theirs(options);
    Span<BackendOption> view = list;
    BackendOptionContext context;
    const Error error = backend_->get_option(context, view);
    for (size_t i = 0; i < options.size(); ++i) options[i] = to_ours(list[i]);
    return error;
  }
  runtime::BackendInterface* theirs() const { return backend_; }

 private:
  runtime::BackendInterface* backend_;
};

/// A backend of the runtime as an application calls it.
class Host final : public BackendInterface {
 public:
  explicit Host(const ::et::BackendInterface* backend) : backend_(backend) {}
  bool is_available() const override { return backend_->is_available(); }
  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    std::vector<::et::CompileSpec> list;
    for (const CompileSpec& s : specs) {
      list.push_back({s.key, {static_cast<const uint8_t*>(s.value.buffer), s.value.nbytes}});
    }
    std::vector<::et::BackendOption> options;
    for (const BackendOption& o : context.runtime_specs()) options.push_back(to_ours(o));
    ::et::BackendInitContext ours(context.get_runtime_allocator(), context.event_tracer(),
                                  text(context.get_method_name()), context.get_named_data_map(), options);
    return backend_->init(ours, processed, list);
  }
  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    ::et::BackendExecutionContext ours(context.event_tracer(), context.get_temp_allocator(),
                                       text(context.get_method_name()));
    return backend_->execute(ours, handle, args);
  }
  void destroy(DelegateHandle* handle) const override { backend_->destroy(handle); }
  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    std::vector<::et::BackendOption> list;
    for (const BackendOption& o : options) list.push_back(to_ours(o));
    return backend_->set_option(Span<const ::et::BackendOption>(list));
  }
  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    std::vector<::et::BackendOption> list;
    for (const BackendOption& o : options) list.push_back(to_ours(o));
    const Error error = backend_->get_option(list);
    for (size_t i = 0; i < options.size(); ++i) options[i] = to_theirs(list[i]);
    return error;
  }
  const ::et::BackendInterface* ours() const { return backend_; }

 private:
  static ::et::string_view text(const char* name) { return name == nullptr ? "" : name; }
  const ::et::BackendInterface* backend_;
};

/// Rows and wrappers for the life of the process, which the runtime's registry points to.
struct Entry {
  Entry(const char* n, BackendInterface* backend) : name(n), guest(backend), row{name.c_str(), &guest, nullptr} {}
  std::string name;
  Guest guest;
  ::et::Backend row;
};
std::deque<Entry>& guests() {
  static auto* list = new std::deque<Entry>;
  return *list;
}

}  // namespace

Error register_backend(const Backend& backend) {
  if (::et::get_backend_class(backend.name) != nullptr) return Error::InvalidArgument;
  Entry& entry = guests().emplace_back(backend.name, backend.backend);
  const Error error = ::et::register_backend(&entry.row);
  if (error != Error::Ok) guests().pop_back();
  return error;
}

BackendInterface* get_backend_class(const char* name) {
  for (const Entry& entry : guests()) {
    if (entry.name == name) return entry.guest.theirs();
  }
  const ::et::BackendInterface* ours = ::et::get_backend_class(name);
  if (ours == nullptr) return nullptr;
  static auto* hosts = new std::deque<Host>;
  for (Host& host : *hosts) {
    if (host.ours() == ours) return &host;
  }
  return &hosts->emplace_back(ours);
}

size_t get_num_registered_backends() {
  size_t n = 0;
  for (const ::et::Backend* b = ::et::first_backend(); b != nullptr; b = b->next) ++n;
  return n;
}
Result<const char*> get_backend_name(size_t index) {
  for (const ::et::Backend* b = ::et::first_backend(); b != nullptr; b = b->next) {
    if (index-- == 0) return b->name;
  }
  return Error::InvalidArgument;
}
Error set_option(const char* backend_name, Span<BackendOption> options) {
  BackendInterface* backend = get_backend_class(backend_name);
  if (backend == nullptr) return Error::NotFound;
  BackendOptionContext context;
  return backend->set_option(context, options);
}
Error get_option(const char* backend_name, Span<BackendOption> options) {
  BackendInterface* backend = get_backend_class(backend_name);
  if (backend == nullptr) return Error::NotFound;
  BackendOptionContext context;
  return backend->get_option(context, options);
}

}  // namespace executorch::runtime
