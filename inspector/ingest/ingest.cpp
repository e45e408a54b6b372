// The order of an import: all files first, so that every block's method, backends and clocks are known before its first
// sample; then the ETDump, run by run; then links and rows; all in one transaction.
#include "inspector/ingest/ingest.h"

#include <algorithm>
#include <future>
#include <map>
#include <utility>
#include <vector>

#include "inspector/ingest/clocks.h"
#include "inspector/ingest/dump/delegate_events.h"
#include "inspector/ingest/dump/dump_statistics.h"
#include "inspector/ingest/dump/run_samples.h"
#include "inspector/ingest/dump/trace_row.h"
#include "inspector/ingest/found_files.h"
#include "inspector/ingest/import.h"
#include "inspector/ingest/importers.h"
#include "inspector/ingest/links/linker.h"
#include "inspector/ingest/method_inference.h"
#include "inspector/ingest/npu/device_ops.h"
#include "inspector/ingest/payloads/link_payloads.h"
#include "inspector/ingest/trace_writer.h"
#include "inspector/store/line_rule.h"

namespace et::inspector {
namespace {

constexpr uint64_t kWorthAThread = 20'000;  // samples

Status foreign_status() { return {Error::InvalidState, "a file that was found does not belong to the others"}; }

Status load_files(Import& in, std::span<const Importer> importers, ForeignFiles* foreign) {
  const bool any = std::any_of(importers.begin(), importers.end(),
                               [&](const Importer& i) { return i.alone && !input_file(in.context.inputs, i).empty(); });
  for (const Importer& i : importers) {
    const Status status = i.load(in);
    if (status.ok()) continue;
    const std::string& path = input_file(in.context.inputs, i);
    if (!in.context.inputs.was_found(i.option) || !status.message().starts_with(path)) return status;
    (*foreign)[i.option] = status.message().substr(std::min(path.size() + 2, status.message().size()));
    return foreign_status();
  }
  for (const auto& [option, text] : in.context.inputs.left_out) {
    if (option == "etrecord") in.context.diagnostics.add("record-not-used", text);
    if (option == "pte") in.context.diagnostics.add("program-not-used", text);
  }
  in.program_hash_agrees = program_hash_agrees(in);
  *foreign = foreign_files(in);
  if (!foreign->empty()) return foreign_status();
  if (any) return {};
  return {Error::InvalidArgument, "nothing to import: expected an ETDump, an ETRecord or a program"};
}

Status check_trace_name(const Store& store, const std::string& name) {
  if (name.empty()) return {};
  Statement taken = store.query("SELECT id FROM raw_trace WHERE name = ?1");
  taken.bind_all(name);
  if (!taken.step()) return {};
  return {Error::InvalidArgument,
          store.path() + ": trace " + std::to_string(taken.integer(0)) + " already has the name '" + name + "'"};
}

/// Methods in order of appearance, with the files that name them.
void write_methods(Import& in) {
  struct Known {
    std::string sources;
    std::optional<int64_t> inputs, outputs, instructions;
  };
  std::vector<std::string> order;
  std::map<std::string, Known> known;
  auto add = [&](const std::string& name, const char* source) -> Known& {
    const auto [it, fresh] = known.try_emplace(name);
    if (fresh) order.push_back(name);
    it->second.sources += (it->second.sources.empty() ? "" : ", ") + std::string(source);
    return it->second;
  };
  for (const std::string& m : in.dump.trailer_methods()) add(m, "trailer");
  for (const std::string& m : in.record.methods()) add(m, "record");
  for (const MethodFacts& m : in.program.methods()) {
    Known& k = add(m.name, "program");
    k.inputs = m.inputs;
    k.outputs = m.outputs;
    k.instructions = static_cast<int64_t>(m.instructions.size());
  }
  RowIds ids(in.context.store, "raw_method");
  Statement st = in.context.store.query("INSERT INTO raw_method VALUES(?1,?2,?3,?4,?5,?6,?7,?8)");
  for (size_t i = 0; i < order.size(); ++i) {
    const Known& k = known[order[i]];
    in.method_rows[order[i]] = ids.next();
    st.run(ids.last(), in.context.trace, i, order[i], k.sources, k.inputs, k.outputs, k.instructions);
  }
}

/// What is known of a new block's ops before their first sample.
void complete_block(Import& in, LinkContext& links, Clocks& clocks, const RunEvents& run, const NestedRun& nested,
                    const Variant& variant, RunSamples& samples) {
  nest_block(in.dump, run, nested, variant, in.trace);
  Block& block = in.trace.blocks[static_cast<size_t>(variant.block)];
  declare_block(in.trace, block, samples);
  read_recorded_nodes(run, nested, variant, in.trace);
  infer_method(in.trace, block, in.record, in.program, in.context.inputs.method);
  identify(links, in.trace, block);
  apply_clocks(clocks, block, in.trace, in.context);
  describe_delegate_events(run, nested, variant, in.trace);
  find_foreign_clocks(in.dump, run, nested, variant, in.trace, in.context);
}

/// All runs, one after the other: only what groups them and the bounded sample buffer stay in memory.
Status read_runs(Import& in, LinkContext& links, Clocks& clocks, RunSamples& samples, ForeignFiles* foreign) {
  EventKeys keys;
  RunEvents run;
  RunGroups groups;
  DumpValues values(in.context, in.dump, run);
  uint64_t released = 0;
  const size_t count = samples.runs = in.dump.reader.run_count();
  for (size_t r = 0; r < count; ++r) {
    if (!in.context.report("reading events", r, count)) return {Error::InvalidState, "cancelled"};
    if (!read_run_events(in.dump, r, keys, in.context, &run)) continue;
    in.trace.events += run.size();
    const RunPlace place = group_run(run, keys, groups, in.trace);
    Variant& variant = groups.variants[static_cast<size_t>(place.variant)];
    if (place.new_variant) {
      const NestedRun nested = nest_run(run, keys);
      if (place.new_block) {
        complete_block(in, links, clocks, run, nested, variant, samples);
        *foreign = foreign_files(in, in.trace.blocks[static_cast<size_t>(variant.block)]);
        if (!foreign->empty()) return foreign_status();
      }
      find_roots(nested, in.trace, variant);
    }
    const int64_t row = add_run(in.dump, run, variant, in.trace, samples, in.context);
    values.add_extras(in.trace, run.run, variant, row);
    values.add_values(in.trace, run.run, variant, row);
    if (samples.samples.full()) {
      if (Status status = samples.samples.spill(); !status.ok()) return status;
    }
    if (in.trace.events - released > (uint64_t{1} << 18)) {  // a mapped file must not fill the memory
      in.dump.file.release_pages();
      released = in.trace.events;
    }
  }
  samples.rows.flush();
  add_device_ops(in, samples);
  report_dump(in.dump, in.trace, values.saw_values(), in.context);
  return {};
}

/// The store's rows of samples are written in a thread of their own: statistics do not need the store.
Status write_and_summarize(Import& in, SampleBuffer& samples) {
  samples.seal();
  const auto policy =
      samples.size() < kWorthAThread ? std::launch::deferred : std::launch::async | std::launch::deferred;
  std::future<Status> writing = std::async(policy, [&samples] { return samples.write(); });
  Status summarized = compute_statistics(in.trace, samples, in.context);
  Status written = writing.get();
  return written.ok() ? summarized : written;
}

/// From the files to links and statistics, all in memory but for runs, samples and values.
Status build_trace(Import& in, Clocks& clocks, LinkContext& links, ForeignFiles* foreign) {
  link_payloads(in.program, in.record);
  if (!in.program_hash_agrees.value_or(true)) {
    const std::string cause = "its SHA-256 is not the one that " + in.dump.path + " names";
    if (in.context.inputs.was_found("pte")) {
      (*foreign)["pte"] = cause;
      return foreign_status();
    }
    in.context.diagnostics.add("program-mismatch", in.context.inputs.program + ": " + cause);
    links.mismatch = links.program_foreign = true;
  }
  RunSamples samples(in.context);
  if (const Status status = read_runs(in, links, clocks, samples, foreign); !status.ok()) return status;
  report_unused_clocks(clocks, in.context);
  if (Status status = write_and_summarize(in, samples.samples); !status.ok()) return status;
  in.context.report("linking", 0, 0);
  link_trace(links, in.trace);
  return {};
}

Status write_rows(Import& in, std::span<const Importer> importers) {
  for (const Importer& i : importers) {
    if (i.write != nullptr) i.write(in);
  }
  write_trace(in.context, in.trace, in.record, in.program, in.method_rows);
  write_trace_row(in.dump, in.trace, in.context);
  in.context.diagnostics.write(in.context.store, in.context.trace);
  return in.record.loaded() ? write_line_rule(in.context.store, in.context.trace) : Status();
}

}  // namespace

Status ingest(Store& store, const IngestInputs& inputs, const Progress& progress, IngestResult* result,
              const IngestTables& tables) {
  Import in{{store, inputs, progress, {}, 0, false, tables.payload_kinds}};
  in.trace.cycles = inputs.source_time_scale == "cycles";
  Clocks clocks;
  Status status = parse_clocks(inputs, &clocks);
  if (status.ok()) status = load_files(in, tables.importers, &result->foreign);
  if (!status.ok()) return status;

  Transaction transaction(store);
  status = transaction.begin_status();
  if (status.ok()) status = check_trace_name(store, inputs.trace_name);
  if (!status.ok()) return status;
  in.context.trace = RowIds(store, "raw_trace").next();
  write_methods(in);
  LinkContext links{in.context, in.record, in.program};
  status = build_trace(in, clocks, links, &result->foreign);
  if (!status.ok()) return transaction.check().ok() ? status : transaction.check();  // rolls back
  const Status written = write_rows(in, tables.importers);

  in.context.report("indexing", 0, 0);
  status = transaction.check();  // what failed first says most
  if (status.ok()) status = written;
  if (status.ok()) status = store.build_indexes();
  if (status.ok() && in.context.cancelled) status = {Error::InvalidState, "cancelled"};
  if (status.ok()) status = transaction.commit();
  if (!status.ok()) return status;
  *result = {in.context.trace, in.context.diagnostics.has(Severity::DataLoss), links.mismatch, {}};
  return {};
}

Status ingest(Store& store, const IngestInputs& inputs, const Progress& progress, IngestResult* result) {
  return ingest(store, inputs, progress, result, IngestTables());
}

}  // namespace et::inspector
