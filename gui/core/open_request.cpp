#include "gui/core/open_request.h"

#include <algorithm>
#include <iterator>

#include "gui/core/text.h"
#include "inspector/ingest/importers.h"
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
  if (is_store()) all.push_back(store);
  for (const inspector::Importer& i : inspector::kImporters) {
    const std::string& file = inspector::input_file(inputs, i);
    if (!file.empty()) all.push_back(file);
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
    const inspector::Importer* importer = inspector::importer_of(kind);
    if (kind == FileKind::Store) {
      status = take(&request.store, file, "traces to open");
    } else if (kind == FileKind::Missing) {
      return {Error::NotFound, ref.path + ": no such file"};
    } else if (importer != nullptr) {
      status = take(&inspector::input_file(request.inputs, *importer), file, importer->plural);
    } else {
      return {Error::InvalidArgument, file +
                                          ": expected an ETDump or a store, and with an ETDump an ETRecord, a "
                                          "program (.pte) or a debug buffer; got " +
                                          inspector::file_kind_name(kind)};
    }
    if (!status.ok()) return status;
  }
  if (request.is_store() && request.files().size() > 1) {
    return {Error::InvalidArgument, request.store + ": a store already contains its ETRecord; open it alone"};
  }
  const bool any = std::any_of(std::begin(inspector::kImporters), std::end(inspector::kImporters), [&](const auto& i) {
    return i.alone && !inspector::input_file(request.inputs, i).empty();
  });
  if (!request.is_store() && !any) {
    return {Error::InvalidArgument, (files.empty() ? std::string("nothing") : files.front()) +
                                        ": nothing to open; expected an ETDump, a store (.db), an ETRecord or a "
                                        "program (.pte)"};
  }
  *out = std::move(request);
  return {};
}

}  // namespace et::gui
