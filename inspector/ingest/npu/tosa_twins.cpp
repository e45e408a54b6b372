// The TOSA graphs that Ethos-U payloads were compiled from: they have what the command stream has lost, operators with
// names and data flow. A delegate gets its twin's operators as nodes, so that events and graph nodes are linked as
// those of a TOSA delegate are; facts and commands of the stream stay.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/ingest/import.h"
#include "inspector/ingest/importers.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

struct Twin {
  std::string path;
  DelegateFacts facts;
  std::vector<uint8_t> bytes;
  bool taken = false;
};

const PayloadKind* kind_named(const ImportContext& context, std::string_view name) {
  const auto it = std::find_if(context.payload_kinds.begin(), context.payload_kinds.end(),
                               [&](const PayloadKind& k) { return name == k.name; });
  return it == context.payload_kinds.end() ? nullptr : &*it;
}

Status read_twin(const std::string& path, const PayloadKind& kind, std::vector<Twin>* out) {
  MappedFile file;
  if (const Status s = MappedFile::open(path, &file); !s.ok()) return of_bad_file(s);
  Twin twin;
  twin.path = path;
  twin.bytes.assign(file.bytes().begin(), file.bytes().end());
  // Vela's input is a copy of what the export wrote under another name.
  if (std::any_of(out->begin(), out->end(), [&](const Twin& t) { return t.bytes == twin.bytes; })) return {};
  if (const FileError e = kind.read(file.bytes(), &twin.facts); !e.ok()) return of_bad_file(Status::of_file(path, e));
  out->push_back(std::move(twin));
  return {};
}

Status read_twins(const std::string& path, const PayloadKind& kind, std::vector<Twin>* out) {
  if (file_kind(path) != FileKind::Directory) return read_twin(path, kind, out);
  std::vector<FolderFile> files;
  const std::string folder = path.ends_with('/') ? path : path + "/";
  if (!files_of_folder(folder, &files))
    return {Error::AccessFailed, path + ": more than " + std::to_string(kMostFolderFiles) + " files"};
  for (const FolderFile& f : files) {
    if (f.kind != FileKind::TosaGraph) continue;
    if (const Status s = read_twin(f.path, kind, out); !s.ok()) return s;
  }
  return out->empty() ? Status(Error::InvalidExternalData, path + ": expected TOSA graphs in this folder, got none")
                      : Status();
}

std::string text_of(const std::vector<std::vector<int64_t>>& shapes) {
  std::vector<std::string> texts;
  for (const auto& sizes : shapes) {
    std::string text;
    for (const int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
    texts.push_back(text.empty() ? "1" : text);
  }
  return joined(texts, ", ");
}

std::vector<int64_t> counts(const std::vector<std::vector<int64_t>>& shapes) {
  std::vector<int64_t> out;
  for (const auto& sizes : shapes) {
    int64_t count = 1;
    for (const int64_t size : sizes) {
      if (__builtin_mul_overflow(count, size, &count)) count = -1;
    }
    out.push_back(count);
  }
  return out;
}

/// With the same shapes, else with as many elements: a reshape at the border is of no concern to the device. Of several
/// the order of the names is that of the delegates.
Twin* twin_of(const DelegateFacts& d, std::vector<Twin>* twins) {
  for (const bool shapes : {true, false}) {
    for (Twin& t : *twins) {
      const bool same =
          shapes ? t.facts.inputs == d.inputs && t.facts.outputs == d.outputs
                 : counts(t.facts.inputs) == counts(d.inputs) && counts(t.facts.outputs) == counts(d.outputs);
      if (!t.taken && same) return &t;
    }
  }
  return nullptr;
}

void take(const PayloadKind& kind, Twin* twin, DelegateFacts* d) {
  d->kind = &kind;
  d->readable = true;
  d->nodes = std::move(twin->facts.nodes);
  d->values = std::move(twin->facts.values);
  d->facts.push_back(
      {"twin", "TOSA graph", static_cast<int64_t>(d->nodes.size()), "operators, of " + file_name(twin->path)});
  twin->taken = true;
}

}  // namespace

Status load_tosa_twins(Import& in) {
  const std::string& path = input_file(in.context.inputs, "tosa");
  if (path.empty()) return {};
  const PayloadKind* const kind = kind_named(in.context, "tosa");
  if (kind == nullptr) return {Error::NotSupported, path + ": no reader of TOSA graphs"};
  std::vector<Twin> twins;
  if (const Status s = read_twins(path, *kind, &twins); !s.ok()) return s;
  if (!in.program.loaded()) {
    return {Error::InvalidArgument,
            path + ": expected the program that was compiled from it beside it (--pte), got none"};
  }
  std::vector<std::string> delegates;
  bool any = false;
  for (MethodFacts& method : in.program.methods()) {
    for (DelegateFacts& d : method.delegates) {
      if (d.payload_kind != "vela") continue;
      delegates.push_back(text_of(d.inputs) + " -> " + text_of(d.outputs));
      Twin* const twin = twin_of(d, &twins);
      if (twin == nullptr) continue;
      take(*kind, twin, &d);
      any = true;
    }
  }
  if (any) return {};
  if (delegates.empty())
    return {Error::InvalidExternalData,
            path + ": expected a program with a payload of Vela, got " + in.context.inputs.program + " without one"};
  std::vector<std::string> got;
  for (const Twin& t : twins) got.push_back(text_of(t.facts.inputs) + " -> " + text_of(t.facts.outputs));
  return {Error::InvalidExternalData, path + ": expected a graph with inputs and outputs of a delegate of " +
                                          in.context.inputs.program + " (" + joined(delegates, "; ") + "), got " +
                                          joined(got, "; ")};
}

}  // namespace et::inspector
