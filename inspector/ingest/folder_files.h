// The files of one folder, by what is in them: where the rest of a run is looked for.
#pragma once

#include <string>
#include <vector>

#include "inspector/store/file_kind.h"

namespace et::inspector {

struct FolderFile {
  std::string path;  // the folder's as it was given, then the name
  FileKind kind = FileKind::Unknown;
};

/// At most so many files are looked at: a folder of downloads must not cost seconds.
inline constexpr size_t kMostFolderFiles = 2000;

/// What stands before the names of the files beside `path`: "runs/" of "runs/etdump.etdp", "" of "etdump.etdp".
std::string folder_prefix(const std::string& path);
std::string file_name(const std::string& path);

/// Regular files by name, without those of subfolders and hidden ones. `prefix` as of folder_prefix(). False: there are
/// more than kMostFolderFiles, and none was looked at.
bool files_of_folder(const std::string& prefix, std::vector<FolderFile>* out);

}  // namespace et::inspector
