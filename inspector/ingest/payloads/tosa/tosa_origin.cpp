#include <string>

#include "base/json.h"
#include "inspector/ingest/payloads/tosa/tosa_kind.h"

namespace et::inspector {

bool tosa_origin(std::string_view location, TosaOrigin* out) {
  if (location.empty()) return false;
  constexpr uint32_t kMaxDepth = 1024;
  JsonDocument document;
  if (!document.parse(location, "", kMaxDepth).ok()) return false;
  const auto info = document.root().find("torch_info");
  const auto trace = info ? info->find("node_trace") : std::nullopt;
  const auto steps = trace ? trace->array() : std::nullopt;
  if (!steps || steps->empty()) return false;
  // The first step is the newest: the node as the lowering was given it.
  const JsonValue step = *steps->begin();
  const auto name = step.find("name"), graph_id = step.find("graph_id");
  if (!name || !name->string() || !graph_id || !graph_id->integer()) return false;
  out->name = std::string(*name->string());
  out->graph_id = *graph_id->integer();
  return true;
}

}  // namespace et::inspector
