#include "bundled_program/cases/weights_beside.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace et::bundled {
namespace {

bool has_external(const format::Method& method) {
  for (uint32_t v = 0; v < method.value_count(); ++v) {
    if (method.value(v).kind() == format::ValueKind::Tensor && method.value(v).as_tensor().is_external()) return true;
  }
  return false;
}

bool is_tensor_file(const std::filesystem::path& path) {
  char head[8] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(head, sizeof head) && head[4] == 'F' && head[5] == 'T';
}

}  // namespace

bool has_external_tensors(const Program& program) {
  for (uint32_t m = 0; m < program.num_methods(); ++m) {
    if (has_external(program.view().method(m))) return true;
  }
  return false;
}

std::vector<std::string> weights_beside(const std::string& program_path, const Program& program) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code ec;
  if (!fs::is_regular_file(program_path, ec)) return files;  // nothing is beside a pipe
  bool delegates = false;
  for (uint32_t m = 0; m < program.num_methods(); ++m) delegates |= program.view().method(m).delegate_count() > 0;
  if (!delegates && !has_external_tensors(program)) return files;
  const fs::path folder = fs::path(program_path).parent_path();
  for (fs::directory_iterator it(folder.empty() ? "." : folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() != ".ptd" || !it->is_regular_file(ec) || !is_tensor_file(it->path())) continue;
    files.push_back(folder.empty() ? it->path().filename().string() : it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace et::bundled
