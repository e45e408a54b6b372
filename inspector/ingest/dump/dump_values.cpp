// Logged values (with the debug buffer), allocations and the trailer's additions of one run.
#include <algorithm>
#include <string>
#include <vector>

#include "etdump/debug_buffer.h"
#include "inspector/ingest/dump/dump_values.h"
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

void DumpValues::add_values(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row) {
  std::unordered_map<int32_t, int64_t> next_ordinal;  // by op; -1 for outputs
  const etdump::DebugBuffer buffer(dump_.has_buffer ? dump_.buffer.bytes() : std::span<const uint8_t>());
  // A dump may name the same bytes many times over: what is read of them, and what the store keeps, is bounded.
  const uint64_t keep_budget = std::max<uint64_t>(uint64_t{64} << 20, 4 * buffer.bytes().size());
  const uint64_t read_budget = std::max<uint64_t>(uint64_t{256} << 20, 8 * buffer.bytes().size());
  for (size_t i = 0; i < run_.flags.size(); ++i) {
    if ((run_.flags[i] & kDebugEvent) == 0) continue;
    etdump::Event event;
    if (!run.event(run_.indexes[i], &event)) continue;
    const bool output = (run_.flags[i] & kOutputEvent) != 0;
    const int32_t op = output ? -1 : variant.op_of_event[i];
    const int64_t ordinal = next_ordinal[op]++;
    std::optional<int64_t> op_row;
    if (op >= 0) op_row = trace.ops[static_cast<size_t>(op)].row;
    const etdump::Value& v = event.value;
    saw_values_ = true;

    auto head = [&](int64_t item) {
      for (int c = 1; c <= 22; ++c) insert_value_.bind(c, nullptr);
      insert_value_.bind_all(context_.trace, op_row, run_row, ordinal, item, output, kind_text(v.kind()));
    };
    auto run_insert = [&] {
      insert_value_.step();
      insert_value_.reset();
    };
    if (v.kind() != etdump::ValueKind::Tensor && v.kind() != etdump::ValueKind::TensorList) {
      head(0);
      if (v.kind() == etdump::ValueKind::Int) insert_value_.bind(12, static_cast<double>(v.as_int()));
      if (v.kind() == etdump::ValueKind::Bool) insert_value_.bind(12, v.as_bool() ? 1.0 : 0.0);
      if (v.kind() == etdump::ValueKind::Float || v.kind() == etdump::ValueKind::Double)
        insert_value_.bind(12, v.as_double());
      run_insert();
      continue;
    }
    for (size_t t = 0; t < v.tensor_count(); ++t) {
      const etdump::TensorInfo info = v.tensor(t);
      const std::string shape = json_list(info.sizes), strides = json_list(info.strides);
      head(static_cast<int64_t>(t));
      insert_value_.bind(8, scalar_type_name(info.dtype));
      insert_value_.bind(9, shape);
      insert_value_.bind(10, strides);
      std::vector<uint8_t> data;
      std::string first, problem;
      if (!dump_.has_buffer) {
        problem = "no debug buffer";
        context_.diagnostics.add("debug-buffer-missing",
                                 place(run.index(), run_.indexes[i]) + ": a tensor of sizes " + shape);
      } else {
        etdump::TensorView view;
        const etdump::TensorFault fault = buffer.open(info, &view);
        const bool read = fault == etdump::TensorFault::None && view.byte_count() <= read_budget - read_value_bytes_;
        etdump::TensorSummary s;
        if (read) {
          read_value_bytes_ += view.byte_count();
          s = etdump::summarise(buffer, info);
        }
        if (fault == etdump::TensorFault::None) insert_value_.bind(11, view.numel());
        if (fault == etdump::TensorFault::None && !read) {
          problem = "not read: the dump names these bytes too often";
          context_.diagnostics.add("debug-values-not-read", place(run.index(), run_.indexes[i]) + ": " + problem);
        } else if (fault != etdump::TensorFault::None) {
          problem = etdump::tensor_fault_text(fault);
          context_.diagnostics.add("debug-value-unreadable", place(run.index(), run_.indexes[i]) +
                                                                 ": a tensor of sizes " + shape + " at offset " +
                                                                 std::to_string(info.offset) + " " + problem);
        } else {
          if (s.numel > s.nan_count) {
            insert_value_.bind(13, s.min);
            insert_value_.bind(14, s.max);
            insert_value_.bind(15, s.mean);
          }
          insert_value_.bind(16, s.sum);
          insert_value_.bind(17, s.sum_abs);
          insert_value_.bind(18, s.nan_count);
          insert_value_.bind(19, s.inf_count);
          first = double_list(std::span(s.first.data(), s.first_count));
          insert_value_.bind(20, first);
          if (kept_value_bytes_ + view.byte_count() > keep_budget) {
            problem = "not kept: too many values";
            context_.diagnostics.add("debug-values-not-kept", place(run.index(), run_.indexes[i]) + ": " + problem);
          } else {
            kept_value_bytes_ += view.byte_count();
            data.resize(view.byte_count());
            (void)view.copy_dense(data);
            insert_value_.bind(21, std::span<const uint8_t>(data));
            const std::string key = std::to_string(variant.block) + "/" + std::to_string(op) + "/" +
                                    std::to_string(ordinal) + "/" + std::to_string(t);
            const size_t hash =
                std::hash<std::string_view>()({reinterpret_cast<const char*>(data.data()), data.size()});
            if (const auto [first_run, fresh] = value_hash_.try_emplace(key, hash);
                !fresh && first_run->second != hash) {
              context_.diagnostics.add(
                  "values-differ", place(run.index(), run_.indexes[i]) + ": differs from the first run of its block");
            }
          }
        }
      }
      if (!problem.empty()) insert_value_.bind(22, problem);
      run_insert();
    }
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
