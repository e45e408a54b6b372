#include "inspector/ingest/program_import.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bundled_program/bundle.h"
#include "inspector/ingest/payloads/read_delegate.h"
#include "inspector/text/json_list.h"

namespace et::inspector {
namespace {

std::string operator_text(const format::OperatorName& op) {
  return std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
}

// Values that an instruction touches, lists resolved one level down.
void for_each_value(const format::Method& method, const format::Instruction& in, const auto& visit) {
  auto touch = [&](int32_t index) {
    if (index < 0) return;
    visit(index);
    const format::Value v = method.value(static_cast<uint32_t>(index));
    if (v.kind() == format::ValueKind::TensorList || v.kind() == format::ValueKind::OptionalTensorList) {
      const format::IndexList items = v.indices();
      for (uint32_t i = 0; i < items.size(); ++i) {
        if (items[i] >= 0) visit(items[i]);
      }
    }
  };
  for (const int32_t a : in.args()) touch(a);
  touch(in.move_from());
  touch(in.move_to());
  touch(in.cond_value_index());
  touch(in.value_index());
}

/// A kernel's result is its last argument.
std::vector<int64_t> returned_sizes(const format::Method& method, const std::vector<int32_t>& args) {
  if (args.empty() || args.back() < 0) return {};
  const format::Value v = method.value(static_cast<uint32_t>(args.back()));
  if (v.kind() != format::ValueKind::Tensor) return {};
  const auto sizes = v.as_tensor().sizes();
  return {sizes.begin(), sizes.end()};
}

auto* method_named(auto& methods, const std::string& name) {
  const auto it = std::find_if(methods.begin(), methods.end(), [&](const MethodFacts& m) { return m.name == name; });
  return it == methods.end() ? nullptr : &*it;
}

}  // namespace

Status ProgramImport::load(ImportContext& context) {
  const std::string& path = context.inputs.program;
  if (path.empty()) return {};
  if (!context.report("reading the program", 0, 0)) return {};
  Status status = MappedFile::open(path, &file_);
  if (!status.ok()) return of_bad_file(status);
  bytes_ = file_.bytes();
  if (bundled::Bundle::is_bundle(bytes_)) {
    bundled::Bundle bundle;
    if (const FileError e = bundled::Bundle::open(bytes_, &bundle); !e.ok())
      return of_bad_file(Status::of_file(path, e));
    bytes_ = bundle.program();
  }
  if (const FileError e = format::Program::open(bytes_, &program_); !e.ok())
    return of_bad_file(Status::of_file(path, e));
  loaded_ = true;
  for (uint32_t m = 0; m < program_.method_count(); ++m) {
    const format::Method method = program_.method(m);
    MethodFacts facts;
    facts.name = std::string(method.name());
    facts.inputs = static_cast<int64_t>(method.inputs().size());
    facts.outputs = static_cast<int64_t>(method.outputs().size());
    for (uint32_t i = 0; i < method.instruction_count(); ++i) {
      const format::Instruction in = method.instruction(i);
      InstructionFacts f;
      f.kind = in.kind();
      if (in.kind() == format::InstructionKind::KernelCall) {
        f.op = operator_text(method.operator_name(static_cast<uint32_t>(in.op_index())));
      }
      f.delegate = in.delegate_index();
      f.args.assign(in.args().begin(), in.args().end());
      if (in.kind() == format::InstructionKind::KernelCall) f.sizes = returned_sizes(method, f.args);
      facts.jumps |= in.kind() == format::InstructionKind::JumpFalseCall;
      facts.instructions.push_back(std::move(f));
    }
    for (uint32_t d = 0; d < method.delegate_count(); ++d) {
      facts.delegates.push_back(read_delegate(method.delegate(d), context,
                                              path + ": method " + facts.name + ", delegate " + std::to_string(d)));
    }
    methods_.push_back(std::move(facts));
  }
  return {};
}

MethodFacts* ProgramImport::method(const std::string& name) { return method_named(methods_, name); }

const MethodFacts* ProgramImport::method(const std::string& name) const { return method_named(methods_, name); }

void ProgramImport::write(ImportContext& context, const std::map<std::string, int64_t>& method_rows,
                          const RecordImport& record) {
  if (!loaded_) return;
  Store& store = context.store;
  RowIds delegate_ids(store, "raw_delegate"), node_ids(store, "raw_payload_node");
  Statement delegate = store.query("INSERT INTO raw_delegate VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)");
  Statement instruction = store.query("INSERT INTO raw_instruction VALUES(NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9)");
  // A store that another version began has no place for them yet. An error shows when the transaction is checked.
  (void)store.ensure_part("payloads", "raw_payload_fact");
  Statement fact = store.query("INSERT INTO raw_payload_fact VALUES(?1,?2,?3,?4,?5,?6,?7)");
  Statement arena = store.query("INSERT INTO raw_arena VALUES(?1,?2,?3,?4,?5)");
  for (uint32_t m = 0; m < methods_.size(); ++m) {
    MethodFacts& facts = methods_[m];
    const int64_t row = method_rows.at(facts.name);
    for (size_t d = 0; d < facts.delegates.size(); ++d) {
      DelegateFacts& f = facts.delegates[d];
      f.row = delegate_ids.next();
      for (PayloadNode& n : f.nodes) n.row = node_ids.next();
      std::optional<int64_t> nodes, weights;
      if (f.readable) nodes = static_cast<int64_t>(f.nodes.size());
      if (f.weights_bytes != 0) weights = static_cast<int64_t>(f.weights_bytes);
      delegate.run(f.row, context.trace, row, d, f.backend, f.payload_kind, f.payload_bytes, nodes, weights,
                   f.note.empty() ? std::nullopt : std::optional(f.note));
      for (size_t k = 0; k < f.facts.size(); ++k) {
        const PayloadFact& x = f.facts[k];
        fact.run(context.trace, f.row, k, x.kind, x.name, x.value,
                 x.text.empty() ? std::nullopt : std::optional(x.text));
      }
    }
    for (size_t i = 0; i < facts.instructions.size(); ++i) {
      const InstructionFacts& f = facts.instructions[i];
      std::optional<int64_t> delegate_row;
      if (f.delegate >= 0) delegate_row = facts.delegates[static_cast<size_t>(f.delegate)].row;
      instruction.run(context.trace, row, i, format::instruction_kind_name(f.kind),
                      f.op.empty() ? std::nullopt : std::optional(f.op), delegate_row, json_list(f.args),
                      record.handles_json(facts.name, static_cast<int64_t>(i)),
                      record.num_outputs(facts.name, static_cast<int64_t>(i)));
    }
    const format::Method method = program_.method(m);
    const auto sizes = method.buffer_sizes();
    for (size_t b = 1; b < sizes.size(); ++b) {
      std::string device = "cpu";
      for (uint32_t k = 0; k < method.buffer_device_count(); ++k) {
        const format::BufferDevice bd = method.buffer_device(k);
        if (bd.buffer == static_cast<int32_t>(b) && bd.device_type == 1)
          device = "cuda:" + std::to_string(bd.device_index);
      }
      arena.run(context.trace, row, b, sizes[b], device);
    }
    write_memory_plan(context, method, row);
  }
  write_segments(context);
}

void ProgramImport::write_memory_plan(ImportContext& context, const format::Method& method, int64_t method_row) const {
  struct Life {
    int64_t first = INT64_MAX, last = -1;
  };
  std::map<int32_t, Life> lives;
  auto use = [&](int32_t value, int64_t at) {
    Life& life = lives[value];
    life.first = std::min(life.first, at);
    life.last = std::max(life.last, at);
  };
  const auto count = static_cast<int64_t>(method.instruction_count());
  for (const int32_t v : method.inputs()) use(v, -1);
  for (int64_t i = 0; i < count; ++i) {
    for_each_value(method, method.instruction(static_cast<uint32_t>(i)), [&](int32_t v) { use(v, i); });
  }
  for (const int32_t v : method.outputs()) use(v, count);

  Statement st = context.store.query("INSERT INTO raw_planned_tensor VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)");
  for (uint32_t v = 0; v < method.value_count(); ++v) {
    const format::Value value = method.value(v);
    if (value.kind() != format::ValueKind::Tensor) continue;
    const format::TensorView t = value.as_tensor();
    std::optional<int64_t> memory_id, offset, first, last;
    if (t.has_allocation()) {
      memory_id = t.allocation().memory_id;
      offset = static_cast<int64_t>(t.allocation().offset);
    }
    if (const auto it = lives.find(static_cast<int32_t>(v)); it != lives.end()) {
      first = it->second.first;
      last = it->second.last;
    }
    const std::string name(t.fully_qualified_name());
    const uint64_t bytes = t.nbytes() == format::kUnboundedBytes ? 0 : t.nbytes();
    st.run(context.trace, method_row, v, name.empty() ? std::nullopt : std::optional(name),
           scalar_type_name(t.scalar_type()), json_list(t.sizes()), format::tensor_data_name(t.data()), memory_id,
           offset, bytes, first, last);
  }
}

void ProgramImport::write_segments(ImportContext& context) const {
  std::map<int64_t, std::string> content;
  auto note = [&](int64_t segment, const std::string& text) {
    std::string& at = content[segment];
    at += at.empty() ? text : ", " + text;
  };
  if (program_.constant_segment_index() >= 0) note(program_.constant_segment_index(), "constants");
  if (program_.mutable_segment_index() >= 0)
    note(program_.mutable_segment_index(), "initial values of mutable tensors");
  for (uint32_t m = 0; m < program_.method_count(); ++m) {
    const format::Method method = program_.method(m);
    for (uint32_t d = 0; d < method.delegate_count(); ++d) {
      const format::Delegate delegate = method.delegate(d);
      if (delegate.payload_in_segment()) {
        note(delegate.payload_index(),
             std::string(delegate.id()) + " payload " + std::to_string(d) + " of " + std::string(method.name()));
      }
    }
  }
  for (uint32_t i = 0; i < program_.named_data_count(); ++i) {
    const format::NamedData n = program_.named_data(i);
    note(n.segment_index, "named data " + std::string(n.key));
  }
  Statement st = context.store.query("INSERT INTO raw_segment VALUES(?1,?2,?3,?4,?5)");
  for (uint32_t i = 0; i < program_.segment_count(); ++i) {
    const format::Segment s = program_.segment(i);
    const auto it = content.find(i);
    st.run(context.trace, i, s.file_offset, s.size, it == content.end() ? std::nullopt : std::optional(it->second));
  }
}

void ProgramImport::write_payload_nodes(ImportContext& context, const RecordImport& record) const {
  if (!loaded_) return;
  Statement st = context.store.query("INSERT INTO raw_payload_node VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)");
  Statement link = context.store.query("INSERT INTO raw_payload_link VALUES(?1,?2,?3,?4,?5)");
  for (const MethodFacts& method : methods_) {
    const MethodGraph* graph = record.graph(method.name);
    for (const DelegateFacts& d : method.delegates) {
      for (size_t i = 0; i < d.nodes.size(); ++i) {
        const PayloadNode& n = d.nodes[i];
        for (size_t l = 0; graph != nullptr && l < n.links.size(); ++l) {
          const Link& to = n.links[l];
          link.run(n.row, graph->row_of_node[static_cast<size_t>(to.node)], via_name(to.via), to.confidence, l);
        }
        std::optional<int64_t> handle, fused;
        if (n.debug_handle >= 0) handle = n.debug_handle;
        if (n.fused_into >= 0) fused = d.nodes[static_cast<size_t>(n.fused_into)].row;
        st.run(n.row, context.trace, d.row, i, n.type, handle, n.label.empty() ? std::nullopt : std::optional(n.label),
               json_list(n.inputs), json_list(n.outputs), n.events, fused);
      }
    }
  }
}

}  // namespace et::inspector
