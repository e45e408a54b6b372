#include <simdjson.h>

#include <string>

#include "inspector/ingest/payloads/tosa/tosa_kind.h"

namespace et::inspector {

bool tosa_origin(std::string_view location, TosaOrigin* out) {
  if (location.empty()) return false;
  simdjson::dom::parser parser;
  simdjson::dom::array steps;
  if (parser.parse(location.data(), location.size()).at_key("torch_info").at_key("node_trace").get(steps) !=
      simdjson::SUCCESS) {
    return false;
  }
  // The first step is the newest: the node as the lowering was given it.
  for (const simdjson::dom::element step : steps) {
    std::string_view name;
    if (step["name"].get(name) != simdjson::SUCCESS || step["graph_id"].get(out->graph_id) != simdjson::SUCCESS) {
      return false;
    }
    out->name = std::string(name);
    return true;
  }
  return false;
}

}  // namespace et::inspector
