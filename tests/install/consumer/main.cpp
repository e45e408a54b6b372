// Uses the installed libraries as an outside program would: reads a trace, imports it with its record, prints the
// report and the graph. All that they are built on has to come along for this to link.
#include <iostream>
#include <string>

#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/graph_report.h"
#include "inspector/report/main_report.h"
#include "inspector/store/store.h"

namespace {

bool check(const et::Status& status) {
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  et::MappedFile file;
  if (!check(et::MappedFile::open(argv[1], &file))) return 3;
  et::etdump::Reader reader;
  if (!et::etdump::Reader::open(file.bytes(), &reader).ok()) return 3;
  std::cout << reader.run_count() << " runs\n";

  et::inspector::Store store;
  if (!check(et::inspector::Store::open("", et::inspector::Store::Mode::Memory, &store))) return 1;
  et::inspector::IngestInputs inputs;
  inputs.dump = argv[1];
  inputs.record = argv[2];
  et::inspector::IngestResult result;
  if (!check(et::inspector::ingest(store, inputs, nullptr, &result))) return 1;
  std::string report;
  if (!check(et::inspector::write_main_report(store, result.trace_id, {}, &report))) return 1;
  std::cout << report;
  return check(et::inspector::write_graph(store, result.trace_id, {}, std::cout)) ? 0 : 1;
}
