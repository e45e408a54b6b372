#include "bundled_program/write/case_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/write_file.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/write/sidecar_members.h"
#include "bundled_program/write/sidecar_writer.h"

namespace et::bundled {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgramFile = "program.pte";

Status cannot_write(const fs::path& path, const std::string& why) {
  return {Error::AccessFailed, path.string() + ": cannot be written: " + why};
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Status write_arrays(const fs::path& folder, std::span<const uint8_t> program, const CaseSource& cases) {
  SidecarList list;
  if (Status s = list_members(program, cases, &list); !s.ok()) return s;
  if (Status s = et::write_file((folder / kSidecarMeta).string(), {bytes_of(list.meta)}); !s.ok()) return s;
  LoadedCase test;
  const SidecarMember* last = nullptr;
  for (const SidecarMember& m : list.members) {
    const fs::path path = folder / m.name;
    if (last == nullptr || last->suite != m.suite || last->test_case != m.test_case) {
      if (Status s = cases.load(m.suite, m.test_case, &test); !s.ok()) return s;
      std::error_code ec;
      fs::create_directories(path.parent_path(), ec);
      if (ec) return cannot_write(path.parent_path(), ec.message());
    }
    last = &m;
    const ArrayBytes bytes = array_bytes(m.value(test));
    if (Status s = et::write_file(path.string(), {bytes_of(bytes.header), bytes.data}); !s.ok()) return s;
  }
  return {};
}

}  // namespace

Status write_case_folder(const std::string& folder, std::span<const uint8_t> program, const CaseSource& cases,
                         const FolderOptions& options) {
  fs::path target = fs::path(folder).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // "out/"
  std::error_code ec;
  if (fs::exists(target, ec) && (!fs::is_directory(target, ec) || !fs::is_empty(target, ec))) {
    return {Error::InvalidArgument, folder + ": already exists; expected a new or an empty folder"};
  }
  std::string temporary = target.string() + ".XXXXXX";
  if (::mkdtemp(temporary.data()) == nullptr) return cannot_write(target, std::strerror(errno));
  const fs::path work = temporary;
  Status status = et::write_file((work / kProgramFile).string(), {program});
  if (status.ok()) {
    status = options.sidecar ? write_sidecar(sidecar_path((work / kProgramFile).string()), program, cases)
                             : write_arrays(work, program, cases);
  }
  if (status.ok()) {
    fs::permissions(work,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                        fs::perms::others_exec,
                    ec);
    fs::rename(work, target, ec);
    if (ec) status = cannot_write(target, ec.message());
  }
  if (!status.ok()) fs::remove_all(work, ec);
  return status;
}

}  // namespace et::bundled
