#include "cli/file_values.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace et::cli {
namespace {

constexpr const char* kStandardInput = "/dev/stdin";

struct FileId {
  dev_t device;
  ino_t inode;
  bool operator==(const FileId&) const = default;
};

/// Only regular files can be destroyed.
std::optional<FileId> id_of(const std::string& path) {
  struct stat st = {};
  if (::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
  return FileId{st.st_dev, st.st_ino};
}

/// Of `store.db#3`, `x.npy,y.npy` and plain paths.
std::vector<FileId> ids_in(const std::string& value) {
  if (const auto whole = id_of(value)) return {*whole};
  std::vector<FileId> out;
  for (size_t begin = 0; begin < value.size();) {
    const size_t end = std::min(value.find_first_of(",#@", begin), value.size());
    if (const auto id = id_of(value.substr(begin, end - begin))) out.push_back(*id);
    begin = end + 1;
  }
  return out;
}

}  // namespace

Status name_standard_input(const std::vector<FileValue>& files) {
  const FileValue* first = nullptr;
  for (const FileValue& f : files) {
    if (f.written || (*f.value != "-" && *f.value != kStandardInput)) continue;
    if (first != nullptr) {
      return {Error::InvalidArgument,
              f.shown + ": standard input is read as " + first->shown + " already; it can be read once"};
    }
    first = &f;
    *f.value = kStandardInput;
  }
  return {};
}

Status check_outputs(const std::vector<FileValue>& files) {
  for (size_t o = 0; o < files.size(); ++o) {
    if (!files[o].written) continue;
    const auto id = id_of(*files[o].value);
    for (size_t i = 0; i < files.size(); ++i) {
      if (i == o || (files[i].written && i > o)) continue;
      bool same = files[i].written && *files[i].value == *files[o].value && *files[o].value != "-";
      for (const FileId& other : ids_in(*files[i].value)) same = same || id == other;
      if (!same) continue;
      return {Error::InvalidArgument, files[o].shown + ": " + *files[o].value + " is also an " +
                                          (files[i].written ? "output" : "input") + " (" + files[i].shown + ")"};
    }
  }
  return {};
}

}  // namespace et::cli
