#include "runtime/format/program_extents.h"

#include "program_generated.h"
#include "runtime/format/flat.h"

namespace et::format {
namespace {

class ExtentWalker {
 public:
  ExtentWalker(const Program& program, void (*visit)(void*, const Extent&), void* context)
      : file_(program.file()), visit_(visit), context_(context) {}

  void walk(const ProgramHeader& header) {
    report(0, header.present ? 8 + uint64_t{header.length} : 8);
    kind_ = ExtentKind::Tables;
    const auto* root = flatbuffers::GetRoot<pte_fb::Program>(file_.data());
    table(root);
    vector(root->segments(), [](const auto*) {});
    list(root->constant_segment(), [&](const auto* s) { scalars(s->offsets()); });
    vector(root->mutable_data_segments(), [&](const auto* s) { scalars(s->offsets()); });
    vector(root->named_data(), [&](const auto* d) { text(d->key()); });
    vector(root->constant_buffer(), [&](const auto* b) { data(ExtentKind::InlineConstant, b->storage()); });
    vector(root->backend_delegate_data(), [&](const auto* b) { data(ExtentKind::InlinePayload, b->data()); });
    offsets(root->execution_plan());
    for (uint32_t i = 0; i < count_of(root->execution_plan()); ++i) {
      method_ = static_cast<int32_t>(i);
      walk_method(*root->execution_plan()->Get(i));
    }
  }

 private:
  void walk_method(const pte_fb::ExecutionPlan& plan) {
    kind_ = ExtentKind::Interface;
    table(&plan);
    text(plan.name());
    list(plan.container_meta_type(), [&](const auto* c) {
      text(c->encoded_inp_str());
      text(c->encoded_out_str());
    });
    scalars(plan.inputs());
    scalars(plan.outputs());
    scalars(plan.non_const_buffer_sizes());
    vector(plan.non_const_buffer_device(), [](const auto*) {});
    kind_ = ExtentKind::Values;
    vector(plan.values(), [&](const auto* v) { value(*v); });
    kind_ = ExtentKind::Operators;
    vector(plan.operators(), [&](const auto* o) {
      text(o->name());
      text(o->overload());
    });
    kind_ = ExtentKind::Delegates;
    vector(plan.delegates(), [&](const auto* d) {
      text(d->id());
      list(d->processed(), [](const auto*) {});
      vector(d->compile_specs(), [&](const auto* s) {
        text(s->key());
        scalars(s->value());
      });
    });
    kind_ = ExtentKind::Instructions;
    vector(plan.chains(), [&](const auto* c) { chain(*c); });
  }

  void chain(const pte_fb::Chain& c) {
    scalars(c.inputs());
    scalars(c.outputs());
    vector(c.instructions(), [&](const auto* i) {
      const auto* args = static_cast<const flatbuffers::Table*>(i->instr_args());
      if (args == nullptr) return;
      table(args);
      if (const auto* k = i->instr_args_as_KernelCall()) scalars(k->args());
      if (const auto* d = i->instr_args_as_DelegateCall()) scalars(d->args());
    });
    kind_ = ExtentKind::StackTraces;
    vector(c.stacktrace(), [&](const auto* s) {
      vector(s->items(), [&](const auto* f) {
        text(f->filename());
        text(f->name());
        text(f->context());
      });
    });
    kind_ = ExtentKind::Instructions;
  }

  void value(const pte_fb::EValue& v) {
    const auto* inner = static_cast<const flatbuffers::Table*>(v.val());
    if (inner == nullptr) return;
    table(inner);
    if (const auto* t = v.val_as_Tensor()) {
      scalars(t->sizes());
      scalars(t->dim_order());
      list(t->allocation_info(), [](const auto*) {});
      list(t->extra_tensor_info(), [&](const auto* e) { text(e->fully_qualified_name()); });
    }
    if (const auto* s = v.val_as_String()) text(s->string_val());
    if (const auto* l = v.val_as_IntList()) scalars(l->items());
    if (const auto* l = v.val_as_DoubleList()) scalars(l->items());
    if (const auto* l = v.val_as_BoolList()) scalars(l->items());
    if (const auto* l = v.val_as_TensorList()) scalars(l->items());
    if (const auto* l = v.val_as_OptionalTensorList()) scalars(l->items());
  }

  void report(uint64_t offset, uint64_t size) { visit_(context_, {kind_, method_, offset, size}); }
  uint64_t at(const void* part) const {
    return static_cast<uint64_t>(static_cast<const uint8_t*>(part) - file_.data());
  }

  // The table and the description of its fields, which tables of one kind share.
  void table(const void* part) {
    const uint64_t start = at(part);
    const uint64_t fields = start - static_cast<uint64_t>(static_cast<int64_t>(read<int32_t>(file_, start)));
    const uint16_t size_of_fields = read<uint16_t>(file_, fields);
    // A verified description may be shorter than its two sizes; its table then has no known field.
    report(start, size_of_fields >= 4 ? read<uint16_t>(file_, fields + 2) : sizeof(int32_t));
    report(fields, size_of_fields);
  }
  void text(const flatbuffers::String* s) {
    if (s != nullptr) report(at(s), 4 + uint64_t{s->size()} + 1);
  }
  template <class T>
  void scalars(const flatbuffers::Vector<T>* v) {
    if (v != nullptr) report(at(v), 4 + uint64_t{v->size()} * sizeof(T));
  }
  template <class T>
  void offsets(const flatbuffers::Vector<flatbuffers::Offset<T>>* v) {
    if (v != nullptr) report(at(v), 4 + uint64_t{v->size()} * 4);
  }
  template <class T, class Visit>
  void list(const T* one, Visit inside) {
    if (one == nullptr) return;
    table(one);
    inside(one);
  }
  template <class T, class Visit>
  void vector(const flatbuffers::Vector<flatbuffers::Offset<T>>* v, Visit inside) {
    offsets(v);
    for (uint32_t i = 0; i < count_of(v); ++i) list(v->Get(i), inside);
  }
  void data(ExtentKind kind, const flatbuffers::Vector<uint8_t>* bytes) {
    if (bytes == nullptr) return;
    report(at(bytes), 4);
    visit_(context_, {kind, method_, at(bytes->Data()), bytes->size()});
  }

  Span<const uint8_t> file_;
  void (*visit_)(void*, const Extent&);
  void* context_;
  ExtentKind kind_ = ExtentKind::Header;
  int32_t method_ = -1;
};

}  // namespace

void visit_extents(const Program& program, void (*visit)(void*, const Extent&), void* context) {
  if (program.valid()) ExtentWalker(program, visit, context).walk(program.header());
}

}  // namespace et::format
