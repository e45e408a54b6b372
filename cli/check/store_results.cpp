#include "cli/check/store_results.h"

#include <filesystem>
#include <set>

#include "inspector/ingest/check_results.h"
#include "inspector/ingest/ingest.h"

namespace et::cli {

Status store_results(const std::string& path, const std::string& etrecord, const CheckReport& report) {
  inspector::Store store;
  if (Status s = inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store); !s.ok()) return s;
  std::set<std::string> known;
  std::error_code ec;
  for (const bundled::CaseVerdict& v : report.run.cases) {
    // A worker that was lost took its trace with it.
    if (v.etdump.empty() || !known.insert(v.etdump).second || !std::filesystem::exists(v.etdump, ec)) continue;
    inspector::IngestInputs inputs;
    inputs.dump = v.etdump;
    inputs.record = etrecord;
    inputs.debug_buffer = v.debug_buffer;
    // The bundle holds the program: with it the trace has its operators, its memory plan and a name.
    if (!v.program.empty()) {
      inputs.program = v.file;
      inputs.found.emplace_back("pte");
    }
    inspector::IngestResult result;
    if (Status s = inspector::ingest(store, inputs, nullptr, &result); !s.ok()) return s;
  }
  return inspector::import_check_results(store, json_report(report), "et-check");
}

}  // namespace et::cli
