#include "inspector/ingest/neighbours.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/mapped_file.h"
#include "base/sha256.h"
#include "bundled_program/bundle.h"
#include "etdump/reader.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/ingest/importers.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

using Paths = std::vector<std::string>;

uint64_t end_of(const etdump::TensorInfo& info) {
  if (info.offset < 0) return 0;
  uint64_t bytes = element_size(info.dtype);
  for (const int64_t n : info.sizes) {
    if (n < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(n), &bytes)) return 0;
  }
  uint64_t end = 0;
  return __builtin_add_overflow(static_cast<uint64_t>(info.offset), bytes, &end) ? 0 : end;
}

/// SHA-256 of the program that ran; empty when the ETDump does not say it.
std::vector<uint8_t> program_hash_of(const std::string& dump) {
  MappedFile file;
  etdump::Reader reader;
  if (dump.empty() || !MappedFile::open(dump, &file).ok() || !etdump::Reader::open(file.bytes(), &reader).ok())
    return {};
  const etdump::Trailer* trailer = reader.trailer();
  if (trailer == nullptr || !trailer->has_program()) return {};
  const auto hash = trailer->program().sha256;
  return {hash.begin(), hash.end()};
}

/// The debug buffer has at least so many bytes; 0: there are no logged tensors.
uint64_t buffer_bytes_of(const std::string& dump) {
  MappedFile file;
  etdump::Reader reader;
  uint64_t bytes = 0;
  if (dump.empty() || !MappedFile::open(dump, &file).ok() || !etdump::Reader::open(file.bytes(), &reader).ok())
    return 0;
  for (size_t r = 0; r < reader.run_count(); ++r) {
    etdump::Run run;
    if (!reader.run(r, &run)) continue;
    etdump::Event event;
    for (size_t i = 0; i < run.event_count(); ++i) {
      if (!run.event(i, &event) || event.kind != etdump::EventKind::Debug) continue;
      for (size_t t = 0; t < event.value.tensor_count(); ++t) bytes = std::max(bytes, end_of(event.value.tensor(t)));
    }
  }
  return bytes;
}

bool has_hash(const std::string& program, const std::vector<uint8_t>& wanted) {
  MappedFile file;
  if (wanted.size() != 32 || !MappedFile::open(program, &file).ok()) return false;
  std::span<const uint8_t> bytes = file.bytes();
  bundled::Bundle bundle;
  if (bundled::Bundle::is_bundle(bytes)) {
    if (!bundled::Bundle::open(bytes, &bundle).ok()) return false;
    bytes = bundle.program();
  }
  const auto hash = sha256(bytes);
  return std::equal(hash.begin(), hash.end(), wanted.begin());
}

std::string stem_of(const std::string& path) {
  const std::string name = file_name(path);
  return name.substr(0, name.rfind('.'));
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat x = {}, y = {};
  return ::stat(a.c_str(), &x) == 0 && ::stat(b.c_str(), &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/// Chooses the neighbours of one set of files.
class Finder {
 public:
  Finder(IngestInputs* inputs, std::vector<FolderFile> files, std::vector<std::string>* notes)
      : in_(*inputs), files_(std::move(files)), notes_(*notes) {
    for (const Importer& i : kImporters) {
      const std::string& given = input_file(*inputs, i);
      if (!given.empty()) std::erase_if(files_, [&](const FolderFile& f) { return same_file(f.path, given); });
    }
  }

  void run() {
    for (const Importer& i : kImporters) {
      if (i.kind == FileKind::ETDump || !i.beside || !input_file(std::as_const(in_), i).empty()) continue;
      const Paths candidates = i.kind == FileKind::Unknown ? buffers() : of_kind(i);
      if (candidates.empty()) continue;
      const bool all = i.folder && candidates.size() > 1;
      const std::string chosen = all ? folder_prefix(candidates[0]) : choose(candidates, i);
      if (chosen.empty()) continue;
      input_file(in_, i) = chosen;
      in_.found.emplace_back(i.option);
    }
  }

 private:
  Paths paths(FileKind kind) const {
    Paths out;
    for (const FolderFile& f : files_) {
      if (f.kind == kind) out.push_back(f.path);
    }
    return out;
  }

  /// A bundle repeats the program that stands beside it.
  Paths of_kind(const Importer& i) const {
    Paths out = paths(i.kind);
    return out.empty() && i.also != FileKind::Unknown ? paths(i.also) : out;
  }

  /// Nothing marks a debug buffer: only one that is named after its ETDump, or says what it is, and is large enough.
  Paths buffers() const {
    Paths out;
    for (const std::string& path : paths(FileKind::Unknown)) {
      const bool named = stem_of(path) == stem_of(in_.dump) || file_name(path).starts_with("debug");
      if (named && path.ends_with(".bin")) out.push_back(path);
    }
    if (out.empty()) return out;
    const uint64_t needed = buffer_bytes_of(in_.dump);
    std::erase_if(out, [&](const std::string& path) {
      struct stat st = {};
      return needed == 0 || ::stat(path.c_str(), &st) != 0 || static_cast<uint64_t>(st.st_size) < needed;
    });
    return out;
  }

  /// The only one, else the program that the ETDump names, else the one that is named like the ETDump.
  std::string choose(const Paths& candidates, const Importer& i) {
    if (candidates.size() == 1) return candidates[0];
    Paths fitting;
    std::string why;
    const std::vector<uint8_t> hash = i.kind == FileKind::Program ? program_hash_of(in_.dump) : std::vector<uint8_t>();
    if (!hash.empty()) {
      std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(fitting),
                   [&](const std::string& path) { return has_hash(path, hash); });
      if (!fitting.empty()) fitting.resize(1);  // copies of it are as good
      why = " is the program that the ETDump names";
    } else if (!in_.dump.empty()) {
      std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(fitting),
                   [&](const std::string& path) { return stem_of(path) == stem_of(in_.dump); });
      why = " is named like the ETDump";
    }
    const std::string chosen = fitting.size() == 1 ? fitting[0] : "";
    Paths rest;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(rest),
                 [&](const std::string& path) { return path != chosen; });
    if (rest.size() > kMostNamed) {
      const std::string more = "and " + std::to_string(rest.size() - kMostNamed) + " more";
      rest.resize(kMostNamed);
      rest.push_back(more);
    }
    notes_.push_back(joined(rest, ", ") + ": not used: " +
                     (chosen.empty() ? std::to_string(candidates.size()) + " " + i.plural +
                                           " in this folder; pass the right one with --" + i.option
                                     : chosen + why));
    return chosen;
  }

  static constexpr size_t kMostNamed = 4;

  IngestInputs& in_;
  std::vector<FolderFile> files_;
  std::vector<std::string>& notes_;
};

