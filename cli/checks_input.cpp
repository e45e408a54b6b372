#include "cli/checks_input.h"

#include <unistd.h>

#include "base/interruption.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "inspector/ingest/check_results.h"
#include "inspector/report/check_report.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/trace_ref.h"

namespace et::cli {
namespace {

using inspector::FileKind;
using inspector::Store;

inspector::CheckReportOptions report_options(const Arguments& args) {
  return {.format = args.text("format"),
          .units = args.text("units"),
          .ops = false,
          .color = use_color(args),
          .width = output_width(args)};
}

/// A store that a failed import would leave empty is removed again.
struct FreshStore {
  std::string path;
  bool keep = true;
  ~FreshStore() {
    if (!keep) ::unlink(path.c_str());
  }
};

Status open_store(const Arguments& args, Store* store, CheckInput* checks) {
  if (!args.given("checks")) {
    Status status = Store::open(args.text("trace"), Store::Mode::ReadOnly, store);
    checks->runs = {inspector::newest_check_run(*store)};
    return status;
  }
  const std::string path = args.text("store");
  const bool made = args.given("store") && inspector::file_kind(path) == FileKind::Missing;
  const UnfinishedFile unfinished = made ? UnfinishedFile(path) : UnfinishedFile();
  FreshStore fresh{path, !made};
  Status status = Store::open(path, args.given("store") ? Store::Mode::ReadWrite : Store::Mode::Memory, store);
  if (status.ok()) status = add_checks(args, *store, checks);
  if (!status.ok()) {
    *store = Store();
  } else {
    fresh.keep = true;
  }
  return status;
}

}  // namespace

Status add_checks(const Arguments& args, Store& store, CheckInput* out) {
  for (const std::string& path : args.list("checks")) {
    inspector::CheckImport done;
    Status status = inspector::import_check_file(store, path, &done);
    if (!status.ok()) return status;
    if (done.known) {
      print_warning(args, path + ": not added: the store already has these results, as check run " +
                              std::to_string(done.check_run_id));
    }
    out->runs.push_back(done.check_run_id);
    out->failed = out->failed || done.failed > 0;
  }
  return {};
}

bool asks_for_checks_only(const Arguments& args) {
  if (!args.given("trace")) return args.given("checks") && !args.given("etrecord") && !args.given("pte");
  if (args.given("checks") || args.list("trace").size() > 1) return false;
  if (inspector::file_kind(args.text("trace")) != FileKind::Store) return false;
  Store store;
  if (!Store::open(args.text("trace"), Store::Mode::ReadOnly, &store).ok()) return false;
  return inspector::traces_of(store).empty() && inspector::newest_check_run(store) != 0;
}

int report_checks(const Arguments& args) {
  Store store;
  CheckInput checks;
  Status status = open_store(args, &store, &checks);
  std::string text;
  if (status.ok()) status = inspector::write_check_runs(store, checks.runs, report_options(args), &text);
  if (!status.ok()) return fail(status);
  if (args.text("format") == "table" && !args.given("checks")) {
    const int64_t runs = inspector::count_checks(store).runs;
    if (runs > 1) text += "\n" + std::to_string(runs) + " runs in the store: et-inspect history " + store.path() + "\n";
  }
  return write_output(args, text, checks.failed ? kExitDifference : kExitOk);
}

Status checks_section(const Arguments& args, const Store& store, const CheckInput& checks, std::string* out) {
  if (checks.runs.empty()) return {};
  std::string text;
  Status status = inspector::write_check_runs(store, checks.runs, report_options(args), &text);
  if (status.ok()) *out += "\n" + text;
  return status;
}

}  // namespace et::cli
