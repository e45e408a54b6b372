// Loading a method: values, delegates, instructions, in this order, into method memory. Source: execution semantics of
// the program format ("method load").
#include <cstring>
#include <new>

#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/platform/log.h"

namespace et {

/// Fills a Method. Everything that a file may say was checked by format::Program; what is left are memory, external
/// data, kernels and backends.
class MethodLoader {
 public:
  MethodLoader(Method* method, const NamedDataMap* named_data, ArrayRef<Kernel> kernels, bool stop_at_unloadable,
               ArrayRef<BackendLoadOptions> options)
      : m_(*method),
        view_(method->meta_.view()),
        memory_(method->memory_->method_allocator()),
        named_data_(named_data),
        kernels_(kernels),
        options_(options),
        stop_at_unloadable_(stop_at_unloadable) {}

  Error run() {
    ET_CHECK_OK_OR_RETURN_ERROR(temporary_memory());
    ET_CHECK_OK_OR_RETURN_ERROR(data_maps());
    ET_CHECK_OK_OR_RETURN_ERROR(values());
    // Both kinds of what is missing are listed before the first is returned.
    ET_CHECK_OK_OR_RETURN_ERROR(m_.program_->check_method(m_.meta_.name(), kernels_, !stop_at_unloadable_));
    ET_CHECK_OK_OR_RETURN_ERROR(delegates());
    ET_CHECK_OK_OR_RETURN_ERROR(operators());
    return chains();
  }

 private:
  template <class T>
  Error allocate(size_t count, T** out) {
    *out = memory_->allocate_list<T>(count);
    ET_CHECK_OR_RETURN_ERROR(*out != nullptr || count == 0, MemoryAllocationFailed,
                             "method %s: no method memory for %zu items of %zu bytes", m_.meta_.name(), count,
                             sizeof(T));
    for (size_t i = 0; i < count; ++i) new (*out + i) T();
    return Error::Ok;
  }

  Error temporary_memory() {
    m_.temp_ = m_.memory_->temp_allocator();
    ET_CHECK_OR_RETURN_ERROR(m_.temp_ != memory_, InvalidArgument,
                             "the temporary allocator must not be the method allocator");
    if (m_.temp_ != nullptr || platform().allocate == nullptr) return Error::Ok;
    auto* place = memory_->allocate_instance<PlatformMemoryAllocator>();
    ET_CHECK_OR_RETURN_ERROR(place != nullptr, MemoryAllocationFailed, "no memory for the temporary allocator");
    m_.temp_ = new (place) PlatformMemoryAllocator();
    m_.own_temp_ = true;
    return Error::Ok;
  }

  Error data_maps() {
    const NamedDataMap* own = &m_.program_->named_data_map();
    if (named_data_ == nullptr || own->get_num_keys() == 0) {
      backend_data_ = named_data_ != nullptr ? named_data_ : own;
      return Error::Ok;
    }
    const NamedDataMap** both = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(2, &both));
    both[0] = named_data_;
    both[1] = own;
    auto* place = memory_->allocate_instance<MergedDataMap>();
    ET_CHECK_OR_RETURN_ERROR(place != nullptr, MemoryAllocationFailed, "no memory for the named data");
    auto* merged = new (place) MergedDataMap(ArrayRef<const NamedDataMap*>(both, 2));
    backend_data_ = merged;
    return merged->check();
  }

  // --- Values ---------------------------------------------------------------------------------------------------

