// What kind of op an event is, and how deep it stands, as far as its name and ids say it.
#pragma once

#include "inspector/ingest/dump/nesting.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

struct EventLevel {
  NestingLevel level;
  OpKind kind;
};
EventLevel level_of_event(const EventKey& key);

}  // namespace et::inspector
