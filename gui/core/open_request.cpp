#include "gui/core/open_request.h"

#include "gui/core/text.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {
namespace {

using inspector::FileKind;

Status take(std::string* slot, const std::string& file, const char* kind) {
  if (!slot->empty()) return {Error::InvalidArgument, file + " and " + *slot + ": expected one " + kind + ", got two"};
  *slot = file;
  return {};
}

}  // namespace

std::vector<std::string> OpenRequest::files() const {
  std::vector<std::string> all;
  for (const std::string* file : {&trace, &record, &program, &debug_buffer}) {
    if (!file->empty()) all.push_back(*file);
  }
  return all;
}

std::string OpenRequest::title() const {
  std::string text;
  for (const std::string& file : files()) text += (text.empty() ? "" : " + ") + base_name(file);
  return text;
}

Status classify(const std::vector<std::string>& files, OpenRequest* out) {
  OpenRequest request;
  for (const std::string& file : files) {
    inspector::TraceRef ref;
    Status status = inspector::parse_trace_ref(file, &ref);
    if (!status.ok()) return status;
    const FileKind kind = inspector::file_kind(ref.path);
    switch (kind) {
      case FileKind::Store:
        status = take(&request.trace, file, "trace");
        request.is_store = true;
        break;
      case FileKind::ETDump:
        status = take(&request.trace, file, "trace");
        break;
      case FileKind::ETRecord:
        status = take(&request.record, file, "ETRecords");
        break;
      case FileKind::Program:
      case FileKind::BundledProgram:
        status = take(&request.program, file, "programs");
        break;
      case FileKind::Missing:
        return {Error::NotFound, ref.path + ": no such file"};
      case FileKind::Unknown:
        // A debug buffer is raw tensor data without a magic number.
        status = take(&request.debug_buffer, file, "file of unknown type (taken as a debug buffer)");
        break;
      default:
        return {Error::InvalidArgument, file + ": " + inspector::file_kind_name(kind) +
                                            " cannot be opened here; expected an ETDump or a store, and with an ETDump "
                                            "an ETRecord, a program (.pte) or a debug buffer"};
    }
    if (!status.ok()) return status;
  }
  if (request.trace.empty() && (!request.debug_buffer.empty() || request.files().empty())) {
    return {Error::InvalidArgument,
            (files.empty() ? std::string("nothing") : request.debug_buffer) +
                ": nothing to open; expected an ETDump, a store (.db), an ETRecord or a program (.pte)"};
  }
  if (request.is_store && request.files().size() > 1) {
    return {Error::InvalidArgument, request.trace + ": a store already contains its ETRecord; open it alone"};
  }
  *out = std::move(request);
  return {};
}

}  // namespace et::gui
