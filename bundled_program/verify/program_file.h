// A file with a program and its cases, loaded: what running them needs. Shared by verifying, measuring and explaining.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundled_program/cases/case_source.h"
#include "bundled_program/verify/verdict.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/weights.h"

namespace et::bundled {

class ProgramFile {
 public:
  /// On failure `reason` names file and cause.
  struct Problem {
    Failure failure = Failure::None;
    std::string reason;
    bool ok() const { return failure == Failure::None; }
  };
  /// `sidecar` and `data_files` empty: those beside the file, where the program asks for weights.
  Problem open(const std::string& path, const std::string& sidecar, const std::vector<std::string>& data_files);

  const Program& program() const { return *program_; }
  std::span<const uint8_t> bytes() const { return file_.program(); }
  const CaseSource& cases() const { return file_.cases(); }
  const CaseFile& file() const { return file_; }
  const NamedDataMap* weights() const { return weights_.map(); }
  std::span<const uint8_t> first_data_bytes() const { return weights_.first_file(); }
  /// SHA-256 of the program, worked out when it is first asked for; and the same in hexadecimal.
  const std::array<uint8_t, 32>& digest() const;
  std::string sha256() const;
  /// Names of its methods: "forward, decode".
  std::string method_list() const;

 private:
  CaseFile file_;
  std::optional<BufferDataLoader> loader_;
  std::optional<Program> program_;
  Weights weights_;
  mutable std::optional<std::array<uint8_t, 32>> digest_;
};

}  // namespace et::bundled
