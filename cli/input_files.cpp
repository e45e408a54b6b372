#include "cli/input_files.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/stream_input.h"
#include "cli/given_files.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/trace_ref.h"

namespace et::cli {
namespace {

using inspector::FileKind;
using inspector::Importer;

Status expected_instead(const std::string& path, const Importer& importer, FileKind kind) {
  std::string text = path + ": expected " + importer.expected + ", got " + inspector::file_kind_name(kind);
  const Importer* right = inspector::importer_of(kind);
  if (right == &inspector::kImporters[0]) {
    text += "; pass it as the first argument, without an option";
  } else if (right != nullptr) {
    text += std::string("; pass it with --") + right->option;
  }
  return {Error::InvalidExternalData, text};
}

Status check_kind(const std::string& path, const Importer& importer) {
  const FileKind kind = inspector::file_kind(path);
  if (kind == FileKind::Unknown || importer.takes(kind)) return {};  // unknown may be damaged: its reader says more
  switch (kind) {
    case FileKind::Missing:
      return {Error::AccessFailed, path + ": cannot open: no such file"};
    case FileKind::Unreadable:
      return {Error::AccessFailed, path + ": cannot open: permission denied"};
    case FileKind::Directory:
      if (importer.folder) return {};
      [[fallthrough]];
    case FileKind::Special:
      return {Error::AccessFailed,
              path + ": expected " + importer.expected + ", got " + inspector::file_kind_name(kind)};
    case FileKind::Zip:  // damaged ETRecords and those of later versions look like this
      if (importer.kind == FileKind::ETRecord) return {};
      break;
    case FileKind::Text:
      if (importer.kind == FileKind::ETDump) return {};  // a serial log has it in base64
      [[fallthrough]];
    case FileKind::Json:
    case FileKind::TorchPickle:  // without a magic number, only what is certainly something else is refused
      if (importer.kind == FileKind::Unknown) return {};
      break;
    default:
      break;
  }
  return expected_instead(path, importer, kind);
}

/// A word that is no file may be a mistyped subcommand.
Status missing_word(const Arguments& args, const std::string& word, const std::string& path) {
  std::vector<std::string> names;
  for (const CommandSpec* c : args.program().commands) {
    if (c->name[0] != 0) names.emplace_back(c->name);
  }
  const std::vector<std::string>& words = args.list("trace");
  const std::string best = args.command().name[0] == 0 && word == words.front() ? nearest(word, names) : "";
  if (!best.empty() && words.size() > 1) {
    return {Error::InvalidArgument, "unknown command '" + word + "'; did you mean '" + best + "'?"};
  }
  return {Error::AccessFailed,
          path + ": cannot open: no such file" + (best.empty() ? "" : "; did you mean the command '" + best + "'?")};
}

/// Only a store has traces to select.
Status check_selector(const inspector::TraceRef& ref) {
  const FileKind kind = inspector::file_kind(ref.path);
  if (ref.kind == inspector::TraceRef::Kind::Only || kind == FileKind::Store) return {};
  return {Error::InvalidExternalData, ref.path + ": expected a store before '" + ref.text.substr(ref.path.size()) +
                                          "', got " + inspector::file_kind_name(kind)};
}

Status take_options(const Arguments& args, inspector::IngestInputs* in) {
  for (const Importer& i : kOptionImporters) {
    if (!args.given(i.option)) continue;
    std::string& slot = inspector::input_file(*in, i);
    const std::string path = args.text(i.option);
    if (!slot.empty() && inspector::file_kind(path) == FileKind::ETDump && in->dump.empty()) {
      return {Error::InvalidExternalData,
              slot + ": expected an ETDump, got " + i.expected + ", and " + path + " is an ETDump; swap them"};
    }
    if (!slot.empty()) {
      return {Error::InvalidArgument,
              slot + " and " + path + " (--" + i.option + "): two " + i.plural + "; pass one of them"};
    }
    slot = path;
  }
  return {};
}

Status check_input_files(const inspector::IngestInputs& in) {
  for (const Importer& i : inspector::kImporters) {
    const std::string& path = inspector::input_file(in, i);
    if (path.empty()) continue;
    if (const Status status = check_kind(path, i); !status.ok()) return status;
  }
  return {};
}

}  // namespace

Status gather_input_files(const Arguments& args, inspector::SortedFiles* out, std::vector<std::string>* notes) {
  const std::vector<std::string>& words = args.list("trace");
  Status status;
  for (const std::string& word : words) {
    inspector::TraceRef ref;
    status = inspector::parse_trace_ref(word, &ref);
    if (status.ok()) status = read_stream(ref.path);  // pipes first: nobody can look at them twice
    if (status.ok() && inspector::file_kind(ref.path) == FileKind::Missing) status = missing_word(args, word, ref.path);
    if (status.ok()) status = check_selector(ref);
    if (!status.ok()) return status;
  }
  for (const Importer& i : kOptionImporters) {
    if (status.ok()) status = read_stream(args.text(i.option));
  }
  if (status.ok()) status = inspector::sort_files(words, out);
  if (status.ok()) status = inspector::place_others(out, args.given("debug-buffer"));
  if (!status.ok()) return status;
  const auto& in = out->inputs;
  const bool kept = in.dump.empty() && in.record.empty() && in.program.empty();
  if (!out->store.empty() && kept) return {};  // its traces have all that belongs to them
  status = take_options(args, &out->inputs);
  if (status.ok()) status = check_input_files(out->inputs);
  if (!status.ok()) return status;
  inspector::find_neighbours(out, !args.flag("no-neighbours"), notes);
  std::vector<std::string> found;
  for (const Importer& i : inspector::kImporters) {
    if (out->inputs.was_found(i.option)) found.push_back(inspector::input_file(out->inputs, i));
  }
  return check_found_files(args, found);
}

std::string lone_program(const Arguments& args) {
  const std::vector<std::string>& words = args.list("trace");
  if (words.size() != 1) return {};
  for (const Importer& i : kOptionImporters) {
    if (args.given(i.option)) return {};
  }
  if (args.given("store")) return {};
  if (!read_stream(words[0]).ok()) return {};
  const FileKind kind = inspector::file_kind(words[0]);
  return kind == FileKind::Program || kind == FileKind::BundledProgram ? words[0] : "";
}

}  // namespace et::cli
