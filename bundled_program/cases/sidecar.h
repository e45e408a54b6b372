// Reader of side-cars (sidecar_format.h). Nothing in the file is trusted: members are inflated within limits, one case
// at a time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bundled_program/cases/case_source.h"

namespace et::bundled {

/// Bytes that the compressed members of one case may inflate to; stored ones are not limited.
inline constexpr uint64_t kMaxInflatedBytes = uint64_t{2} << 30;

class SidecarCases : public CaseSource {
 public:
  SidecarCases();
  ~SidecarCases() override;

  /// Reads the directory and meta.json. `file` must outlive the source; `path` is for messages.
  /// Errors: InvalidExternalData (no zip, no meta.json or another format, members that are no values or leave gaps),
  /// OutOfResources (too many members).
  static Status open(std::span<const uint8_t> file, const std::string& path, std::unique_ptr<SidecarCases>* out);

  /// The same members unpacked in a folder, as `et-check extract` leaves them; files that are no .npy are ignored.
  static Status open_folder(const std::string& path, std::unique_ptr<SidecarCases>* out);

  /// As meta.json has it: 64 hexadecimal digits.
  const std::string& program_digest() const;

  size_t suite_count() const override;
  std::string_view method(size_t suite) const override;
  size_t case_count(size_t suite) const override;
  std::string place(size_t suite, size_t index) const override;
  /// Not from two threads at once.
  Status load(size_t suite, size_t index, LoadedCase* out) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace et::bundled
