#include "bundled_program/cases/weights_beside.h"

#include <algorithm>
#include <filesystem>

namespace et::bundled {

bool has_external_tensors(const Program& program) {
  for (uint32_t m = 0; m < program.num_methods(); ++m) {
    const format::Method method = program.view().method(m);
    for (uint32_t v = 0; v < method.value_count(); ++v) {
      if (method.value(v).kind() == format::ValueKind::Tensor && method.value(v).as_tensor().is_external()) return true;
    }
  }
  return false;
}

std::vector<std::string> weights_beside(const std::string& path, const Program& program) {
  std::vector<std::string> files;
  bool delegates = false;  // may have theirs there, which the program does not say
  for (uint32_t m = 0; m < program.num_methods(); ++m) delegates |= program.view().method(m).delegate_count() > 0;
  if (!delegates && !has_external_tensors(program)) return files;
  std::error_code ec;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, ec)) {
    if (entry.path().extension() == ".ptd") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace et::bundled
