// Instructions of a method: kernels are looked up and arguments resolved once, so that running one is a call.
#include <cstring>

#include "runtime/executor/method_loader.h"

namespace et {

MethodLoader::Choice MethodLoader::choose(string_view op) const {
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

Error MethodLoader::operators() {
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

Error MethodLoader::chains() {
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
        ET_LOG(Error, "method %s: cannot load instruction %u of chain %u", m_.meta_.name(), static_cast<unsigned>(i),
               static_cast<unsigned>(c));
        return error;
      }
    }
  }
  return Error::Ok;
}

// Values whose tensor may be without memory, or be a constant under another name, when an instruction reads them.
void MethodLoader::mark_loose() {
  for (uint32_t i = 0; i < m_.value_count_; ++i) {
    const EValue& v = m_.values_[i];
    loose_[i] = v.isTensor() &&
                (v.toTensor().const_data_ptr() == nullptr || v.payload.as_tensor.unsafeGetTensorImpl()->is_read_only());
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

Error MethodLoader::instruction(const format::Instruction& in, Method::Instruction* out) {
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

Error MethodLoader::arguments(ArrayRef<int32_t> indices, Method::Instruction* out) {
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(indices.size(), &out->args));
  out->arg_count = static_cast<uint32_t>(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    out->args[i] = &m_.values_[indices[i]];
    out->check_data = out->check_data || loose_[indices[i]];
  }
  return Error::Ok;
}

// The kernel for the dtypes and dim orders that the program states, and which arguments are results: the last one, or
// what the list at the end holds.
Error MethodLoader::kernel(Method::Instruction* in) {
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
                           "operator %s has no kernel for the dtypes of its arguments", m_.operators_[in->index].full);
  in->function = found->function;
  ET_CHECK_OR_RETURN_ERROR(in->arg_count > 0, InvalidProgram, "operator %s is called without arguments",
                           m_.operators_[in->index].full);
  const EValue& last = *in->args[in->arg_count - 1];
  size_t results = 1;
  if (last.isTensorList()) {
    const bool list_out = in->arg_count >= 2 && in->args[in->arg_count - 2]->isTensorList();
    results = list_out ? 1 : last.payload.copyable_union.as_tensor_list_ptr->size;
  }
  const size_t outs_end = in->arg_count - 1;
  if (outs_end > UINT16_MAX) return Error::Ok;  // no operator has that many; nothing is logged
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
}  // namespace et
