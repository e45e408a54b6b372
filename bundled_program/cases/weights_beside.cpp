#include "bundled_program/cases/weights_beside.h"

#include <algorithm>
#include <filesystem>

namespace et::bundled {
namespace {

bool may_need_weights(const Program& program) {
  for (uint32_t m = 0; m < program.num_methods(); ++m) {
    const format::Method method = program.view().method(m);
    if (method.delegate_count() > 0) return true;
    for (uint32_t v = 0; v < method.value_count(); ++v) {
      if (method.value(v).kind() == format::ValueKind::Tensor && method.value(v).as_tensor().is_external()) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> weights_beside(const std::string& path, const Program& program) {
  std::vector<std::string> files;
  if (!may_need_weights(program)) return files;
  std::error_code ec;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, ec)) {
    if (entry.path().extension() == ".ptd") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace et::bundled
