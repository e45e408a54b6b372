// Parts of the program JSON that torch.save archives contain too. Internal to this room.
#pragma once

#include "base/json.h"
#include "etrecord/graph.h"

namespace et::etrecord {

/// {"as_int"} or {"as_expr"}; false if it is neither.
bool parse_dim(JsonValue e, Dim* dim);
/// False if something in it could not be read; what could be is kept.
bool parse_tensor_meta(JsonValue e, TensorMeta* meta);

}  // namespace et::etrecord
