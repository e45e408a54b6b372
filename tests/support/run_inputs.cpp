#include "tests/support/run_inputs.h"

#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/zip_reader.h"
#include "base/zip_writer.h"

namespace et::test {

void write_zeros(const std::string& path, const std::string& shape, size_t elements) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  const std::string_view magic("\x93NUMPY\x01\x00v\x00", 10);
  std::ofstream(path, std::ios::binary) << magic << header << '\n' << std::string(elements * sizeof(float), '\0');
}

bool write_record_without_inputs(const std::string& from, const std::string& to) {
  MappedFile file;
  ZipReader reader;
  ZipWriter writer;
  if (!MappedFile::open(from, &file).ok() || !ZipReader::open(file.bytes(), from, {}, &reader).ok() ||
      !writer.create(to).ok())
    return false;
  std::vector<std::unique_ptr<ZipBytes>> kept;
  for (const ZipReader::Member& m : reader.members()) {
    if (m.name == "representative_inputs" || m.name == "reference_outputs") continue;
    kept.push_back(std::make_unique<ZipBytes>());
    if (!reader.read(m.name, kept.back().get()).ok() || !writer.add(m.name, kept.back()->bytes, false).ok())
      return false;
  }
  return writer.close().ok();
}

}  // namespace et::test
