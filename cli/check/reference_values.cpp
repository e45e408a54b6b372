#include "cli/check/reference_values.h"

#include <filesystem>
#include <numeric>

#include "base/mapped_file.h"
#include "base/scratch_folder.h"
#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/reference/reference_run.h"
#include "bundled_program/verify/case_trace.h"
#include "bundled_program/verify/isolated.h"
#include "bundled_program/verify/method_runner.h"
#include "bundled_program/verify/program_file.h"
#include "cli/check/node_values.h"
#include "inspector/ingest/ingest.h"
#include "inspector/store/file_kind.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

Status import_values(const inspector::IngestInputs& inputs, std::optional<int64_t> bundled_case, ValueList* out) {
  inspector::Store store;
  Status status = inspector::Store::open("", inspector::Store::Mode::Memory, &store);
  inspector::IngestResult result;
  if (status.ok()) status = inspector::ingest(store, inputs, nullptr, &result);
  if (!status.ok()) return status;
  const std::optional<int64_t> run = inspector::find_execution(store, result.trace_id, bundled_case);
  if (!run) return {Error::NotFound, inputs.dump + ": the trace has no execution"};
  status = inspector::load_logged_values(store, result.trace_id, *run, &out->values);
  if (status.ok()) status = inspector::load_logged_outputs(store, result.trace_id, *run, &out->outputs);
  if (status.ok() && out->values.empty()) {
    return {Error::NotFound,
            inputs.dump + ": the trace has no logged values; record it with --log-values or et-run --debug-buffer"};
  }
  return status;
}

/// In the child process: an empty text, or what went wrong.
std::string run_traced(const RunRequest& request, const std::string& etdump) {
  bundled::ProgramFile program;
  if (auto p = program.open(request.program, "", request.data_files); !p.ok()) return p.reason;
  bundled::ProgramFile cases;
  if (auto p = cases.open(request.cases, request.sidecar, request.data_files); !p.ok()) return p.reason;
  const std::optional<size_t> suite = cases.cases().find(request.method);
  if (!suite) return request.cases + ": method '" + request.method + "' has no test cases";
  bundled::CaseTrace trace;
  if (const Status s = trace.open(etdump, 0, true, program, request.program); !s.ok()) return s.message();
  bundled::MethodRunner runner(program.program(), request.method);
  bundled::MethodRunner::Problem problem = runner.load(program.weights(), trace.tracer());
  for (size_t c = 0; problem.ok() && c <= request.test_case; ++c) {
    bundled::LoadedCase test;
    if (const Status s = cases.cases().load(*suite, c, &test); !s.ok()) return s.message();
    runner.method().set_event_tracer(c == request.test_case ? trace.tracer() : nullptr);
    problem = runner.set_inputs(test);
    trace.set_case(c);
    if (problem.ok()) problem = runner.execute();
  }
  // What was logged before a failure is worth reading.
  const Status written = trace.close();
  return !written.ok() ? written.message() : problem.ok() ? "" : "!" + problem.reason;
}

}  // namespace

Status run_logged(const RunRequest& request, ValueList* out) {
  ScratchFolder folder;
  if (Status s = folder.make(); !s.ok()) return s;
  const std::string etdump = (fs::path(folder.path()) / "run.etdp").string();
  const bundled::Isolated child =
      bundled::run_isolated([&] { return run_traced(request, etdump); }, request.timeout_s, request.tick);
  if (child.end != bundled::Isolated::End::Returned) return {Error::Internal, request.program + ": " + child.reason};
  if (!child.value.empty() && !child.value.starts_with('!')) return {Error::InvalidExternalData, child.value};
  out->from = request.program;
  inspector::IngestInputs inputs;
  inputs.dump = etdump;
  inputs.debug_buffer = fs::path(etdump).replace_extension("bin").string();
  inputs.record = request.etrecord;
  if (inspector::file_kind(request.program) == inspector::FileKind::Program) inputs.program = request.program;
  return import_values(inputs, std::nullopt, out);
}

