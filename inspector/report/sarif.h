// What SARIF logs of this project share: places in files, messages, fingerprints (SARIF 2.1.0, OASIS).
#pragma once

#include <cstdint>
#include <string>

#include "inspector/text/json_writer.h"

namespace et::inspector {

inline constexpr const char* kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A place in a file as CI systems take it.
struct FilePlace {
  std::string path;       // from the current folder on, when it is below it; else absolute
  bool relative = false;  // below the current folder
  int64_t line = 0;       // 0: none
};
FilePlace place_of_file(const std::string& path);

/// {"text": …} under a key.
void write_sarif_message(JsonWriter* json, const char* key, const std::string& text);
/// "physicalLocation": the file as a URI reference, and the line.
void write_sarif_physical(JsonWriter* json, const FilePlace& place);
/// "partialFingerprints": the hash of what makes a result the same from run to run.
void write_sarif_fingerprint(JsonWriter* json, const char* name, const std::string& identity);

}  // namespace et::inspector
