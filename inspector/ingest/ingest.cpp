// The order of an import: program and record first, so that every block's method, backends and clocks are known before
// its first sample; then the dump, run by run; then links and rows; all in one transaction.
#include "inspector/ingest/ingest.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "etdump/delegate_clock.h"

#include "inspector/ingest/dump/dump_import.h"
#include "inspector/ingest/payloads/link_payloads.h"
#include "inspector/ingest/linker.h"
#include "inspector/ingest/method_inference.h"
#include "inspector/ingest/trace_writer.h"
#include "base/sha256.h"

namespace et::inspector {
namespace {

struct Clocks {
  etdump::DelegateClocks given;
  std::map<std::string, std::string> texts;  // backend → what stands behind the = of its option
  std::set<std::string> used;
};

void apply_clock(ImportContext& context, Clocks& clocks, Op& op) {
  if (op.kind != OpKind::DelegateOp || clocks.given.empty()) return;
  const etdump::DelegateClock* clock = clocks.given.find(op.backend);
  if (clock == nullptr && op.backend.empty() && clocks.given.all().size() == 1) {
    clock = &clocks.given.all().front();
    context.diagnostics.add("delegate-clock-assumed",
                            context.inputs.dump + ": " + op.name + " is taken for an event of " + clock->backend);
  }
  if (clock == nullptr) return;
  clocks.used.insert(clock->backend);
  op.clock_given = true;
  op.clock_numerator = clock->numerator;
  op.clock_denominator = clock->denominator;
  if (clock->foreign()) op.clock = clocks.texts[clock->backend];
  if (!clock->convertible()) op.unit = "cycles";
}

// Our own dumps name the program that ran by its hash; upstream's are compared by their events only.
bool is_program_of(const etdump::Reader& reader, const ProgramImport& program) {
  const etdump::Trailer* trailer = reader.trailer();
  if (!program.loaded() || trailer == nullptr || !trailer->has_program() || trailer->program().sha256.size() != 32)
    return true;
  const auto hash = et::sha256(program.file());
  return std::equal(hash.begin(), hash.end(), trailer->program().sha256.begin());
}

Status write_methods(ImportContext& context, const DumpImport& dump, const RecordImport& record,
                     const ProgramImport& program, std::map<std::string, int64_t>* rows) {
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
  for (const std::string& m : dump.trailer_methods()) add(m, "trailer");
  for (const std::string& m : record.methods()) add(m, "record");
  for (const MethodFacts& m : program.methods()) {
    Known& k = add(m.name, "program");
    k.inputs = m.inputs;
    k.outputs = m.outputs;
    k.instructions = static_cast<int64_t>(m.instructions.size());
  }
  RowIds ids(context.store, "raw_method");
  Statement st = context.store.query("INSERT INTO raw_method VALUES(?1,?2,?3,?4,?5,?6,?7,?8)");
  for (size_t i = 0; i < order.size(); ++i) {
    const Known& k = known[order[i]];
    (*rows)[order[i]] = ids.next();
    st.run(ids.last(), context.trace, i, order[i], k.sources, k.inputs, k.outputs, k.instructions);
  }
  return {};
}

}  // namespace

Status ingest(Store& store, const IngestInputs& inputs, const Progress& progress, IngestResult* result) {
  ImportContext context{store, inputs, progress, {}, 0, false};
  Clocks clocks;
  for (const std::string& text : inputs.delegate_clocks) {
    std::string message;
    if (clocks.given.add(text, &message) != Error::Ok)
      return {Error::InvalidArgument, "--delegate-clock " + text + ": " + message};
    clocks.texts[clocks.given.all().back().backend] = text.substr(text.find('=') + 1);
  }
  // Everything that can be refused is looked at before the store is touched.
  DumpImport dump(context);
  RecordImport record;
  ProgramImport program;
  Status status = dump.open();
  if (status.ok()) status = record.load(context);
  if (status.ok()) status = program.load(context);
  if (!status.ok()) return status;
  if (inputs.dump.empty() && !record.loaded() && !program.loaded())
    return {Error::InvalidArgument, "nothing to import: expected an ETDump, an ETRecord or a program"};

  Transaction transaction(store);
  if (!transaction.begin_status().ok()) return transaction.begin_status();
  if (!inputs.trace_name.empty()) {
    Statement taken = store.query("SELECT id FROM raw_trace WHERE name = ?1");
    taken.bind_all(inputs.trace_name);
    if (taken.step()) {
      return {Error::InvalidArgument, store.path() + ": trace " + std::to_string(taken.integer(0)) +
                                          " already has the name '" + inputs.trace_name + "'"};
    }
  }
  context.trace = RowIds(store, "raw_trace").next();

  std::map<std::string, int64_t> method_rows;
  status = write_methods(context, dump, record, program, &method_rows);
  if (!status.ok()) return status;
  link_payloads(program, record);
  Linker linker(context, record, program);
  if (!is_program_of(dump.reader(), program)) {
    context.diagnostics.add("program-mismatch",
                            inputs.program + ": its SHA-256 is not the one that " + inputs.dump + " names");
    linker.distrust_program();
  }
  Trace trace;
  status = dump.read(trace, [&](Trace& t, Block& block) {
    infer_method(t, block, record, program);
    linker.identify(t, block);
    for (const int32_t o : block.ops) apply_clock(context, clocks, t.ops[static_cast<size_t>(o)]);
  });
  if (!status.ok()) return transaction.check().ok() ? status : transaction.check();
  for (const etdump::DelegateClock& clock : clocks.given.all()) {
    if (!clocks.used.contains(clock.backend)) {
      context.diagnostics.add("delegate-clock-unused", inputs.dump + ": no events of " + clock.backend);
    }
  }
  dump.finish(trace);
  context.report("linking", 0, 0);
  linker.link(trace);

  record.write(context, method_rows);
  record.write_tensors(context);
  program.write(context, method_rows, record);
  if (!program.loaded()) record.write_instructions(context, method_rows);
  program.write_payload_nodes(context, record);
  write_trace(context, trace, record, program, method_rows);
  dump.write_trace_row(trace);
  context.diagnostics.write(store, context.trace);
  context.report("indexing", 0, 0);
  status = transaction.check();
  if (status.ok()) status = store.build_indexes();
  if (status.ok() && context.cancelled) status = {Error::InvalidState, "cancelled"};
  if (status.ok()) status = transaction.commit();
  if (!status.ok()) return status;
  *result = {context.trace, context.diagnostics.has(Severity::DataLoss), linker.mismatch()};
  return {};
}

}  // namespace et::inspector
