#include "inspector/report/dataset/parquet_plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace et::inspector {
namespace {

constexpr const char* kName = "et_parquet.so";
constexpr const char* kPyarrow = "pyarrow==26.0.1";

// fleet/parquet/parquet_writer.cpp
using WriteFunction = int (*)(const char* path, ArrowArrayStream* stream, const char* const* metadata,
                              const char* const* lists, int64_t row_group_rows, char* error, size_t error_size);

std::vector<const char*> words_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<const char*> out;
  for (const auto& [key, value] : pairs) {
    out.push_back(key.c_str());
    out.push_back(value.c_str());
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace

Status load_parquet_writer(const std::string& program_folder, DatasetWriter* out) {
  std::vector<std::string> places;
  if (const char* given = std::getenv("ET_INSPECT_PARQUET"); given != nullptr && *given != '\0') {
    places.emplace_back(given);
  } else {
    places = {program_folder + "/" + kName, program_folder + "/../lib/et_inspect/" + kName, kName};
  }
  void* library = nullptr;
  std::string problem;
  for (const std::string& place : places) {
    library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    // Of the places, the one where there is a file says most.
    const std::string text = ::dlerror();
    if (problem.empty() || text.find("cannot open shared object file") == std::string::npos ||
        text.find("libarrow") != std::string::npos || text.find("libparquet") != std::string::npos)
      problem = text;
  }
  auto write = library == nullptr ? nullptr : reinterpret_cast<WriteFunction>(::dlsym(library, "et_parquet_write_1"));
  if (write == nullptr) {
    return {Error::NotFound, "parquet: the writer needs Arrow's C++ library, which is not there (" +
                                 (library == nullptr ? problem : std::string(::dlerror())) +
                                 "); python3 -m pip install " + kPyarrow +
                                 ", then build et_parquet with -DET_PYARROW=<its folder>; or with the Python package: "
                                 "python3 -m et_inspect.fleet export"};
  }
  *out = [write](const DatasetFile& file, ArrowArrayStream* stream) -> Status {
    char error[1024] = "";
    if (write(file.path.c_str(), stream, words_of(file.metadata).data(), words_of(file.lists).data(),
              file.row_group_rows, error, sizeof error) == 0)
      return {};
    return {Error::AccessFailed, file.path + ": cannot write: " + error};
  };
  return {};
}

}  // namespace et::inspector