Status run_record(const RunRequest& request, const Replacements& replacements, ValueList* out) {
  out->from = "the graph of " + request.etrecord;
  MappedFile file;
  if (Status s = MappedFile::open(request.etrecord, &file); !s.ok()) return s;
  etrecord::Record record;
  if (Status s = etrecord::Record::open(file.bytes(), request.etrecord, &record); !s.ok()) return s;
  bundled::ProgramFile cases;
  if (auto p = cases.open(request.cases, request.sidecar, request.data_files); !p.ok()) {
    return {Error::InvalidExternalData, p.reason};
  }
  const std::optional<size_t> suite = cases.cases().find(request.method);
  if (!suite) return {Error::NotFound, request.cases + ": method '" + request.method + "' has no test cases"};
  reference::Limits limits;
  limits.max_seconds = request.timeout_s;
  std::unique_ptr<reference::ReferenceRun> run;
  if (Status s = reference::ReferenceRun::open(record, request.method, limits, &run); !s.ok()) return s;
  for (size_t c = 0; c <= request.test_case; ++c) {
    bundled::LoadedCase test;
    if (Status s = cases.cases().load(*suite, c, &test); !s.ok()) return s;
    reference::Sink sink;
    if (c == request.test_case) {
      sink = [&](const reference::NodeValue& v) {
        if (v.is_number) return true;
        inspector::LoggedValue value = value_of(v.tensor);
        value.name = v.node.target;
        value.node = v.node.name;
        value.node_output = v.output;
        const auto by = replacements.find(out->values.size());
        if (by != replacements.end()) put_value(*by->second, v.tensor);
        out->values.push_back(std::move(value));
        return true;
      };
    }
    reference::RunResult result;
    if (Status s = run->run(test.inputs, sink, &result); !s.ok()) return s;
    if (c < request.test_case) continue;
    for (const reference::GraphValue& v : result.outputs) {
      out->outputs.push_back(v.kind == reference::GraphValue::Kind::Tensor ? value_of(v.tensor->tensor())
                                                                           : inspector::LoggedValue());
    }
  }
  return {};
}

Status read_expected(const RunRequest& request, const std::vector<inspector::LoggedValue>& outputs,
                     std::vector<inspector::LoggedValue>* out) {
  bundled::ProgramFile cases;
  if (auto p = cases.open(request.cases, request.sidecar, request.data_files); !p.ok()) {
    return {Error::InvalidExternalData, p.reason};
  }
  const std::optional<size_t> suite = cases.cases().find(request.method);
  if (!suite) return {Error::NotFound, request.cases + ": method '" + request.method + "' has no test cases"};
  bundled::LoadedCase test;
  if (Status s = cases.cases().load(*suite, request.test_case, &test); !s.ok()) return s;
  out->assign(outputs.size(), {});
  const bool all = test.expected.size() == outputs.size();
  for (size_t i = 0, at = 0; i < outputs.size() && at < test.expected.size(); ++i) {
    if (!all && outputs[i].dtype.empty()) continue;  // None, which no case has
    const bundled::Value& v = test.expected[at++];
    if (v.kind != bundled::ValueKind::Tensor) continue;
    std::vector<uint8_t> plain(v.tensor.sizes.size());
    std::iota(plain.begin(), plain.end(), uint8_t{0});
    const std::vector<uint8_t> rows = bundled::reordered(v.tensor, plain);
    (*out)[i].dtype = scalar_type_name(v.tensor.scalar_type);
    (*out)[i].shape.assign(v.tensor.sizes.begin(), v.tensor.sizes.end());
    (*out)[i].data.assign(reinterpret_cast<const char*>(rows.data()), rows.size());
  }
  return {};
}

Status read_logged(const std::string& etdump, const std::string& etrecord, size_t test_case, ValueList* out) {
  out->from = etdump;
  inspector::IngestInputs inputs;
  inputs.dump = etdump;
  inputs.debug_buffer = fs::path(etdump).replace_extension("bin").string();
  inputs.record = etrecord;
  std::error_code ec;
  if (!fs::exists(inputs.debug_buffer, ec)) {
    return {Error::AccessFailed,
            inputs.debug_buffer + ": cannot open: no such file; it should contain the logged values of " + etdump};
  }
  return import_values(inputs, static_cast<int64_t>(test_case), out);
}

}  // namespace et::cli