  Error values() {
    m_.value_count_ = view_.value_count();
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(m_.value_count_, &m_.values_));
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(m_.inputs_size(), &m_.input_set_));
    for (uint32_t i = 0; i < m_.value_count_; ++i) ET_CHECK_OK_OR_RETURN_ERROR(value(i));
    return Error::Ok;
  }

  Error value(uint32_t i) {
    const format::Value v = view_.value(i);
    EValue& out = m_.values_[i];
    switch (v.kind()) {
      case format::ValueKind::Null:
        return Error::Ok;
      case format::ValueKind::Int:
        out = EValue(v.as_int());
        return Error::Ok;
      case format::ValueKind::Bool:
        out = EValue(v.as_bool());
        return Error::Ok;
      case format::ValueKind::Double:
        out = EValue(v.as_double());
        return Error::Ok;
      case format::ValueKind::String:
        out = EValue(v.as_string());
        return Error::Ok;
      case format::ValueKind::Tensor:
        return tensor(v.as_tensor(), i, &out);
      case format::ValueKind::DoubleList:
        out = EValue(ArrayRef<double>(v.doubles()));
        return Error::Ok;
      case format::ValueKind::BoolList: {
        bool* items = nullptr;
        ET_CHECK_OK_OR_RETURN_ERROR(allocate(v.bools().size(), &items));
        for (size_t k = 0; k < v.bools().size(); ++k) items[k] = v.bools()[k] != 0;
        out = EValue(ArrayRef<bool>(items, v.bools().size()));
        return Error::Ok;
      }
      case format::ValueKind::IntList:
        return list<int64_t>(v.indices(), &out);
      case format::ValueKind::TensorList:
        return list<Tensor>(v.indices(), &out);
      case format::ValueKind::OptionalTensorList:
        return list<optional<Tensor>>(v.indices(), &out);
    }
    return Error::InvalidProgram;
  }

  template <class T>
  Error list(const format::IndexList& indices, EValue* out) {
    BoxedList<T>* box = nullptr;
    EValue** items = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, &box));
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(indices.size(), &items));
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(indices.size(), &box->unwrapped));
    for (uint32_t k = 0; k < indices.size(); ++k) items[k] = indices[k] < 0 ? nullptr : &m_.values_[indices[k]];
    box->items = items;
    box->size = indices.size();
    *out = EValue(static_cast<const BoxedList<T>*>(box));
    return Error::Ok;
  }

  Error tensor(const format::TensorView& t, uint32_t index, EValue* out) {
    const size_t rank = t.sizes().size();
    const bool fixed = t.shape_dynamism() == format::ShapeDynamism::Static;
    int32_t* sizes = const_cast<int32_t*>(t.sizes().data());  // never written while the shape is static
    int32_t* strides = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(rank, &strides));
    const bool strided = dim_order_to_strides({sizes, rank}, t.dim_order(), strides);
    const bool endless = t.nbytes() > PTRDIFF_MAX || !strided;
    const bool open = t.shape_dynamism() == format::ShapeDynamism::DynamicUnbound || endless;
    ET_CHECK_OR_RETURN_ERROR(!open || (!fixed && t.data() == format::TensorData::None), NotSupported,
                             "method %s: value %u: a tensor that no memory here can hold, or without upper bound",
                             m_.meta_.name(), static_cast<unsigned>(index));
    if (!fixed) {
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(rank, &sizes));
      for (size_t d = 0; d < rank; ++d) sizes[d] = endless ? 0 : t.sizes()[d];
      dim_order_to_strides({sizes, rank}, t.dim_order(), strides);
    }
    auto* place = memory_->allocate_instance<TensorImpl>();
    ET_CHECK_OR_RETURN_ERROR(place != nullptr, MemoryAllocationFailed, "method %s: no method memory for a tensor",
                             m_.meta_.name());
    auto* impl =
        new (place) TensorImpl(t.scalar_type(), rank, sizes, nullptr, const_cast<uint8_t*>(t.dim_order().data()),
                               strides, static_cast<TensorShapeDynamism>(t.shape_dynamism()));
    if (open) impl->set_numel_bound(PTRDIFF_MAX / impl->element_size());
    *out = EValue(Tensor(impl));
    return tensor_data(t, index, impl);
  }

  Error tensor_data(const format::TensorView& t, uint32_t index, TensorImpl* impl) {
    switch (t.data()) {
      case format::TensorData::None:
        return Error::Ok;
      case format::TensorData::ConstantSegment:
      case format::TensorData::ConstantInline:
        impl->set_data(const_cast<uint8_t*>(t.constant_data().data()));
        impl->set_read_only(true);
        return aligned(t, index, impl);
      case format::TensorData::External: {
        ET_CHECK_OK_OR_RETURN_ERROR(check_external(t));
        Result<FreeableBuffer> data = named_data_->get_data(t.fully_qualified_name());
        if (!data.ok()) return data.error();
        ET_CHECK_OR_RETURN_ERROR(data->size() >= impl->nbytes(), InvalidExternalData,
                                 "external tensor %.*s has %zu bytes, %zu are needed", name_size(t), name(t),
                                 data->size(), impl->nbytes());
        impl->set_data(const_cast<void*>(data->data()));
        impl->set_read_only(true);
        return aligned(t, index, impl);
      }
      default:
        return planned(t, impl);
    }
  }

  // Kernels read elements where they are; a file may put them anywhere.
  Error aligned(const format::TensorView& t, uint32_t index, const TensorImpl* impl) {
    size_t need = impl->element_size();
    if (is_complex_type(t.scalar_type())) need /= 2;
    ET_CHECK_OR_RETURN_ERROR(impl->nbytes() == 0 || reinterpret_cast<uintptr_t>(impl->mutable_data()) % need == 0,
                             InvalidProgram, "value %u: the data of a constant are not aligned to %zu bytes",
                             static_cast<unsigned>(index), need);
    return Error::Ok;
  }
  static bool is_complex_type(ScalarType t) {
    return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
  }

  Error planned(const format::TensorView& t, TensorImpl* impl) {
    const format::Allocation a = t.allocation();
    HierarchicalAllocator* arenas = m_.memory_->planned_memory();
    ET_CHECK_OR_RETURN_ERROR(arenas != nullptr, InvalidState, "method %s needs planned memory", m_.meta_.name());
    ET_CHECK_OR_RETURN_ERROR(a.memory_id > 0, InvalidProgram, "a planned tensor in memory 0");
    Result<void*> place = arenas->get_offset_address(a.memory_id - 1, a.offset, impl->nbytes());
    if (!place.ok()) return place.error();
    impl->set_data(*place);
    ET_CHECK_OK_OR_RETURN_ERROR(aligned(t, 0, impl));
    if (t.data() == format::TensorData::PlannedInitialised && impl->nbytes() > 0) {
      std::memcpy(*place, t.constant_data().data(), t.constant_data().size());
    } else if (t.data() == format::TensorData::PlannedExternal) {
      ET_CHECK_OK_OR_RETURN_ERROR(check_external(t));
      return named_data_->load_data_into(t.fully_qualified_name(), *place, impl->nbytes());
    }
    return Error::Ok;
  }

  static const char* name(const format::TensorView& t) { return t.fully_qualified_name().data(); }
  static int name_size(const format::TensorView& t) { return static_cast<int>(t.fully_qualified_name().size()); }

  Error check_external(const format::TensorView& t) {
    ET_CHECK_OR_RETURN_ERROR(named_data_ != nullptr, InvalidExternalData,
                             "tensor %.*s is in a separate file of weights, and none was given", name_size(t), name(t));
    Result<TensorLayout> layout = named_data_->get_tensor_layout(t.fully_qualified_name());
    ET_CHECK_OR_RETURN_ERROR(layout.ok(), InvalidExternalData, "the weights have no tensor %.*s", name_size(t),
                             name(t));
    bool equal = layout->scalar_type == t.scalar_type() && layout->sizes.size() == t.sizes().size() &&
                 layout->dim_order.size() == t.dim_order().size();
    for (size_t d = 0; equal && d < t.sizes().size(); ++d) {
      equal = layout->sizes[d] == t.sizes()[d] && layout->dim_order[d] == t.dim_order()[d];
    }
    ET_CHECK_OR_RETURN_ERROR(equal, InvalidExternalData,
                             "external tensor %.*s has another dtype, shape or dim order than the program says",
                             name_size(t), name(t));
    return Error::Ok;
  }

  // --- Delegates ------------------------------------------------------------------------------------------------

  Error delegates() {
    Method::DelegateState* states = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(view_.delegate_count(), &states));
    m_.delegates_ = {states, view_.delegate_count()};
    for (uint32_t i = 0; i < view_.delegate_count(); ++i) {
      const format::Delegate d = view_.delegate(i);
      CompileSpec* specs = nullptr;
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(d.compile_spec_count(), &specs));
      for (uint32_t k = 0; k < d.compile_spec_count(); ++k) {
        specs[k] = {d.compile_spec(k).key, d.compile_spec(k).value};
      }
      Method::DelegateState& state = states[i];
      state.id = d.id().data();
      state.processed = m_.program_->named_data_map().buffer({d.payload().data(), d.payload().size()});
      const BackendInterface* backend = get_backend_class(d.id());
      if (backend == nullptr || !backend->is_available()) {
        if (stop_at_unloadable_) continue;
        return Error::NotFound;
      }
      ArrayRef<BackendOption> options;
      for (const BackendLoadOptions& o : options_) {
        if (o.backend == d.id()) options = o.options;
      }
      BackendInitContext context(memory_, m_.tracer_, view_.name(), backend_data_, options);
      Result<DelegateHandle*> handle =
          backend->init(context, &state.processed, ArrayRef<CompileSpec>(specs, d.compile_spec_count()));
      if (!handle.ok()) {
        ET_LOG(Error, "method %s: delegate %u: backend %s cannot initialise: %s", m_.meta_.name(),
               static_cast<unsigned>(i), state.id, error_name(handle.error()));
        state.processed.Free();
        if (stop_at_unloadable_) continue;
        return handle.error();
      }
      state.backend = backend;
      state.handle = *handle;
    }
    return Error::Ok;
  }

  // --- Instructions ---------------------------------------------------------------------------------------------

  struct Choice {
    const Kernel* fallback = nullptr;
    bool keyed = false;  // some kernel is for certain dtypes only
  };

  Choice choose(string_view op) const {
    Choice c;
    const auto look = [&](ArrayRef<Kernel> rows) {
      for (const Kernel& row : rows) {
        if (op != row.name) continue;
        if (row.key != nullptr) {
          c.keyed = true;
        } else if (c.fallback == nullptr) {
          c.fallback = &row;
        }
      }
    };
    look(kernels_);
    for (const KernelTable* t = KernelTable::first(); t != nullptr; t = t->next()) look(t->rows());
    return c;
  }

  Error operators() {
    const uint32_t n = view_.operator_count();
    Method::OperatorNames* names = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(n, &names));
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(n, &choices_));
    m_.operators_ = {names, n};
    for (uint32_t i = 0; i < n; ++i) {
      constexpr char kPrefix[] = "native_call_";
      char full[Method::kMaxOperatorName];
      ET_CHECK_OK_OR_RETURN_ERROR(Method::operator_name(view_, i, full));
      char* text = nullptr;
      const size_t length = std::strlen(full);
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(2 * length + sizeof(kPrefix) + 1, &text));
      std::memcpy(text, full, length + 1);
      names[i].full = text;
      choices_[i] = choose(full);
      const KernelKind kind = choices_[i].fallback == nullptr ? KernelKind::Native : choices_[i].fallback->kind;
      if (kind == KernelKind::Library) names[i].event = text;
      if (kind != KernelKind::Native) continue;
      char* event = text + length + 1;
      const char* base = std::strstr(full, "::");
      base = base == nullptr ? full : base + 2;
      std::memcpy(event, kPrefix, sizeof(kPrefix) - 1);
      std::memcpy(event + sizeof(kPrefix) - 1, base, std::strlen(base) + 1);
      names[i].event = event;
    }
    return Error::Ok;
  }

  Error chains() {
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(m_.value_count_, &loose_));
    mark_loose();
    Method::Chain* chains = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(view_.chain_count(), &chains));
    m_.chains_ = {chains, view_.chain_count()};
    for (uint32_t c = 0; c < view_.chain_count(); ++c) {
      const format::Chain chain = view_.chain(c);
      Method::Instruction* list = nullptr;
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(chain.instruction_count(), &list));
      chains[c].instructions = {list, chain.instruction_count()};
      for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
        const Error error = instruction(chain.instruction(i), &list[i]);
        if (error != Error::Ok) {
          ET_LOG(Error, "method %s: instruction %u of chain %u", m_.meta_.name(), static_cast<unsigned>(i),
                 static_cast<unsigned>(c));
          return error;
        }
      }
    }
    return Error::Ok;
  }

  // Values whose tensor may be without memory, or be a constant under another name, when an instruction reads them.
  void mark_loose() {
    for (uint32_t i = 0; i < m_.value_count_; ++i) {
      const EValue& v = m_.values_[i];
      loose_[i] = v.isTensor() && (v.toTensor().const_data_ptr() == nullptr || v.payload.as_tensor->is_read_only());
    }
    for (uint32_t c = 0; c < view_.chain_count(); ++c) {
      const format::Chain chain = view_.chain(c);
      for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
        const format::Instruction in = chain.instruction(i);
        if (in.kind() == format::InstructionKind::FreeCall) loose_[in.value_index()] = true;
        if (in.kind() == format::InstructionKind::MoveCall) loose_[in.move_to()] = loose_[in.move_from()] = true;
      }
    }
    // Lists are made of earlier values.
    for (uint32_t i = 0; i < m_.value_count_; ++i) {
      const format::ValueKind kind = view_.value(i).kind();
      if (kind != format::ValueKind::TensorList && kind != format::ValueKind::OptionalTensorList) continue;
      const format::IndexList items = view_.value(i).indices();
      for (uint32_t k = 0; k < items.size(); ++k) loose_[i] = loose_[i] || (items[k] >= 0 && loose_[items[k]]);
    }
  }

  Error instruction(const format::Instruction& in, Method::Instruction* out) {
    switch (in.kind()) {
      case format::InstructionKind::KernelCall:
        out->kind = Method::Kind::Kernel;
        out->index = static_cast<uint32_t>(in.op_index());
        ET_CHECK_OK_OR_RETURN_ERROR(arguments(in.args(), out));
        return kernel(out);
      case format::InstructionKind::DelegateCall:
        out->kind = Method::Kind::Delegate;
        out->index = static_cast<uint32_t>(in.delegate_index());
        return arguments(in.args(), out);
      case format::InstructionKind::JumpFalseCall: {
        out->kind = Method::Kind::JumpFalse;
        out->index = static_cast<uint32_t>(in.destination());
        const int32_t condition[] = {in.cond_value_index()};
        return arguments(condition, out);
      }
      case format::InstructionKind::MoveCall: {
        out->kind = Method::Kind::Move;
        const int32_t both[] = {in.move_from(), in.move_to()};
        return arguments(both, out);
      }
      case format::InstructionKind::FreeCall: {
        out->kind = Method::Kind::Free;
        const int32_t one[] = {in.value_index()};
        return arguments(one, out);
      }
      case format::InstructionKind::None:
        break;
    }
    return Error::InvalidProgram;
  }

  Error arguments(ArrayRef<int32_t> indices, Method::Instruction* out) {
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(indices.size(), &out->args));
    out->arg_count = static_cast<uint32_t>(indices.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      out->args[i] = &m_.values_[indices[i]];
      out->check_data = out->check_data || loose_[indices[i]];
    }
    return Error::Ok;
  }

  // The kernel for the dtypes and dim orders that the program says, and which arguments are results: the last one, or
  // what the list at the end holds.
  Error kernel(Method::Instruction* in) {
    const Choice& choice = choices_[in->index];
    const Kernel* found = choice.fallback;
    if (choice.keyed) {
      TensorMeta* tensors = nullptr;
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(in->arg_count, &tensors));
      size_t n = 0;
      for (uint32_t i = 0; i < in->arg_count; ++i) {
        if (!in->args[i]->isTensor()) continue;
        const Tensor t = in->args[i]->toTensor();
        tensors[n++] = {t.scalar_type(), t.dim_order()};
      }
      char key[kMaxKernelKey];
      ET_CHECK_OK_OR_RETURN_ERROR(make_kernel_key({tensors, n}, key));
      const string_view op = m_.operators_[in->index].full;
      found = find_kernel(kernels_, op, key);
      if (found == nullptr) {
        Result<const Kernel*> global = get_kernel(op, key);
        if (global.ok()) found = *global;
      }
    }
    ET_CHECK_OR_RETURN_ERROR(found != nullptr, OperatorMissing,
                             "operator %s has no kernel for the dtypes of its arguments",
                             m_.operators_[in->index].full);
    in->function = found->function;
    ET_CHECK_OR_RETURN_ERROR(in->arg_count > 0, InvalidProgram, "operator %s is called without arguments",
                             m_.operators_[in->index].full);
    const EValue& last = *in->args[in->arg_count - 1];
    size_t results = 1;
    if (last.isTensorList()) {
      const bool list_out = in->arg_count >= 2 && in->args[in->arg_count - 2]->isTensorList();
      results = list_out ? 1 : last.payload.as_tensors->size;
    }
    const size_t outs_end = in->arg_count - 1;
    if (outs_end > UINT16_MAX) return Error::Ok;  // no operator has as many; nothing is logged
    in->logged_from = static_cast<uint16_t>(results < outs_end ? outs_end - results : 0);
    in->logged_to = static_cast<uint16_t>(outs_end);
    // An operator that writes in place, such as copy_, has its result somewhere among its arguments.
    for (size_t i = 0; results == 1 && i < outs_end; ++i) {
      if (in->args[i] != in->args[outs_end]) continue;
      in->logged_from = static_cast<uint16_t>(i);
      in->logged_to = static_cast<uint16_t>(i + 1);
    }
    return Error::Ok;
  }

  Method& m_;
  const format::Method& view_;
  MemoryAllocator* memory_;
  const NamedDataMap* named_data_;
  const NamedDataMap* backend_data_ = nullptr;
  ArrayRef<Kernel> kernels_;
  ArrayRef<BackendLoadOptions> options_;
  bool stop_at_unloadable_;
  Choice* choices_ = nullptr;
  bool* loose_ = nullptr;
};

