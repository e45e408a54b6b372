#include "bundled_program/verify/program_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/sha256.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/verify/verify.h"
#include "runtime/module/log_capture.h"

namespace et::bundled {
namespace {

/// The tensor files to use: those that the user named, else those beside the program, when it asks for one.
Status open_weights(const std::string& path, const Program& program, const std::vector<std::string>& named,
                    Weights* out) {
  bool needed = !named.empty();
  for (uint32_t m = 0; m < program.num_methods() && !needed; ++m) {
    const format::Method method = program.view().method(m);
    for (uint32_t v = 0; v < method.value_count() && !needed; ++v) {
      needed = method.value(v).kind() == format::ValueKind::Tensor && method.value(v).as_tensor().is_external();
    }
    needed = needed || method.delegate_count() > 0;
  }
  if (!needed) return {};
  std::vector<std::string> files = named;
  if (files.empty()) {
    std::error_code ec;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, ec)) {
      if (entry.path().extension() == ".ptd") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
  }
  return out->open(files);
}

}  // namespace

ProgramFile::Problem ProgramFile::open(const std::string& path, const std::string& sidecar,
                                       const std::vector<std::string>& data_files) {
  static_cast<void>(take_errors());
  if (const Status s = CaseFile::open(path, sidecar, &file_); !s.ok()) return {failure_of(s), s.message()};
  const std::span<const uint8_t> bytes = file_.program();
  const bool is_program = bytes.size() >= 8 && std::memcmp(bytes.data() + 4, "ET", 2) == 0;
  if (!file_.is_bundle() && !is_program) {
    return {Failure::Corrupt,
            path + ": neither a bundled program nor a program: file identifier at byte 4: expected BP08 or ET12"};
  }
  loader_.emplace(file_.program().data(), file_.program().size());
  Result<Program> program = Program::load(&*loader_);
  if (!program.ok()) {
    const std::string text = take_errors();
    return {Failure::Corrupt, path + ": " + (text.empty() ? "" : text + " ") + "(" + error_name(program.error()) + ")"};
  }
  program_.emplace(std::move(*program));
  if (const Status s = open_weights(path, *program_, data_files, &weights_); !s.ok()) {
    return {failure_of(s), s.message()};
  }
  return {};
}

const std::array<uint8_t, 32>& ProgramFile::digest() const {
  if (!digest_) digest_ = et::sha256(file_.program());
  return *digest_;
}

std::string ProgramFile::sha256() const { return digest_text(digest()); }

std::string ProgramFile::method_list() const {
  std::string out;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    const Result<const char*> name = program_->get_method_name(i);
    if (name.ok()) out += (out.empty() ? "" : ", ") + std::string(*name);
  }
  return out;
}

}  // namespace et::bundled
