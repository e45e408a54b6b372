#include "gui/core/open_request.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gui/core/text.h"
#include "inspector/ingest/importers.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/ingest/sort_files.h"
#include "inspector/store/file_kind.h"

namespace et::gui {
using inspector::FileKind;

std::vector<std::string> OpenRequest::files() const {
  std::vector<std::string> all;
  if (is_store()) all.push_back(store);
  for (const inspector::Importer& i : inspector::kImporters) {
    const std::string& file = inspector::input_file(inputs, i);
    if (!file.empty() && !inputs.was_found(i.option)) all.push_back(file);
  }
  return all;
}

std::string OpenRequest::title() const {
  std::string text;
  const auto add = [&](const std::string& file) {
    if (!file.empty()) text += (text.empty() ? "" : " + ") + base_name(file);
  };
  add(store);
  for (const inspector::Importer& i : inspector::kImporters) add(inspector::input_file(inputs, i));
  return text;
}

Status classify(const std::vector<std::string>& files, OpenRequest* out, bool neighbours) {
  inspector::SortedFiles sorted;
  if (const Status status = inspector::sort_files(files, &sorted); !status.ok()) return status;
  for (const std::string& file : sorted.others) {
    const FileKind kind = inspector::file_kind(file);
    if (kind != FileKind::Unknown && kind != FileKind::Text) {
      return {Error::InvalidExternalData, file +
                                              ": expected an ETDump or a store, and with an ETDump an ETRecord, a "
                                              "program (.pte) or a debug buffer; got " +
                                              inspector::file_kind_name(kind)};
    }
  }
  if (const Status status = inspector::place_others(&sorted); !status.ok()) return status;
  OpenRequest request;
  if (sorted.store.empty()) inspector::find_neighbours(&sorted, neighbours, &request.notes);
  request.store = sorted.store;
  request.inputs = sorted.inputs;
  if (request.is_store() && request.files().size() > 1) {
    return {Error::InvalidArgument, request.store + ": a store already contains its ETRecord; open it alone"};
  }
  const bool any = std::any_of(std::begin(inspector::kImporters), std::end(inspector::kImporters), [&](const auto& i) {
    return i.alone && !inspector::input_file(std::as_const(request.inputs), i).empty();
  });
  if (!request.is_store() && !any) {
    return {Error::InvalidExternalData, (files.empty() ? std::string("nothing") : files.front()) +
                                            ": nothing to open; expected an ETDump, a store (.db), an ETRecord or a "
                                            "program (.pte)"};
  }
  *out = std::move(request);
  return {};
}

}  // namespace et::gui
