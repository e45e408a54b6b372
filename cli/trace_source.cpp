#include "cli/trace_source.h"

#include <unistd.h>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/nearest.h"
#include "cli/progress.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/trace_problems.h"
#include "inspector/store/trace_ref.h"

namespace et::cli {
namespace {

using inspector::FileKind;
using inspector::Store;

// Options of the import: a trace in a store was imported already.
constexpr const char* kImportOptions[] = {"etrecord",          "pte",           "debug-buffer", "store", "name",
                                          "source-time-scale", "delegate-clock"};

Status refused(const std::string& path, std::string cause) {
  return {Error::InvalidExternalData, path + ": " + std::move(cause)};
}

/// For a file that is plainly of another kind the message says where it belongs.
Status check_kind(const std::string& path, FileKind wanted, const char* wanted_name) {
  const FileKind kind = inspector::file_kind(path);
  if (kind == wanted || kind == FileKind::Unknown) return {};  // unknown may be damaged: the reader knows more
  if (kind == FileKind::BundledProgram && wanted == FileKind::Program) return {};  // the one inside
  switch (kind) {
    case FileKind::Missing:
      return {Error::AccessFailed, path + ": cannot open: no such file"};
    case FileKind::Unreadable:
      return {Error::AccessFailed, path + ": cannot open: permission denied"};
    case FileKind::Directory:
    case FileKind::Special:
      return {Error::AccessFailed, path + ": expected " + wanted_name + ", got " + inspector::file_kind_name(kind)};
    // Damaged ETRecords and those of later versions can look like these: their readers say what is wrong.
    case FileKind::Zip:
      if (wanted == FileKind::ETRecord) return {};
      break;
    default:
      break;
  }
  std::string text = std::string("expected ") + wanted_name + ", got " + inspector::file_kind_name(kind);
  if (const std::string option = inspector::option_for(kind); !option.empty()) {
    text += "; pass it with " + option;
  } else if (kind == FileKind::ETDump) {
    text += "; pass it as the first argument, without an option";
  }
  return refused(path, text);
}

Status check_inputs(const inspector::IngestInputs& in) {
  if (!in.record.empty() && inspector::file_kind(in.record) == FileKind::ETDump &&
      inspector::file_kind(in.dump) == FileKind::ETRecord) {
    return refused(in.dump, "expected an ETDump, got an ETRecord, and " + in.record + " is an ETDump; swap them");
  }
  Status status;
  if (!in.dump.empty()) status = check_kind(in.dump, FileKind::ETDump, "an ETDump");
  if (status.ok() && !in.record.empty()) status = check_kind(in.record, FileKind::ETRecord, "an ETRecord");
  if (status.ok() && !in.program.empty()) status = check_kind(in.program, FileKind::Program, "a program (.pte)");
  if (status.ok() && !in.debug_buffer.empty()) {
    // A debug buffer has no magic: only what is certainly something else is refused.
    const FileKind kind = inspector::file_kind(in.debug_buffer);
    if (kind != FileKind::Unknown && kind != FileKind::Text && kind != FileKind::Json &&
        kind != FileKind::TorchPickle) {
      status = check_kind(in.debug_buffer, FileKind::Unknown, "the debug buffer of an ETDump");
    }
  }
  return status;
}

/// A word that is not a file may be a mistyped subcommand.
std::string command_hint(const Arguments& args) {
  if (args.command().name[0] != 0) return {};
  std::vector<std::string> names;
  for (const CommandSpec* c : args.program().commands) {
    if (c->name[0] != 0) names.emplace_back(c->name);
  }
  const std::string best = nearest(args.text("trace"), names);
  return best.empty() ? "" : "; did you mean the command '" + best + "'?";
}

}  // namespace

Status open_trace_source(const Arguments& args, TraceSource* out, Selection selection) {
  inspector::TraceRef ref;
  Status status;
  const bool has_trace = args.given("trace");  // without one an ETRecord or program is imported alone
  if (has_trace) status = inspector::parse_trace_ref(args.text("trace"), &ref);
  if (!status.ok()) return status;
  const FileKind kind = inspector::file_kind(ref.path);
  if (has_trace && kind == FileKind::Missing) {
    return {Error::AccessFailed, ref.path + ": cannot open: no such file" + command_hint(args)};
  }

  if (kind == FileKind::Store) {
    for (const char* option : kImportOptions) {
      if (args.given(option)) {
        return {Error::InvalidArgument, std::string("--") + option + ": cannot be used with " + ref.text +
                                            ", a store whose traces are already imported; pass the ETDump instead"};
      }
    }
    status = Store::open(ref.path, Store::Mode::ReadOnly, &out->store);
    if (!status.ok() || (selection == Selection::Optional && ref.kind == inspector::TraceRef::Kind::Only))
      return status;
    return inspector::resolve_trace(out->store, ref, &out->trace_id);
  }
  if (ref.kind != inspector::TraceRef::Kind::Only) {
    return refused(ref.path, "expected a store before '" + ref.text.substr(ref.path.size()) + "', got " +
                                 inspector::file_kind_name(kind));
  }

  inspector::IngestInputs in;
  in.dump = ref.path;
  in.record = args.text("etrecord");
  in.program = args.text("pte");
  in.debug_buffer = args.text("debug-buffer");
  in.trace_name = args.text("name");
  in.source_time_scale = args.text("source-time-scale");
  in.delegate_clocks = args.list("delegate-clock");
  if (args.given("name") && !args.given("store")) return {Error::InvalidArgument, "--name needs --store"};
  status = check_inputs(in);
  if (!status.ok()) return status;
  const std::string store_path = args.text("store");
  const bool fresh = args.given("store") && inspector::file_kind(store_path) == FileKind::Missing;
  status = Store::open(store_path, args.given("store") ? Store::Mode::ReadWrite : Store::Mode::Memory, &out->store);
  if (!status.ok()) return status;

  ProgressLine line(args);
  inspector::IngestResult result;
  status = inspector::ingest(
      out->store, in, [&](const char* stage, uint64_t done, uint64_t total) { return line(stage, done, total); },
      &result);
  line.clear();
  if (!status.ok()) {
    out->store = Store();
    if (fresh) ::unlink(store_path.c_str());  // no trace of a failed import, not even an empty store
    return status;
  }
  out->trace_id = result.trace_id;
  out->imported = true;
  return {};
}

int exit_code_of_trace(const TraceSource& source) {
  const inspector::TraceProblems problems = inspector::problems_of(source.store, source.trace_id);
  if (problems.damaged) return kExitInput;
  if (problems.data_loss) return kExitIncomplete;
  return problems.mismatched ? kExitDifference : kExitOk;
}

void warn_of_diagnostics(const Arguments& args, const TraceSource& source) {
  for (const auto& [message, count] : inspector::problem_texts(source.store, source.trace_id)) {
    print_warning(args, count > 1 ? message + " (" + std::to_string(count) + " times)" : message);
  }
}

}  // namespace et::cli
