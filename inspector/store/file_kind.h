// What kind of file is this? By its first bytes, never by its name: for hints when files are swapped or missing.
#pragma once

#include <string>

namespace et::inspector {

enum class FileKind {
  Missing,     // no such file
  Unreadable,  // there is something, but it cannot be opened
  Directory,
  Special,  // a device, a pipe, a socket
  Empty,
  ETDump,
  ETRecord,
  Program,         // .pte
  TensorFile,      // .ptd
  BundledProgram,  // .bpte
  Store,           // SQLite database (whether it is one of ours says Store::open)
  Zip,             // a zip without the entries of an ETRecord
  TorchPickle,
  Json,
  Text,
  TosaGraph,      // flatbuffer that Vela compiles
  VelaEstimates,  // its debug database, or its table of operators
  Gzip,
  LfsPointer,  // of a file that Git LFS has not fetched
  Unknown,
};

FileKind file_kind(const std::string& path);

/// With its article: "an ETRecord", "a program (.pte)", "a directory".
const char* file_kind_name(FileKind kind);

}  // namespace et::inspector
