#include "cli/file_values.h"

namespace et::cli {
namespace {

constexpr const char* kStandardInput = "/dev/stdin";

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

}  // namespace et::cli