/// The file that the others are looked for beside; "" for none and for pipes.
std::string main_file(const IngestInputs& in) {
  for (const Importer& i : kImporters) {
    const std::string& path = input_file(in, i);
    if (!i.alone || path.empty()) continue;
    struct stat st = {};
    return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) ? path : "";
  }
  return {};
}

}  // namespace

void find_neighbours(SortedFiles* files, bool beside, std::vector<std::string>* notes) {
  if (!files->other_dumps.empty()) {
    const std::string& other = files->other_dumps.front();
    const size_t more = files->other_dumps.size() - 1;
    notes->push_back(files->folder + ": took " + files->inputs.dump + " of " + std::to_string(more + 2) +
                     " ETDumps, not " + other + (more > 0 ? " and " + std::to_string(more) + " more" : ""));
  }
  if (!files->whole_folder && !beside) return;
  std::string prefix = files->folder;
  if (!files->whole_folder) {
    const std::string main = main_file(files->inputs);
    if (main.empty()) return;
    prefix = folder_prefix(main);
  }
  std::vector<FolderFile> there;
  if (!files_of_folder(prefix, &there)) {
    notes->push_back((prefix.empty() ? "this folder" : prefix) + ": more than " + std::to_string(kMostFolderFiles) +
                     " files; not searched for an ETRecord and a program");
    return;
  }
  Finder(&files->inputs, std::move(there), notes).run();
}

std::string found_text(const IngestInputs& in) {
  std::vector<std::string> names;
  for (const std::string& option : in.found) {
    for (const Importer& i : kImporters) {
      if (option == i.option) names.push_back(input_file(in, i));
    }
  }
  if (names.empty()) return {};
  std::string list = names[0];
  for (size_t i = 1; i < names.size(); ++i) list += (i + 1 == names.size() ? " and " : ", ") + names[i];
  for (const Importer& i : kImporters) {
    const std::string& path = input_file(in, i);
    const bool given = std::find(in.found.begin(), in.found.end(), i.option) == in.found.end();
    if (i.alone && given && !path.empty()) return path + ": read with " + list + ", found beside it";
  }
  return "found " + list;
}

Status ingest_found(Store& store, IngestInputs* inputs, const Progress& progress, IngestResult* result,
                    std::vector<std::string>* notes) {
  while (true) {
    const Status status = ingest(store, *inputs, progress, result);
    if (status.ok() || result->foreign.empty()) return status;
    for (const auto& [option, cause] : result->foreign) {
      for (const Importer& i : kImporters) {
        if (option != i.option) continue;
        std::string& path = input_file(*inputs, i);
        notes->push_back(path + ": not used: " + cause);
        inputs->left_out[option] = notes->back();
        path.clear();
      }
      std::erase(inputs->found, option);
    }
    result->foreign.clear();
  }
}

}  // namespace et::inspector
