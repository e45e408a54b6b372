// Tensors that several modules use, as an embedding and the output head that is tied to it: stored once, or a copy for
// each user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Books a copy to the module that uses it, where the model names the tensor in another one that has a copy of its own,
/// and fills SizeEntry::shared_with. `users`: of each entry, the module of the node that uses it, "" unknown.
/// Errors: InvalidExternalData (damaged store).
Status share_tensors(const Store& store, int64_t trace_id, const std::vector<std::string>& users, ProgramSize* size);

}  // namespace et::inspector
