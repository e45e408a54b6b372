#include "cli/input_files.h"

#include <string>

#include "inspector/store/file_kind.h"

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

}  // namespace

void take_input_files(const Arguments& args, const std::string& dump, inspector::IngestInputs* out) {
  inspector::input_file(*out, inspector::kImporters[0]) = dump;
  for (const Importer& i : kOptionImporters) inspector::input_file(*out, i) = args.text(i.option);
}

Status check_input_files(const inspector::IngestInputs& in) {
  if (!in.record.empty() && inspector::file_kind(in.record) == FileKind::ETDump &&
      inspector::file_kind(in.dump) == FileKind::ETRecord) {
    return {Error::InvalidExternalData,
            in.dump + ": expected an ETDump, got an ETRecord, and " + in.record + " is an ETDump; swap them"};
  }
  for (const Importer& i : inspector::kImporters) {
    const std::string& path = inspector::input_file(in, i);
    if (path.empty()) continue;
    if (const Status status = check_kind(path, i); !status.ok()) return status;
  }
  return {};
}

}  // namespace et::cli
