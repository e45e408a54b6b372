// Which releases of ExecuTorch write which form of an ETRecord (releases.def), and which can have written a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace et::etrecord {

enum class Release : uint8_t {
#define ET_RELEASE(id, name) id,
#include "etrecord/releases.def"
};

enum class Form : uint8_t {
#define ET_FORM(id, first, last, name, what) id,
#include "etrecord/releases.def"
};

struct FormRow {
  Form form;
  Release first, last;
  const char* name;
  const char* what;
};

std::span<const FormRow> forms();  ///< by Form
const char* release_name(Release release);
Release newest_release();

/// The forms that were seen in a file.
class FormSet {
 public:
  void add(Form form) { bits_ |= uint32_t{1} << static_cast<uint32_t>(form); }
  void add(const FormSet& other) { bits_ |= other.bits_; }
  bool has(Form form) const { return (bits_ >> static_cast<uint32_t>(form) & 1) != 0; }

 private:
  uint32_t bits_ = 0;
};

struct ReleaseRange {
  Release first, last;
};
/// The releases that write every form of the set; no value if none does.
std::optional<ReleaseRange> releases_of(const FormSet& seen);
/// "1.0 to 1.1", "1.2", "1.3 or newer".
std::string range_text(const ReleaseRange& range);

}  // namespace et::etrecord
