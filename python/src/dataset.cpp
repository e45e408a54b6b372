// et_inspect._core: what et_inspect/fleet builds on. Files are written by the caller's function, over Arrow's stream.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/hex.h"
#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "inspector/ingest/dump/dump_fingerprint.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/dataset/dataset.h"
#include "inspector/report/dataset/dataset_commit.h"
#include "inspector/report/dataset/dataset_views.h"
#include "inspector/report/dataset/redaction.h"
#include "python/src/bindings.h"

namespace et::python {
namespace {

using Words = std::vector<std::string>;

/// Has __arrow_c_stream__ once: who takes the stream owns it.
struct StreamOnce {
  ArrowArrayStream* stream = nullptr;
};

nb::capsule take_stream(StreamOnce& once, const nb::object&) {
  if (once.stream == nullptr) throw nb::value_error("the stream was taken already");
  auto* own = new ArrowArrayStream(*once.stream);
  once.stream->release = nullptr;
  once.stream = nullptr;
  return nb::capsule(own, "arrow_array_stream", [](void* p) noexcept {
    auto* s = static_cast<ArrowArrayStream*>(p);
    if (s->release != nullptr) s->release(s);
    delete s;
  });
}

std::map<std::string, std::string> map_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  return {pairs.begin(), pairs.end()};
}

std::tuple<int64_t, int64_t, int64_t, Words> stage(const std::string& path, const std::string& staging,
                                                   const Words& known, bool samples, const std::string& date,
                                                   const std::string& device, const std::string& build,
                                                   const std::string& key, const nb::object& write) {
  inspector::DatasetOptions options;
  options.samples = samples;
  options.date = date;
  options.device = device;
  options.build = build;
  options.key = key;
  std::unique_ptr<nb::python_error> raised;
  const inspector::DatasetWriter writer = [&](const inspector::DatasetFile& file, ArrowArrayStream* stream) -> Status {
    const nb::gil_scoped_acquire lock;
    try {
      write(file.path, StreamOnce{stream}, map_of(file.metadata), map_of(file.lists), file.row_group_rows);
      return {};
    } catch (nb::python_error& e) {
      raised = std::make_unique<nb::python_error>(std::move(e));
      return {Error::AccessFailed, file.path + ": not written"};
    }
  };
  inspector::DatasetResult result;
  Status status;
  {
    const nb::gil_scoped_release release;
    inspector::Store store;
    status = inspector::Store::open(path, inspector::Store::Mode::ReadOnly, &store);
    if (status.ok())
      status = inspector::stage_dataset(store, {}, options, {known.begin(), known.end()}, staging, writer, &result);
  }
  if (raised != nullptr) throw nb::python_error(std::move(*raised));
  check(status);
  return {result.traces, result.checks, result.files, {result.hashes.begin(), result.hashes.end()}};
}

/// SHA-256 of the program that ran, in hex; "" where the ETDump does not say it or cannot be read.
std::string dump_program(const std::string& path) {
  MappedFile file;
  etdump::Reader reader;
  if (!MappedFile::open(path, &file).ok() || !etdump::Reader::open(file.bytes(), &reader).ok()) return {};
  const etdump::Trailer* trailer = reader.trailer();
  return trailer == nullptr || !trailer->has_program() ? std::string() : hex_text(trailer->program().sha256);
}

/// Many ETDumps into one store that nobody else sees before it is done.
class TraceImporter {
 public:
  explicit TraceImporter(const std::string& path) {
    check(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store_));
    // The store is gone with its task: a power cut has nothing to spoil.
    check(store_.exec("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY;"));
  }
  int64_t add(const std::string& dump, const std::string& record, const std::string& program) {
    inspector::IngestInputs inputs;
    inputs.dump = dump;
    inputs.record = record;
    inputs.program = program;
    inspector::IngestResult result;
    Status status;
    {
      const nb::gil_scoped_release release;
      status = inspector::ingest(store_, inputs, nullptr, &result);
    }
    check(status);
    return result.trace_id;
  }
  void close() { store_ = inspector::Store(); }

 private:
  inspector::Store store_;
};

struct PyDatasetLock {
  std::unique_ptr<inspector::DatasetLock> lock;
};

}  // namespace

void bind_dataset(nb::module_& m) {
  nb::class_<StreamOnce>(m, "_Stream")
      .def("__arrow_c_stream__", &take_stream, nb::arg("requested_schema").none() = nb::none());
  nb::class_<PyDatasetLock>(m, "DatasetLock")
      .def(nb::new_([](const std::string& folder) {
        PyDatasetLock out;
        out.lock = std::make_unique<inspector::DatasetLock>();
        Status status;
        {
          const nb::gil_scoped_release release;
          status = out.lock->take(folder);
        }
        check(status);
        return out;
      }))
      .def("release", [](PyDatasetLock& l) { l.lock.reset(); });
  nb::class_<TraceImporter>(m, "TraceImporter")
      .def(nb::init<const std::string&>())
      .def("add", &TraceImporter::add, nb::arg("dump"), nb::arg("record"), nb::arg("program"))
      .def("close", &TraceImporter::close);
  m.def("dump_program", &dump_program);
  m.def("keyed_hash", [](const std::string& key, const std::string& text) { return inspector::keyed_hash(key, text); });
  m.def("dataset_columns", [] {
    std::vector<inspector::ViewDoc> docs;
    check(inspector::schema_doc(&docs));
    std::vector<std::tuple<std::string, std::vector<std::tuple<std::string, std::string, std::string>>>> out;
    for (const inspector::DatasetView& view : inspector::dataset_views()) {
      std::vector<std::tuple<std::string, std::string, std::string>> columns;
      for (const inspector::DatasetColumn& c : inspector::dataset_query(view, docs, false).columns) {
        const char* type = c.kind == inspector::ColumnKind::Integer ? "INTEGER"
                           : c.kind == inspector::ColumnKind::Real  ? "REAL"
                           : c.kind == inspector::ColumnKind::Blob  ? "BLOB"
                                                                    : "TEXT";
        columns.emplace_back(c.name, type, c.list_type);
      }
      out.emplace_back(view.name, std::move(columns));
    }
    return out;
  });
  m.def("dataset_staging", [](const std::string& folder) {
    std::string out;
    check(inspector::make_staging(folder, &out));
    return out;
  });
  m.def("dataset_open", [](const std::string& folder) {
    std::set<std::string> hashes;
    check(inspector::open_dataset(folder, &hashes));
    return Words(hashes.begin(), hashes.end());
  });
  m.def("dataset_commit", [](const std::string& folder, const Words& staging, const Words& hashes) {
    check(inspector::commit_dataset(folder, staging, {hashes.begin(), hashes.end()}));
  });
  m.def("dataset_stage", &stage);
  m.def("redaction_key", [](const std::string& path) {
    std::string key;
    check(inspector::read_redaction_key(path, &key));
    return key;
  });
  m.def("dump_fingerprint", [](const std::string& path) -> nb::object {
    const auto found = inspector::dump_fingerprint(path);
    return found ? nb::object(nb::str(found->c_str())) : nb::none();
  });
}

}  // namespace et::python
