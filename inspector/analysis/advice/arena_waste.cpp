// An arena larger than what its tensors ever need at once.
#include "inspector/analysis/advice/advice.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

constexpr int64_t kLeastLost = 64 << 10;
constexpr double kLeastLostShare = 0.1;
constexpr double kLeastOfAll = 0.01;  // of what the program and its arenas take together: else nobody would feel it

}  // namespace

void advise_arena_waste(AdviceContext& c) {
  int64_t all = c.program() == nullptr ? 0 : c.program()->file_bytes;
  for (const PlanArena& arena : c.memory().arenas) all += arena.bytes;
  for (const PlanArena& arena : c.memory().arenas) {
    const int64_t lost = arena.bytes - arena.peak;
    if (lost < kLeastLost || arena.lost() < kLeastLostShare || arena.tensors.empty()) continue;
    if (static_cast<double>(lost) < kLeastOfAll * static_cast<double>(all)) continue;
    Advice a;
    a.id = "arena-waste";
    a.method = arena.method;
    a.title = "Arena " + std::to_string(arena.memory_id) + " is larger than its tensors need";
    a.facts.push_back({"bytes of the arena", static_cast<double>(arena.bytes), AdviceFact::Unit::Bytes});
    a.facts.push_back(
        {"the most that its tensors need at once", static_cast<double>(arena.peak), AdviceFact::Unit::Bytes});
    a.facts.push_back({"lost to the layout", arena.lost(), AdviceFact::Unit::Share});
    a.text = "arena " + std::to_string(arena.memory_id) + " asks for " + format_bytes(arena.bytes) +
             ", and its tensors never need more than " + format_bytes(arena.peak) +
             " at once: " + format_share(arena.lost()) + " is lost to the layout";
    a.what_to_do =
        "Try another algorithm of the memory planning pass at export (MemoryPlanningPass in ExecutorchBackendConfig), "
        "or give large "
        "tensors sizes that fill each other's places.";
    a.most_bytes = lost;
    a.assumes = "a plan without gaps exists";
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
