// An artefact imported into a store of its own and read as the window reads it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/ingest/ingest.h"

namespace et::gui::test {

/// Folder of a fixture.
inline std::string artifact(const std::string& name) { return std::string(ET_FIXTURES) + "/artifacts/" + name; }

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "et-gui-XXXXXX").string();
    path_ = ::mkdtemp(path.data()) == nullptr ? std::string() : path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Imports dump (etdump.etdp unless named), record and program of a fixture into the store at `path`.
inline Status import_artifact(const std::string& name, const std::string& path, const std::string& dump = "etdump.etdp",
                              const std::string& trace_name = "") {
  inspector::Store store;
  Status status = inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store);
  if (!status.ok()) return status;
  const auto there = [&](const char* file) {
    const std::string full = artifact(name) + "/" + file;
    return std::filesystem::exists(full) ? full : std::string();
  };
  inspector::IngestInputs inputs;
  inputs.dump = artifact(name) + "/" + dump;
  inputs.record = there("etrecord.bin");
  inputs.program = there("program.pte");
  if (dump == "debug.etdp") inputs.debug_buffer = there("debug.bin");
  inputs.trace_name = trace_name;
  inspector::IngestResult result;
  return inspector::ingest(store, inputs, nullptr, &result);
}

/// As if that part of each execution were no op's: what the ops usually take stays, whole and variation change.
inline void with_noise(const TraceData& of_this_test, double noise) {
  auto& data = const_cast<TraceData&>(of_this_test);
  inspector::SourceCost& sources = data.sources;
  sources.total_ns = sources.variation_ns = 0;
  for (inspector::OpBlock& block : data.shown.blocks) {
    if (block.kind != "execute") continue;
    block.cost = (block.cost - block.variation) / (1 - noise);
    block.variation = block.cost * noise;
    sources.total_ns += block.cost;
    sources.variation_ns += block.variation;
  }
  sources.base_ns = inspector::share_basis({sources.total_ns, sources.variation_ns});
}

/// The fixture's trace #1, with its store.
struct OpenedTrace {
  explicit OpenedTrace(const std::string& name, const std::string& dump = "etdump.etdp",
                       const inspector::Basis& basis = {}) {
    const Status imported = import_artifact(name, folder / "store.db", dump);
    EXPECT_TRUE(imported.ok()) << imported.message();
    const Status opened = inspector::Store::open(folder / "store.db", inspector::Store::Mode::ReadOnly, &store);
    EXPECT_TRUE(opened.ok()) << opened.message();
    auto loaded = std::make_shared<TraceData>();
    const Status status = load_trace_data(store, 1, Cancel(), loaded.get(), basis);
    EXPECT_TRUE(status.ok()) << status.message();
    data = std::move(loaded);
  }
  TemporaryFolder folder;
  inspector::Store store;
  std::shared_ptr<const TraceData> data;
};

}  // namespace et::gui::test
