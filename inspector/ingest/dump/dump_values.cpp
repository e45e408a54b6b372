// Logged values (with the debug buffer), allocations and the trailer's additions of one run.
#include "inspector/ingest/dump/dump_values.h"

#include <algorithm>
#include <string>
#include <vector>

#include "etdump/debug_buffer.h"
#include "inspector/text/json_list.h"

namespace et::inspector {
namespace {

const char* kind_text(etdump::ValueKind kind) {
  switch (kind) {
    case etdump::ValueKind::Null:
      return "null";
    case etdump::ValueKind::Int:
      return "int";
    case etdump::ValueKind::Bool:
      return "bool";
    case etdump::ValueKind::Float:
      return "float";
    case etdump::ValueKind::Double:
      return "double";
    case etdump::ValueKind::Tensor:
      return "tensor";
    case etdump::ValueKind::TensorList:
      return "tensor_list";
    case etdump::ValueKind::String:
      return "string";
  }
  return "unknown";
}

std::string double_list(std::span<const double> values) {
  std::string out = "[";
  for (const double v : values) {
    if (out.size() > 1) out += ", ";
    const std::string text = format_double(v);
    out += !text.empty() ? text : v != v ? "\"NaN\"" : v > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  }
  return out + "]";
}

// The columns of raw_value behind its key, in their order.
enum class RawValue : int {
  trace,
  op,
  run,
  ordinal,
  item,
  is_output,
  kind,
  dtype,
  shape,
  strides,
  numel,
  scalar,
  min,
  max,
  mean,
  sum,
  abs_sum,
  nan_count,
  inf_count,
  first_values,
  data,
  problem
};

}  // namespace

DumpValues::DumpValues(ImportContext& context, const DumpFile& dump, const RunEvents& run)
    : context_(context),
      dump_(dump),
      run_(run),
      insert_value_(context.store.query(
          "INSERT INTO raw_value "
          "VALUES(NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)")),
      insert_counter_(context.store.query("INSERT INTO raw_counter VALUES(?1,?2,?3,?4,?5)")),
      insert_allocation_(context.store.query("INSERT INTO raw_allocation VALUES(?1,?2,?3,?4,?5,?6)")),
      insert_arena_(context.store.query("INSERT INTO raw_runtime_arena VALUES(?1,?2,?3,?4,?5)")) {}

// A value of an op, or an output of the method, and where it stands.
struct DumpValues::LoggedValue {
  int64_t run_row = 0, ordinal = 0;
  std::optional<int64_t> op_row;
  bool output = false;
  const char* kind = "";
  std::string place;  // for diagnostics
  std::string key;    // the same in each run of the block
};

void DumpValues::begin_value(const LoggedValue& v, int64_t item) {
  sqlite3_clear_bindings(insert_value_.raw());
  insert_value_.bind(RawValue::trace, context_.trace);
  insert_value_.bind(RawValue::op, v.op_row);
  insert_value_.bind(RawValue::run, v.run_row);
  insert_value_.bind(RawValue::ordinal, v.ordinal);
  insert_value_.bind(RawValue::item, item);
  insert_value_.bind(RawValue::is_output, v.output);
  insert_value_.bind(RawValue::kind, v.kind);
}

void DumpValues::end_value() {
  insert_value_.step();
  insert_value_.reset();
}

// What can be kept of a tensor's bytes, where they lie or, when they are not dense, as a copy; "" or why there are
// none.
std::string DumpValues::keep_bytes(const etdump::TensorView& view, const LoggedValue& v, int64_t item,
                                   std::span<const uint8_t>* bytes, std::vector<uint8_t>* copy) {
  // A dump may name the same bytes many times over: what is read of them, and what the store keeps, is bounded.
  const uint64_t budget = std::max<uint64_t>(uint64_t{64} << 20, 4 * dump_.buffer_bytes().size());
  if (kept_value_bytes_ + view.byte_count() > budget) {
    context_.diagnostics.add("debug-values-not-kept", v.place + ": not kept: too many values");
    return "not kept: too many values";
  }
  kept_value_bytes_ += view.byte_count();
  *bytes = view.storage();
  if (!view.contiguous()) {
    copy->resize(view.byte_count());
    (void)view.copy_dense(*copy);
    *bytes = *copy;
  }
  const size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  const auto [first_run, fresh] = value_hash_.try_emplace(v.key + "/" + std::to_string(item), hash);
  if (!fresh && first_run->second != hash)
    context_.diagnostics.add("values-differ", v.place + ": differs from the first run of its block");
  return {};
}

void DumpValues::add_tensor(const etdump::DebugBuffer& buffer, const etdump::TensorInfo& info, const LoggedValue& v,
                            int64_t item) {
  // Texts and bytes that SQLite reads at the step must live until then.
  const std::string shape = json_list(info.sizes), strides = json_list(info.strides);
  std::span<const uint8_t> data;
  std::vector<uint8_t> copy;
  std::string first, problem;
  begin_value(v, item);
  insert_value_.bind(RawValue::dtype, scalar_type_name(info.dtype));
  insert_value_.bind(RawValue::shape, shape);
  insert_value_.bind(RawValue::strides, strides);
  etdump::TensorView view;
  const etdump::TensorFault fault = dump_.has_buffer ? buffer.open(info, &view) : etdump::TensorFault::None;
  const uint64_t read_budget = std::max<uint64_t>(uint64_t{256} << 20, 8 * buffer.bytes().size());
  if (dump_.has_buffer && fault == etdump::TensorFault::None) insert_value_.bind(RawValue::numel, view.numel());
  if (!dump_.has_buffer) {
    problem = "no debug buffer";
    context_.diagnostics.add("debug-buffer-missing", v.place + ": a tensor of sizes " + shape);
  } else if (fault != etdump::TensorFault::None) {
    problem = etdump::tensor_fault_text(fault);
    context_.diagnostics.add("debug-value-unreadable", v.place + ": a tensor of sizes " + shape + " at offset " +
                                                           std::to_string(info.offset) + " " + problem);
  } else if (view.byte_count() > read_budget - read_value_bytes_) {
    problem = "not read: the dump names these bytes too often";
    context_.diagnostics.add("debug-values-not-read", v.place + ": " + problem);
  } else {
    read_value_bytes_ += view.byte_count();
    const etdump::TensorSummary s = etdump::summarise(buffer, info);
    if (s.numel > s.nan_count) {
      insert_value_.bind(RawValue::min, s.min);
      insert_value_.bind(RawValue::max, s.max);
      insert_value_.bind(RawValue::mean, s.mean);
    }
    insert_value_.bind(RawValue::sum, s.sum);
    insert_value_.bind(RawValue::abs_sum, s.sum_abs);
    insert_value_.bind(RawValue::nan_count, s.nan_count);
    insert_value_.bind(RawValue::inf_count, s.inf_count);
    first = double_list(std::span(s.first.data(), s.first_count));
    insert_value_.bind(RawValue::first_values, first);
    problem = keep_bytes(view, v, item, &data, &copy);
    if (problem.empty()) insert_value_.bind(RawValue::data, data);
  }
  if (!problem.empty()) insert_value_.bind(RawValue::problem, problem);
  end_value();
}

void DumpValues::add_values(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row) {
  std::unordered_map<int32_t, int64_t> next_ordinal;  // by op; -1 for outputs
  const etdump::DebugBuffer buffer(dump_.has_buffer ? dump_.buffer_bytes() : std::span<const uint8_t>());
  for (size_t i = 0; i < run_.flags.size(); ++i) {
    if ((run_.flags[i] & kDebugEvent) == 0) continue;
    etdump::Event event;
    if (!run.event(run_.indexes[i], &event)) continue;
    const etdump::Value& value = event.value;
    LoggedValue v;
    v.output = (run_.flags[i] & kOutputEvent) != 0;
    const int32_t op = v.output ? -1 : variant.op_of_event[i];
    v.run_row = run_row;
    v.ordinal = next_ordinal[op]++;
    if (op >= 0) v.op_row = trace.ops[static_cast<size_t>(op)].row;
    v.kind = kind_text(value.kind());
    saw_values_ = true;
    if (value.kind() != etdump::ValueKind::Tensor && value.kind() != etdump::ValueKind::TensorList) {
      begin_value(v, 0);
      if (value.kind() == etdump::ValueKind::Int)
        insert_value_.bind(RawValue::scalar, static_cast<double>(value.as_int()));
      if (value.kind() == etdump::ValueKind::Bool) insert_value_.bind(RawValue::scalar, value.as_bool() ? 1.0 : 0.0);
      if (value.kind() == etdump::ValueKind::Float || value.kind() == etdump::ValueKind::Double)
        insert_value_.bind(RawValue::scalar, value.as_double());
      end_value();
      continue;
    }
    v.place = place(run.index(), run_.indexes[i]);
    v.key = std::to_string(variant.block) + "/" + std::to_string(op) + "/" + std::to_string(v.ordinal);
    for (size_t t = 0; t < value.tensor_count(); ++t) add_tensor(buffer, value.tensor(t), v, static_cast<int64_t>(t));
  }
}

void DumpValues::add_extras(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row) {
  for (size_t i = 0; i < run_.flags.size(); ++i) {
    if ((run_.flags[i] & kAllocationEvent) == 0) continue;
    etdump::Event event;
    if (!run.event(run_.indexes[i], &event)) continue;
    const auto id = static_cast<size_t>(event.allocator_id);
    const std::string name = event.allocator_id >= 1 && id <= run.allocator_count()
                                 ? std::string(run.allocator_name(id - 1))
                                 : "allocator " + std::to_string(event.allocator_id);
    insert_allocation_.run(context_.trace, run_row, nullptr, name,
                           static_cast<int64_t>(std::min<uint64_t>(event.allocation_size, INT64_MAX)), nullptr);
    context_.diagnostics.add("allocation-events", place(run.index(), run_.indexes[i]) + ": allocation by " + name);
  }
  const etdump::Trailer* trailer = dump_.reader.trailer();
  if (trailer == nullptr || run.index() >= trailer->run_count()) return;
  const etdump::TrailerRun extra = trailer->run(run.index());
  auto op_of = [&](uint32_t event) -> std::optional<int64_t> {
    const auto at = std::lower_bound(run_.indexes.begin(), run_.indexes.end(), event);
    if (at == run_.indexes.end() || *at != event) return std::nullopt;
    const int32_t op = variant.op_of_event[static_cast<size_t>(at - run_.indexes.begin())];
    return op < 0 ? std::nullopt : std::optional(trace.ops[static_cast<size_t>(op)].row);
  };
  for (size_t i = 0; i < extra.event_count(); ++i) {
    const etdump::EventExt e = extra.event(i);
    const std::optional<int64_t> op = op_of(e.event);
    for (size_t c = 0; op && c < e.counter_count(); ++c) {
      const etdump::Counter counter = e.counter(c);
      insert_counter_.run(context_.trace, *op, run_row, counter.name, static_cast<int64_t>(counter.value));
    }
  }
  for (size_t i = 0; i < extra.allocation_count(); ++i) {
    const etdump::AllocationInfo a = extra.allocation(i);
    const std::optional<int64_t> op = a.event < 0 ? std::nullopt : op_of(static_cast<uint32_t>(a.event));
    insert_allocation_.run(context_.trace, run_row, op, a.allocator, static_cast<int64_t>(a.bytes),
                           static_cast<int64_t>(a.offset));
  }
  for (size_t i = 0; i < extra.arena_count(); ++i) {
    const etdump::ArenaInfo a = extra.arena(i);
    insert_arena_.run(context_.trace, run_row, a.name, static_cast<int64_t>(a.capacity),
                      static_cast<int64_t>(a.high_water));
  }
}

}  // namespace et::inspector
