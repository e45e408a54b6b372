#include "cli/program_argument.h"

#include <filesystem>
#include <vector>

#include "inspector/ingest/neighbours.h"
#include "inspector/ingest/sort_files.h"

namespace et::cli {

Status program_of(const std::string& word, std::string* path) {
  std::error_code ec;
  *path = word;
  if (!std::filesystem::is_directory(word, ec)) return {};
  inspector::SortedFiles files;
  std::vector<std::string> notes;
  files.folder = word.ends_with('/') ? word : word + "/";
  files.whole_folder = true;
  inspector::find_neighbours(&files, false, &notes);
  *path = files.inputs.program;
  if (!path->empty()) return {};
  std::string message = word + ": expected a folder with one program (.pte or .bpte)";
  for (const std::string& note : notes) message += "\n" + note;
  return {Error::InvalidArgument, message};
}

}  // namespace et::cli
