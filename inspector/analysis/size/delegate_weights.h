// The weights of a program's delegates, wherever the file keeps them: inside of a payload, or as named data that
// payloads ask for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace et::inspector {

struct ProgramSize;

/// Bytes by method and position in its list of delegates. What several delegates share counts for the first that uses
/// it; a delegate without an entry has no weights, or a payload that cannot be read.
std::map<std::pair<std::string, int64_t>, int64_t> delegate_weights(const ProgramSize& size);

}  // namespace et::inspector
