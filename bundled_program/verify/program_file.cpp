#include "bundled_program/verify/program_file.h"

#include <cstring>

#include "base/sha256.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/cases/weights_beside.h"
#include "bundled_program/verify/verify.h"
#include "runtime/module/log_capture.h"

namespace et::bundled {
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
  // Those that the user named, else those beside the program.
  const Status s = weights_.open(data_files.empty() ? weights_beside(path, *program_) : data_files);
  if (!s.ok()) {
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
