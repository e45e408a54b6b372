// Constants that the program holds more than once.
#include <algorithm>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kLeastCopies = 4 << 10;
constexpr double kLeastOfFile = 0.01;

}  // namespace

void advise_duplicate_constants(AdviceContext& c) {
  const ProgramSize* const size = c.program();
  if (size == nullptr || size->duplicate_bytes < kLeastCopies ||
      static_cast<double>(size->duplicate_bytes) < kLeastOfFile * static_cast<double>(size->file_bytes))
    return;
  const SizeEntry* largest = nullptr;
  int64_t count = 0;
  for (const SizeEntry& e : size->entries) {
    if (e.same_as.empty()) continue;
    ++count;
    if (largest == nullptr || e.bytes > largest->bytes) largest = &e;
  }
  if (largest == nullptr) return;
  const auto original = std::find_if(size->entries.begin(), size->entries.end(), [&](const SizeEntry& e) {
    return e.name == largest->same_as && e.bytes == largest->bytes && &e != largest;
  });
  const std::string group = original == size->entries.end() ? std::string() : original->group;
  Advice a;
  a.id = "duplicate-constants";
  a.title = "Constants that are stored more than once";
  a.facts.push_back({"copies", static_cast<double>(size->duplicate_bytes), AdviceFact::Unit::Bytes});
  a.facts.push_back({"share of the program",
                     static_cast<double>(size->duplicate_bytes) / static_cast<double>(size->file_bytes),
                     AdviceFact::Unit::Share});
  a.facts.push_back({"of which the largest", static_cast<double>(largest->bytes), AdviceFact::Unit::Bytes});
  a.facts.push_back({"tensors", static_cast<double>(count), AdviceFact::Unit::Count});
  a.text = format_bytes(size->duplicate_bytes) + " of the program (" +
           format_share(static_cast<double>(size->duplicate_bytes) / static_cast<double>(size->file_bytes)) +
           ") are copies: " +
           (largest->module.empty() ? largest->name : "the " + largest->shape + " tensor of " + largest->module) +
           " (" + format_bytes(largest->bytes) + ", " + largest->group + ") has the bytes of " + largest->same_as +
           (group.empty() ? "" : " (" + group + ")");
  if (count > 1) a.text += "; " + plural(count - 1, "more tensor");
  a.what_to_do =
      group != largest->group
          ? "A delegate keeps a copy of its own of a tensor that is used outside of it, too: have both uses "
            "delegated, or neither."
          : "Let export see one tensor: assign the same parameter to both modules, and let methods that share weights "
            "share them in one program. A delegate that embeds its weights repeats them; one that names them does not.";
  a.most_bytes = size->duplicate_bytes;
  a.place.module = largest->module;
  c.add(std::move(a));
}

}  // namespace et::inspector
