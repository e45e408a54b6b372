// Opens a program: identifier, extended header, places of the segments. What the tables inside say is checked in
// program_verify.cpp.
#include "runtime/format/program.h"

#include "program_generated.h"
#include "runtime/format/flat.h"
#include "runtime/format/program_verify.h"

namespace et::format {

namespace {

constexpr uint64_t kIdentifierAt = 4;
constexpr uint64_t kHeaderAt = 8;
constexpr uint32_t kMinHeader = 24;   // up to the segment base
constexpr uint32_t kFullHeader = 32;  // with the size of the segment data

FileError invalid(uint64_t offset, const char* field, const char* expected, int64_t index = -1) {
  return failure(Error::InvalidProgram, offset, field, expected, index);
}

FileError check_identifier(Span<const uint8_t> file) {
  const char* id = reinterpret_cast<const char*>(file.data()) + kIdentifierAt;
  if (std::memcmp(id, "ET12", 4) == 0) return FileError::none();
  if (std::memcmp(id, "ET", 2) == 0) {
    return invalid(kIdentifierAt, "file identifier", "ET12 (this program has another version of the format)");
  }
  return invalid(kIdentifierAt, "file identifier", "ET12 (this is not a program file)");
}

FileError read_header(Span<const uint8_t> file, ProgramHeader* out) {
  *out = {};
  if (file.size() < kHeaderAt + 8 || std::memcmp(file.data() + kHeaderAt, "eh00", 4) != 0) {
    out->program_size = file.size();
    return FileError::none();
  }
  out->present = true;
  out->length = read<uint32_t>(file, 12);
  if (out->length < kMinHeader) return invalid(12, "extended header length", "at least 24 bytes");
  if (!inside(kHeaderAt, out->length, file.size()))
    return invalid(12, "extended header length", "a header inside the file");
  out->program_size = read<uint64_t>(file, 16);
  out->segment_base_offset = read<uint64_t>(file, 24);
  if (out->length >= kFullHeader) out->segment_data_size = read<uint64_t>(file, 32);

  if (out->program_size < kHeaderAt + out->length || out->program_size > file.size()) {
    return invalid(16, "extended header program_size", "a size between that of the header and that of the file");
  }
  if (out->segment_base_offset != 0 && out->segment_base_offset < out->program_size) {
    return invalid(24, "extended header segment_base_offset", "an offset after the flatbuffer, or 0");
  }
  if (out->segment_base_offset > file.size()) {
    return invalid(24, "extended header segment_base_offset", "an offset inside the file");
  }
  if (out->segment_data_size != 0 && out->segment_base_offset == 0) {
    return invalid(24, "extended header segment_base_offset", "an offset, because there is segment data");
  }
  if (!inside(out->segment_base_offset, out->segment_data_size, file.size())) {
    return invalid(32, "extended header segment_data_size",
                   "segments that end inside the file (is the file truncated?)");
  }
  return FileError::none();
}

FileError check_segments(const ProgramSource& source, const ProgramHeader& header) {
  const auto* segments = source.root->segments();
  for (uint32_t i = 0; i < count_of(segments); ++i) {
    const auto* s = segments->Get(i);
    if (s->size() == 0 && header.segment_base_offset == 0) continue;  // the constant segment of a program without data
    const uint64_t at = source.offset_of(s);
    if (header.segment_base_offset == 0) {
      return invalid(at, "Program.segments", "no segment data, because the header gives no segment base", i);
    }
    const uint64_t area =
        header.segment_data_size != 0 ? header.segment_data_size : source.file.size() - header.segment_base_offset;
    if (!inside(s->offset(), s->size(), area)) {
      return invalid(at, "Program.segments", "an offset and size inside the segment data", i);
    }
  }
  return FileError::none();
}

}  // namespace

uint32_t ProgramSource::segment_count() const { return root == nullptr ? 0 : count_of(root->segments()); }

Span<const uint8_t> ProgramSource::segment(uint32_t index) const {
  const auto* s = root == nullptr ? nullptr : element(root->segments(), index);
  if (s == nullptr || s->size() == 0) return {};
  return file.subspan(static_cast<size_t>(segment_base + s->offset()), static_cast<size_t>(s->size()));
}

FileError Program::open(Span<const uint8_t> file, Program* out) {
  *out = Program();
  if (file.size() < kHeaderAt) return invalid(0, "file", "a program of at least 8 bytes");
  if (!aligned(file.data(), kProgramAlignment)) {
    return failure(Error::InvalidArgument, 0, "buffer", "a start address that is a multiple of 8");
  }
  if (FileError e = check_identifier(file); !e.ok()) return e;
  Program program;
  if (FileError e = read_header(file, &program.header_); !e.ok()) return e;

  const size_t flat_size = static_cast<size_t>(program.header_.program_size);
  if (!fits_flatbuffer(flat_size)) return invalid(0, "Program", "a flatbuffer below 2 GiB");
  flatbuffers::Verifier verifier(file.data(), flat_size, verifier_options(flat_size));
  if (!verifier.VerifyBuffer<pte_fb::Program>(nullptr)) {
    return invalid(0, "Program", "a valid flatbuffer (a table, vector or string is out of bounds or nested too deep)");
  }
  program.source_.file = file;
  program.source_.root = flatbuffers::GetRoot<pte_fb::Program>(file.data());
  program.source_.segment_base = program.header_.segment_base_offset;
  if (FileError e = check_segments(program.source_, program.header_); !e.ok()) return e;
  if (FileError e = verify_program(program.source_, flat_size); !e.ok()) return e;
  *out = program;
  return FileError::none();
}

uint32_t Program::version() const { return valid() ? source_.root->version() : 0; }

uint32_t Program::method_count() const { return valid() ? count_of(source_.root->execution_plan()) : 0; }

Method Program::method(uint32_t i) const {
  return valid() ? Method(source_, element(source_.root->execution_plan(), i)) : Method();
}

Method Program::method(std::string_view name) const {
  for (uint32_t i = 0; i < method_count(); ++i) {
    if (method(i).name() == name) return method(i);
  }
  return {};
}

Segment Program::segment(uint32_t i) const {
  const auto* s = valid() ? element(source_.root->segments(), i) : nullptr;
  if (s == nullptr) return {};
  return {s->offset(), s->size(), source_.segment_base + s->offset(), source_.segment(i)};
}

uint32_t Program::named_data_count() const { return valid() ? count_of(source_.root->named_data()) : 0; }

NamedData Program::named_data(uint32_t i) const {
  const auto* n = valid() ? element(source_.root->named_data(), i) : nullptr;
  if (n == nullptr) return {};
  return {view(n->key()), n->segment_index(), source_.segment(n->segment_index())};
}

int64_t Program::constant_segment_index() const {
  const auto* c = valid() ? source_.root->constant_segment() : nullptr;
  return c != nullptr && count_of(c->offsets()) > 1 ? static_cast<int64_t>(c->segment_index()) : -1;
}

int64_t Program::mutable_segment_index() const {
  const auto* m = valid() ? element(source_.root->mutable_data_segments(), 0) : nullptr;
  return m != nullptr ? static_cast<int64_t>(m->segment_index()) : -1;
}

ProgramAccounting Program::accounting() const {
  ProgramAccounting a;
  if (!valid()) return a;
  a.file = source_.file.size();
  a.header = header_.present ? kHeaderAt + header_.length : kHeaderAt;
  a.flatbuffer = header_.program_size - a.header;
  if (source_.segment_base == 0) {
    a.trailing = a.file - header_.program_size;
    return a;
  }
  // Segments are written in order; where they overlap or go back, the whole area they span counts as segments.
  uint64_t end = 0;
  bool ordered = true;
  for (uint32_t i = 0; i < segment_count(); ++i) {
    const Segment s = segment(i);
    if (s.size == 0) continue;
    ordered = ordered && s.offset >= end;
    if (s.offset + s.size > end) end = s.offset + s.size;
    a.segments += s.size;
  }
  if (!ordered) a.segments = end;
  a.padding = (source_.segment_base - header_.program_size) + (end - a.segments);
  a.trailing = a.file - source_.segment_base - end;
  return a;
}

}  // namespace et::format
