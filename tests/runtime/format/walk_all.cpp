#include "tests/runtime/format/walk_all.h"

#include <bit>

#include "runtime/format/program_extents.h"

namespace et::format::testing {

namespace {
constexpr int kMaxDepth = 4;             // of programs inside programs
constexpr uint32_t kMaxPayloads = 256;   // a file may name one payload many times
constexpr uint32_t kSampled = 1u << 10;  // list elements; spans are contiguous, so that first and last suffice beyond
}  // namespace

void Walker::real(double d) { number(std::bit_cast<uint64_t>(d)); }

void Walker::text(std::string_view s) { bytes({reinterpret_cast<const uint8_t*>(s.data()), s.size()}); }

void Walker::bytes(std::span<const uint8_t> b) {
  number(b.size());
  if (b.size() <= kSampled) {
    for (uint8_t v : b) number(v);
  } else {
    number(b.front());
    number(b.back());
  }
}

void Walker::tensor(const TensorView& t) {
  number(static_cast<uint64_t>(t.scalar_type()));
  numbers(t.sizes());
  numbers(t.dim_order());
  number(static_cast<uint64_t>(t.shape_dynamism()));
  number(t.requires_grad());
  number(t.data_buffer_idx());
  number(t.has_allocation());
  number(t.allocation().memory_id);
  number(t.allocation().offset);
  text(t.fully_qualified_name());
  number(t.is_external());
  number(static_cast<uint64_t>(t.device_type()));
  number(static_cast<uint64_t>(t.device_index()));
  number(t.numel());
  number(t.nbytes());
  text(tensor_data_name(t.data()));
  bytes(t.constant_data());
}

void Walker::method(const Method& m) {
  text(m.name());
  text(m.encoded_inputs());
  text(m.encoded_outputs());
  numbers(m.inputs());
  numbers(m.outputs());
  numbers(m.buffer_sizes());
  for (uint32_t i = 0; i <= m.buffer_device_count(); ++i) {
    const BufferDevice d = m.buffer_device(i);
    number(static_cast<uint64_t>(d.buffer + d.device_type + d.device_index));
  }
  for (uint32_t i = 0; i <= m.value_count(); ++i) {  // one past the end, too: an empty view
    const Value v = m.value(i);
    text(value_kind_name(v.kind()));
    number(static_cast<uint64_t>(v.as_int()));
    number(v.as_bool());
    real(v.as_double());
    text(v.as_string());
    tensor(v.as_tensor());
    const IndexList list = v.indices();
    for (uint32_t k = 0; k <= list.size(); ++k) {
      number(static_cast<uint64_t>(list[k]));
      if (list[k] >= 0) number(static_cast<uint64_t>(m.value(static_cast<uint32_t>(list[k])).kind()));
    }
    for (double d : v.doubles()) real(d);
    numbers(v.bools());
  }
  for (uint32_t i = 0; i <= m.operator_count(); ++i) {
    text(m.operator_name(i).name);
    text(m.operator_name(i).overload);
  }
  for (uint32_t i = 0; i <= m.delegate_count(); ++i) {
    const Delegate d = m.delegate(i);
    text(d.id());
    number(d.payload_in_segment());
    number(d.payload_index());
    bytes(d.payload());
    for (uint32_t k = 0; k <= d.compile_spec_count(); ++k) {
      text(d.compile_spec(k).key);
      bytes(d.compile_spec(k).value);
    }
    payload(d.id(), d.payload());
  }
  for (uint32_t c = 0; c <= m.chain_count(); ++c) {
    const Chain chain = m.chain(c);
    number(chain.has_stack_traces());
    for (uint32_t i = 0; i <= chain.instruction_count(); ++i) {
      const Instruction ins = chain.instruction(i);
      text(instruction_kind_name(ins.kind()));
      number(static_cast<uint64_t>(ins.op_index()));
      number(static_cast<uint64_t>(ins.delegate_index()));
      if (ins.op_index() >= 0) text(m.operator_name(static_cast<uint32_t>(ins.op_index())).name);
      for (int32_t a : ins.args()) number(static_cast<uint64_t>(m.value(static_cast<uint32_t>(a)).kind()));
      number(static_cast<uint64_t>(ins.move_from()));
      number(static_cast<uint64_t>(ins.move_to()));
      number(static_cast<uint64_t>(ins.cond_value_index()));
      number(static_cast<uint64_t>(ins.destination()));
      number(static_cast<uint64_t>(ins.value_index()));
      const StackTrace trace = chain.stack_trace(i);
      for (uint32_t f = 0; f <= trace.size(); ++f) {
        const StackFrame frame = trace.frame(f);
        text(frame.filename);
        text(frame.function);
        text(frame.code);
        number(static_cast<uint64_t>(frame.line));
      }
    }
  }
}

void Walker::program(const Program& p) {
  number(p.version());
  const ProgramAccounting a = p.accounting();
  number(a.header + a.flatbuffer + a.segments + a.padding + a.trailing);
  number(a.file);
  visit_extents(
      p,
      [](void* self, const Extent& e) {
        auto* const walker = static_cast<Walker*>(self);
        walker->number(e.offset);
        walker->number(e.size);
      },
      this);
  number(p.header().length);
  number(static_cast<uint64_t>(p.constant_segment_index()));
  number(static_cast<uint64_t>(p.mutable_segment_index()));
  for (uint32_t i = 0; i <= p.segment_count(); ++i) {
    const Segment s = p.segment(i);
    number(s.offset);
    number(s.size);
    number(s.file_offset);
    bytes(s.bytes);
  }
  for (uint32_t i = 0; i <= p.named_data_count(); ++i) {
    const NamedData n = p.named_data(i);
    text(n.key);
    bytes(n.bytes);
    number(n.segment_index);
  }
  for (uint32_t i = 0; i <= p.method_count(); ++i) method(p.method(i));
  number(p.method("forward").valid());
  number(p.method("no such method").valid());
}

void Walker::tensor_file(const TensorFile& f) {
  number(f.version());
  for (uint32_t i = 0; i <= f.segment_count(); ++i) bytes(f.segment(i));
  for (uint32_t i = 0; i <= f.entry_count(); ++i) {
    const TensorFileEntry e = f.entry(i);
    text(e.key);
    bytes(e.bytes);
    number(e.has_layout);
    number(e.layout.nbytes);
    numbers(e.layout.sizes);
    numbers(e.layout.dim_order);
  }
  TensorFileEntry e;
  number(f.find("no such key", &e));
}

void Walker::constant(const XnnConstant& c) {
  number(static_cast<uint64_t>(c.place));
  number(c.offset);
  text(c.key);
  bytes(c.bytes);
}

void Walker::xnnpack(const XnnpackPayload& p) {
  text(p.version());
  number(p.schema_version() + p.extern_count());
  number(p.flatbuffer_bytes() + p.constant_bytes());
  bytes({reinterpret_cast<const uint8_t*>(p.input_ids().data()), p.input_ids().size_bytes()});
  bytes({reinterpret_cast<const uint8_t*>(p.output_ids().data()), p.output_ids().size_bytes()});
  for (uint32_t i = 0; i <= p.node_count(); ++i) {
    const XnnNode n = p.node(i);
    text(n.type_name());
    number(n.type_tag());
    number(n.debug_handle());
    number(n.is_clamped());
    real(n.output_min());
    real(n.output_max());
    number(n.flags());
    const XnnIds inputs = n.inputs(), outputs = n.outputs();
    for (uint32_t id : inputs) number(id);
    for (uint32_t id : outputs) number(id);
    if (p.value_count() < 4096) {
      for (uint32_t id : inputs) number(p.value_by_id(id).external_id());
    }
    for (uint32_t k = 0; k <= n.parameter_count(); ++k) {
      const XnnParameter q = n.parameter(k);
      text(q.name);
      number(q.uint_value);
      real(static_cast<double>(q.float_value));
      bytes({reinterpret_cast<const uint8_t*>(q.list.data()), q.list.size_bytes()});
    }
    number(n.uint_parameter("kernel_height", 1));
  }
  for (uint32_t i = 0; i <= p.value_count(); ++i) {
    const XnnValue v = p.value(i);
    number(v.id());
    text(v.datatype_name());
    text(xnn_datatype_name(v.dynamic_datatype()));
    bytes({reinterpret_cast<const uint8_t*>(v.dims().data()), v.dims().size_bytes()});
    number(v.external_id() + v.flags() + v.constant_buffer_idx());
    number(v.is_external_input() + v.is_external_output());
    constant(v.constant());
    text(xnn_quant_kind_name(v.quant_kind()));
    real(static_cast<double>(v.scale()));
    number(static_cast<uint64_t>(v.zero_point()));
    bytes({reinterpret_cast<const uint8_t*>(v.scales().data()), v.scales().size_bytes()});
    bytes({reinterpret_cast<const uint8_t*>(v.scales_bf16().data()), v.scales_bf16().size_bytes()});
    constant(v.scale_constant());
    number(v.scale_count());
    number(static_cast<uint64_t>(v.channel_dim()));
    number(static_cast<uint64_t>(v.group_size()));
    number(static_cast<uint64_t>(v.nonbatch_dims()));
  }
}

void Walker::operator_of_tosa(const TosaOperator& op) {
  text(op.op_name());
  text(op.location());
  for (uint32_t k = 0; k <= op.inputs().size(); ++k) text(op.inputs()[k]);
  for (uint32_t k = 0; k <= op.outputs().size(); ++k) text(op.outputs()[k]);
  for (uint32_t k = 0; k <= op.attribute_count(); ++k) {
    const TosaAttribute a = op.attribute(k);
    text(a.name);
    text(a.word());
    text(a.text);
    number(static_cast<uint64_t>(a.number));
    bytes({reinterpret_cast<const uint8_t*>(a.ints.data()), a.ints.size_bytes()});
    bytes(a.bytes);
  }
}

void Walker::tosa(const TosaPayload& p) {
  number(static_cast<uint64_t>(p.version().major));
  for (uint32_t r = 0; r <= p.region_count(); ++r) {
    const TosaRegion region = p.region(r);
    text(region.name());
    for (uint32_t b = 0; b <= region.block_count(); ++b) {
      const TosaBlock block = region.block(b);
      text(block.name());
      for (uint32_t k = 0; k <= block.inputs().size(); ++k) text(block.inputs()[k]);
      for (uint32_t k = 0; k <= block.outputs().size(); ++k) text(block.outputs()[k]);
      for (uint32_t i = 0; i <= block.operator_count(); ++i) operator_of_tosa(block.op(i));
      for (uint32_t i = 0; i <= block.tensor_count(); ++i) {
        const TosaTensor t = block.tensor(i);
        text(t.name());
        text(t.dtype_name());
        text(t.variable_name());
        bytes({reinterpret_cast<const uint8_t*>(t.shape().data()), t.shape().size_bytes()});
        bytes(t.data());
        number(t.outside_offset() + t.outside_size());
        number(t.is_variable() + t.is_unranked());
      }
      for (uint32_t i = 0; i <= block.shape_count(); ++i) {
        const TosaShape s = block.shape(i);
        text(s.name());
        number(s.rank());
        const uint32_t dims = s.dim_count() < kSampled ? s.dim_count() : kSampled;
        for (uint32_t d = 0; d <= dims; ++d) number(static_cast<uint64_t>(s.dim(d)));
        number(static_cast<uint64_t>(s.dim(s.dim_count())));
      }
    }
  }
  number(p.main_block().valid());
}

void Walker::vela(const VelaPayload& p) {
  for (const VelaBlock& b : p.blocks()) {
    text(b.name);
    number(b.offset + b.external);
    bytes(b.bytes);
  }
  number(p.scratch_size());
  for (uint32_t i = 0; i < p.input_count() && i < kSampled; ++i) number(static_cast<uint64_t>(p.input(i).offset));
  for (uint32_t i = 0; i < p.output_count() && i < kSampled; ++i) number(static_cast<uint64_t>(p.output(i).offset));
  number(static_cast<uint64_t>(p.input(p.input_count()).offset));
  VelaCommands c;
  const auto visit = [](const VelaOperation& op, void* walker) {
    static_cast<Walker*>(walker)->text(op.name());
    static_cast<Walker*>(walker)->number(op.macs() ^ op.dma_bytes ^ op.weight_bytes);
  };
  number(static_cast<uint64_t>(p.commands(&c, visit, this).offset));
  number(c.commands + c.words + c.conv + c.pool + c.dma + c.macs_per_cycle());
}

void Walker::demo(const DemoPayload& p) {
  uint32_t n = 0;
  for (const DemoOp& op : p) {
    text(op.name);
    text(op.dtype);
    number(static_cast<uint64_t>(op.numel ^ op.debug_handle ^ op.identifier));
    ++n;
  }
  number(n == p.size());
}

void Walker::mps(const MpsPayload& p) {
  text(p.version());
  number(p.is_metal_kernel() ? 1 : 0);
  for (uint32_t i = 0; i <= p.operator_count(); ++i) {
    const MpsOperator op = p.op(i);
    text(op.name);
    for (const int32_t id : op.inputs) number(static_cast<uint64_t>(id));
    for (const int32_t id : op.outputs) number(static_cast<uint64_t>(id));
  }
  for (uint32_t i = 0; i <= p.value_count(); ++i) {
    const MpsValue v = p.value(i);
    text(mps_dtype_name(v.dtype));
    number(v.constant_bytes);
    for (const int32_t d : v.dims) number(static_cast<uint64_t>(d));
  }
  for (const auto ids : {p.input_ids(), p.output_ids(), p.constant_ids()}) {
    for (const int32_t id : ids) number(static_cast<uint64_t>(id));
  }
}

void Walker::vulkan(const VulkanPayload& p) {
  text(p.version());
  for (uint32_t i = 0; i <= p.operator_count(); ++i) {
    const VulkanOperator op = p.op(i);
    text(op.name);
    for (const int32_t a : op.args) number(static_cast<uint64_t>(a));
  }
  for (uint32_t i = 0; i <= p.value_count(); ++i) {
    const VulkanValue v = p.value(i);
    text(v.text);
    text(vulkan_dtype_name(v.dtype));
    text(vulkan_storage_name(v.storage));
    text(vulkan_layout_name(v.layout));
    for (const uint32_t d : v.dims) number(d);
    for (const int32_t d : v.list) number(static_cast<uint64_t>(d));
  }
  for (uint32_t i = 0; i <= p.constant_count(); ++i) text(p.constant(i).key);
  for (const uint32_t i : p.input_ids()) number(i);
  for (const uint32_t i : p.output_ids()) number(i);
}

void Walker::payload(std::string_view backend, std::span<const uint8_t> data) {
  if (++tried_ > kMaxPayloads) return;
  if (is_xnnpack_payload(data)) {
    XnnpackPayload p;
    if (XnnpackPayload::open(data, &p).ok()) ++payloads_, xnnpack(p);
  } else if (is_tosa_payload(data)) {
    TosaPayload p;
    if (TosaPayload::open(data, &p).ok()) ++payloads_, tosa(p);
  } else if (is_vela_payload(data)) {
    VelaPayload p;
    if (VelaPayload::open(data, &p).ok()) ++payloads_, vela(p);
  } else if (is_vulkan_payload(data)) {
    VulkanPayload p;
    if (VulkanPayload::open(data, &p).ok()) ++payloads_, vulkan(p);
  } else if (is_mps_payload(data)) {
    MpsPayload p;
    if (MpsPayload::open(data, &p).ok()) ++payloads_, mps(p);
  } else if (is_program_payload(data)) {
    Program p;
    if (depth_ >= kMaxDepth || !Program::open(data, &p).ok()) return;
    ++payloads_;
    ++depth_;
    program(p);
    --depth_;
  } else if (is_demo_payload(data)) {
    const auto dialect = backend == "BackendWithDelegateMappingDemo" ? DemoPayload::Dialect::DelegateMapping
                                                                     : DemoPayload::Dialect::Compiler;
    DemoPayload p;
    if (DemoPayload::open(dialect, data, &p).ok()) ++payloads_, demo(p);
  }
}

}  // namespace et::format::testing
