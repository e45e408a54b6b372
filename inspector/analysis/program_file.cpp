#include "inspector/analysis/program_file.h"

namespace et::inspector {

Status open_program_file(const std::string& path, ProgramFile* out) {
  if (Status s = MappedFile::open(path, &out->file); !s.ok()) return s;
  out->bytes = out->file.bytes();
  out->bundled = bundled::Bundle::is_bundle(out->bytes);
  if (out->bundled) {
    if (const FileError e = bundled::Bundle::open(out->bytes, &out->bundle); !e.ok()) return Status::of_file(path, e);
    out->bytes = out->bundle.program();
  }
  if (const FileError e = format::Program::open(out->bytes, &out->program); !e.ok()) return Status::of_file(path, e);
  return {};
}

}  // namespace et::inspector
