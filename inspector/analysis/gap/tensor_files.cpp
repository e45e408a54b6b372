#include "inspector/analysis/gap/tensor_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "base/mapped_file.h"
#include "base/npy.h"
#include "base/zip_reader.h"

namespace et::inspector {
namespace {

namespace fs = std::filesystem;

/// A member or a file, opened when its elements are read.
struct TensorSource {
  std::string name;  // with ".npy"
  std::string path;  // of a file
};

class TensorFiles {
 public:
  Status open(const std::string& path) {
    path_ = path;
    std::error_code ec;
    if (fs::is_directory(path, ec)) return open_folder();
    if (Status s = MappedFile::open(path, &file_); !s.ok()) return s;
    ZipLimits limits;
    limits.max_inflated_total = uint64_t{64} << 30;
    if (Status s = ZipReader::open(file_.bytes(), path, limits, &zip_); !s.ok()) {
      return {s.code(), s.message() + "; expected a trace, an .npz archive or a folder of .npy files"};
    }
    for (const ZipReader::Member& m : zip_.members()) sources_.push_back({m.name, ""});
    return {};
  }
  const std::vector<TensorSource>& sources() const { return sources_; }
  std::string place(size_t i) const { return path_ + ": " + sources_[i].name; }

  Status read(size_t i, NpyArray* out) {
    std::span<const uint8_t> bytes;
    if (sources_[i].path.empty()) {
      if (Status s = zip_.read(sources_[i].name, &member_, false); !s.ok()) return s;
      bytes = member_.bytes;
    } else {
      if (Status s = MappedFile::open(sources_[i].path, &file_); !s.ok()) return s;
      bytes = file_.bytes();
    }
    return parse_npy(bytes, place(i), std::nullopt, out);
  }

 private:
  Status open_folder() {
    std::error_code ec;
    for (const fs::directory_entry& e : fs::directory_iterator(path_, ec)) {
      if (e.is_regular_file(ec) && e.path().extension() == ".npy")
        sources_.push_back({e.path().filename().string(), e.path().string()});
    }
    if (ec) return {Error::AccessFailed, path_ + ": cannot read the folder: " + ec.message()};
    std::sort(sources_.begin(), sources_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return {};
  }

  std::string path_;
  MappedFile file_;
  ZipReader zip_;
  ZipBytes member_;
  std::vector<TensorSource> sources_;
};

/// The number behind the last `sign`, which is cut off.
int64_t cut_number(char sign, std::string* name) {
  const size_t at = name->rfind(sign);
  if (at == std::string::npos || at == 0 || at + 1 == name->size()) return 0;
  int64_t n = 0;
  const char* const last = name->data() + name->size();
  const auto [end, error] = std::from_chars(name->data() + at + 1, last, n);
  if (error != std::errc() || end != last || n < 0) return 0;
  name->resize(at);
  return n;
}

struct Recorded {
  TensorName name;
  size_t source = 0;
  LoggedValue value;
};

}  // namespace

std::optional<TensorName> parse_tensor_name(std::string name) {
  if (!name.ends_with(".npy")) return std::nullopt;
  name.resize(name.size() - 4);
  TensorName out;
  out.visit = cut_number('@', &name);
  out.output = cut_number('.', &name);
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out.handle);
  if (error != std::errc() || end != name.data() + name.size()) {
    out.handle = -1;
    out.node = std::move(name);
  }
  return out;
}

std::string tensor_name(const std::string& node, int64_t output, int64_t visit) {
  return node + (output > 0 ? "." + std::to_string(output) : "") + (visit > 0 ? "@" + std::to_string(visit) : "");
}

HandleNodes handle_nodes(const Store& store, int64_t trace_id) {
  Statement s = store.query(
      "SELECT debug_handle, name FROM nodes WHERE trace_id = ? AND graph = 'edge' AND debug_handle IS NOT NULL ORDER "
      "BY ordinal");
  s.bind_all(trace_id);
  HandleNodes out;
  while (s.step()) out[s.integer(0)] = s.str(1);
  return out;
}

Status open_tensor_files(const std::string& path, const HandleNodes& handles, GapSide* out) {
  auto files = std::make_shared<TensorFiles>();
  if (Status s = files->open(path); !s.ok()) return s;
  std::vector<Recorded> found;
  for (size_t i = 0; i < files->sources().size(); ++i) {
    const std::optional<TensorName> name = parse_tensor_name(files->sources()[i].name);
    if (!name) continue;
    NpyArray array;
    if (Status s = files->read(i, &array); !s.ok()) return s;
    Recorded r{*name, i, {}};
    r.value.name =
        tensor_name(name->handle >= 0 ? std::to_string(name->handle) : name->node, name->output, name->visit);
    const auto node = handles.find(name->handle);
    r.value.node = node != handles.end() ? node->second : name->handle >= 0 ? "" : name->node;
    r.value.node_output = name->output;
    r.value.dtype = scalar_type_name(array.type);
    r.value.shape = array.sizes;
    found.push_back(std::move(r));
  }
  if (found.empty()) {
    return {Error::NotFound, path + ": no tensor in it; expected .npy arrays named by graph node or debug handle"};
  }
  // Values of a loop in the order in which they were written.
  std::stable_sort(found.begin(), found.end(),
                   [](const Recorded& a, const Recorded& b) { return a.name.visit < b.name.visit; });
  out->name = path;
  std::vector<size_t> sources;
  for (Recorded& r : found) {
    out->values.push_back(std::move(r.value));
    sources.push_back(r.source);
  }
  auto moved = std::make_shared<std::vector<uint8_t>>();
  out->bytes = [files, sources, moved](size_t value, std::span<const uint8_t>* bytes) -> Status {
    NpyArray array;
    if (Status s = files->read(sources[value], &array); !s.ok()) return s;
    *bytes = row_major(array, moved.get());
    return {};
  };
  return {};
}

}  // namespace et::inspector
