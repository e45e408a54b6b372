#include "inspector/ingest/sort_files.h"

#include <algorithm>

#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/ingest/importers.h"
#include "inspector/store/trace_ref.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr size_t kMostListed = 20;
constexpr const char* kUsualDump = "etdump.etdp";  // as upstream's runner names it unless told otherwise

Status take_word(std::string* slot, const std::string& file, const char* plural) {
  if (!slot->empty()) {
    return {Error::InvalidArgument, *slot + " and " + file + ": two " + plural + "; pass one of them"};
  }
  *slot = file;
  return {};
}

std::vector<std::string> paths_of(const std::vector<FolderFile>& files, FileKind kind) {
  std::vector<std::string> out;
  for (const FolderFile& f : files) {
    if (f.kind == kind) out.push_back(f.path);
  }
  return out;
}

/// "  runs/a.etdp  2.0 KiB, 5 runs".
std::string dump_line(const std::string& path) {
  MappedFile file;
  std::string text = "\n  " + path;
  if (!MappedFile::open(path, &file).ok()) return text;
  text += "  " + format_bytes(static_cast<int64_t>(file.bytes().size()));
  etdump::Reader reader;
  if (etdump::Reader::open(file.bytes(), &reader).ok()) {
    text += ", " + plural(static_cast<int64_t>(reader.run_count()), "run");
  }
  return text;
}

Status several(const std::string& folder, const std::vector<std::string>& paths, const char* plural,
               std::string (*line)(const std::string& path)) {
  std::string text = folder + ": " + std::to_string(paths.size()) + " " + plural + "; open one of them:";
  for (size_t i = 0; i < std::min(paths.size(), kMostListed); ++i) text += line(paths[i]);
  if (paths.size() > kMostListed) text += "\n  and " + std::to_string(paths.size() - kMostListed) + " more";
  return {Error::InvalidArgument, text};
}

/// `folder` as it was given; what is beside the ETDump is found later.
Status take_folder(const std::string& folder, SortedFiles* out) {
  std::vector<FolderFile> files;
  if (!files_of_folder(out->folder, &files)) {
    return {Error::AccessFailed, folder + ": more than " + std::to_string(kMostFolderFiles) +
                                     " files; pass those of one run, or a folder that has only these"};
  }
  if (!out->inputs.dump.empty() || !out->store.empty()) return {};
  std::vector<std::string> dumps = paths_of(files, FileKind::ETDump);
  if (dumps.size() > 1) {
    const auto usual = std::find(dumps.begin(), dumps.end(), out->folder + kUsualDump);
    if (usual == dumps.end()) return several(folder, dumps, "ETDumps", dump_line);
    std::iter_swap(dumps.begin(), usual);
    out->other_dumps.assign(dumps.begin() + 1, dumps.end());
    dumps.resize(1);
  }
  if (dumps.size() == 1) {
    out->inputs.dump = dumps[0];
    return {};
  }
  const auto model = [](const FolderFile& f) {
    const Importer* i = importer_of(f.kind);
    return i != nullptr && i->alone;
  };
  if (std::any_of(files.begin(), files.end(), model)) return {};
  const std::vector<std::string> stores = paths_of(files, FileKind::Store);
  if (stores.size() > 1) {
    return several(folder, stores, "stores", [](const std::string& path) { return "\n  " + path; });
  }
  if (stores.empty()) {
    return {Error::AccessFailed, folder +
                                     ": expected a folder with an ETDump, an ETRecord, a program or a store, got " +
                                     (files.empty() ? "one without files" : "none of them in it")};
  }
  out->store = stores[0];
  return {};
}

}  // namespace

Status sort_files(const std::vector<std::string>& words, SortedFiles* out) {
  std::string folder;
  for (const std::string& word : words) {
    TraceRef ref;
    Status status = parse_trace_ref(word, &ref);
    if (!status.ok()) return status;
    const FileKind kind = file_kind(ref.path);
    const Importer* importer = importer_of(kind);
    if (kind == FileKind::Missing) {
      status = {Error::NotFound, ref.path + ": no such file"};
    } else if (kind == FileKind::Directory) {
      status = take_word(&folder, word, "folders");
    } else if (kind == FileKind::Store) {
      status = take_word(&out->store, word, "stores");
    } else if (importer != nullptr && kind != FileKind::Unknown) {
      status = take_word(&input_file(out->inputs, *importer), word, importer->plural);
    } else {
      out->others.push_back(word);
    }
    if (!status.ok()) return status;
  }
  if (folder.empty()) return {};
  out->whole_folder = true;
  out->folder = folder.ends_with('/') ? folder : folder + "/";
  return take_folder(folder, out);
}

Status place_others(SortedFiles* files, bool buffer_given) {
  IngestInputs& in = files->inputs;
  // Beside a model they might be anything: what is certainly no ETDump is said to be so.
  for (const std::string& path : files->others) {
    const FileKind kind = file_kind(path);
    if (in.dump.empty()) {
      in.dump = path;
    } else if (kind == FileKind::Unknown && in.debug_buffer.empty() && !buffer_given) {
      in.debug_buffer = path;
    } else {
      return {Error::InvalidExternalData,
              path + ": expected an ETDump, an ETRecord, a program or a store, got " + file_kind_name(kind)};
    }
  }
  return {};
}

}  // namespace et::inspector
