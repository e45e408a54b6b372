// Test cases of a program, wherever they stand: in a bundled program (.bpte), in the side-car beside a program
// (model.cases.npz), or in both. A case is loaded when it is asked for, one at a time: those of a large model do not
// fit into memory together. For the desktop side; a device reads bundles with bundle.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"
#include "bundled_program/bundle.h"

namespace et::bundled {

/// The values of one case. Tensors are views: into the source's file, or into memory that `owners` keeps.
struct LoadedCase {
  std::vector<Value> inputs;
  std::vector<Value> expected;  // empty: the case says nothing about its outputs
  std::vector<std::shared_ptr<const void>> owners;
};

class CaseSource {
 public:
  virtual ~CaseSource() = default;

  /// Suites, one for each method that has cases.
  virtual size_t suite_count() const = 0;
  virtual std::string_view method(size_t suite) const = 0;
  virtual size_t case_count(size_t suite) const = 0;
  /// What a message calls the case: "model.bpte: forward case 0".
  virtual std::string place(size_t suite, size_t index) const = 0;
  /// The values live as long as the source and `out`. Errors, with place() in the message: InvalidArgument (no such
  /// suite or case), InvalidExternalData, OutOfResources (the side-car is damaged, or would inflate without bounds).
  virtual Status load(size_t suite, size_t index, LoadedCase* out) const = 0;

  std::optional<size_t> find(std::string_view method) const;
  size_t total() const;
};

/// The cases of a bundle. `bundle` must outlive the source; `path` is for messages.
std::unique_ptr<CaseSource> bundle_cases(const Bundle& bundle, std::string path);

/// Those of `first`, then those of `second`: a method that both have keeps counting. Either may be null.
std::unique_ptr<CaseSource> joined_cases(std::unique_ptr<CaseSource> first, std::unique_ptr<CaseSource> second);

/// A program file with its cases: a bundle (.bpte) or a plain program (.pte), and the side-car if there is one.
class CaseFile {
 public:
  CaseFile();
  ~CaseFile();
  CaseFile(CaseFile&&) noexcept;
  CaseFile& operator=(CaseFile&&) noexcept;

  /// `sidecar` empty: the file that sidecar_path() names, if it is there. The program inside is not verified.
  /// Errors: those of MappedFile, InvalidProgram (a damaged bundle), InvalidExternalData (a damaged side-car, or one
  /// that was made for another program).
  static Status open(const std::string& path, const std::string& sidecar, CaseFile* out);

  const std::string& path() const;
  /// The program's bytes, a whole .pte file, aligned to 16.
  std::span<const uint8_t> program() const;
  bool is_bundle() const;
  /// Path of the side-car that is used, or empty.
  const std::string& sidecar() const;
  /// Those of the bundle, then those of the side-car. Never null; without any cases it has no suites.
  const CaseSource& cases() const;
  /// Only those inside the bundle, only those of the side-car.
  const CaseSource& bundle_cases() const;
  const CaseSource& sidecar_cases() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// "model.bpte" or "model.pte" → "model.cases.npz".
std::string sidecar_path(const std::string& program_path);

}  // namespace et::bundled
