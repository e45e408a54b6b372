// Any bytes as results of et-check, imported into a store in memory. What is refused leaves nothing behind and names
// the file; what is taken can be asked for, and taken twice is kept once.
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "inspector/analysis/checks/check_history.h"
#include "inspector/ingest/check_results.h"

namespace {

[[noreturn]] void stop(const char* what, const std::string& text = "") {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace et::inspector;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  static Store store;  // making one costs more than the input
  if (store.db() == nullptr && !Store::open("", Store::Mode::Memory, &store).ok()) stop("no store");
  CheckImport first, second;
  const et::Status status = import_check_results(store, json, "fuzz.json", &first);
  if (sqlite3_get_autocommit(store.db()) == 0) stop("a transaction stayed open");
  if (!status.ok()) {
    if (!status.message().starts_with("fuzz.json")) stop("no file in the message", status.message());
    if (count_checks(store).runs != 0) stop("rows of refused results");
    return 0;
  }
  if (!import_check_results(store, json, "again.json", &second).ok() || !second.known ||
      second.check_run_id != first.check_run_id)
    stop("not the same twice");
  std::vector<CheckSeries> history;
  if (!load_check_history(store, {}, &history).ok()) stop("no history");
  for (const CheckSeries& s : history) {
    std::vector<CheckOutputRow> outputs;
    std::vector<CheckOpRow> ops;
    if (!load_check_outputs(store, s.now().check_case_id, &outputs).ok()) stop("no outputs");
    if (!load_check_ops(store, s.now().check_case_id, 0, &ops).ok()) stop("no ops");
  }
  for (const char* table : {"run", "case", "output", "sample", "performance", "explanation"}) {
    if (!store.exec(("DELETE FROM raw_check_" + std::string(table)).c_str()).ok()) stop("cannot clean");
  }
  return 0;
}