namespace {

// Records "name" from its construction to its end, also when the load fails.
class LoadScope {
 public:
  LoadScope(EventTracer* tracer, const char* name) : tracer_(tracer) {
    if (tracer_ != nullptr) entry_ = tracer_->start_profiling(name);
  }
  LoadScope(const LoadScope&) = delete;
  LoadScope& operator=(const LoadScope&) = delete;
  ~LoadScope() {
    if (tracer_ != nullptr) tracer_->end_profiling(entry_);
  }

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_;
};

}  // namespace

Error Method::operator_name(const format::Method& method, uint32_t index, char* buffer) {
  const format::OperatorName op = method.operator_name(index);
  const size_t dot = op.overload.empty() ? 0 : 1;
  const size_t total = op.name.size() + dot + op.overload.size();
  ET_CHECK_OR_RETURN_ERROR(total < kMaxOperatorName, InvalidProgram, "operator %u: the name is too long",
                           static_cast<unsigned>(index));
  std::memcpy(buffer, op.name.data(), op.name.size());
  if (dot != 0) {
    buffer[op.name.size()] = '.';
    std::memcpy(buffer + op.name.size() + 1, op.overload.data(), op.overload.size());
  }
  buffer[total] = 0;
  return Error::Ok;
}

Result<Method> Method::load(const Program& program, const MethodMeta& meta, MemoryManager* memory, EventTracer* tracer,
                            const NamedDataMap* named_data, ArrayRef<Kernel> kernels, bool stop_at_unloadable,
                            ArrayRef<BackendLoadOptions> options) {
#if !ET_EVENT_TRACER_ENABLED
  tracer = nullptr;
#endif
  Method method(program, meta, memory, tracer);
  Error error = Error::Ok;
  if (tracer != nullptr) {
    tracer->create_event_block("Default");
    tracer->begin_run({meta.name(), "load", 0});
  }
  {
    LoadScope whole(tracer, "Program::load_method");
    LoadScope init(tracer, "Method::init");
    error = MethodLoader(&method, named_data, kernels, stop_at_unloadable, options).run();
  }
  if (tracer != nullptr) method.end_run(error);
  if (error != Error::Ok) return error;
  return method;
}

}  // namespace et
