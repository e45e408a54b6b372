// Constants of a program by the names that the model has for them: "blocks.0.mlp.up.weight" instead of "value 12".
#pragma once

#include <cstdint>

#include "base/status.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Gives entries whose name was made up by the reader, or is a hash, the name of the parameter or buffer that the graph
/// of the ETRecord has there. Errors: InvalidExternalData (damaged store).
Status name_tensors(const Store& store, int64_t trace_id, ProgramSize* size);

/// The reader's own names, and hashes of the content: they say nothing to people and change with every export.
bool is_made_up_name(const std::string& name);

}  // namespace et::inspector
