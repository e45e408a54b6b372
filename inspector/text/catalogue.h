// A catalogue of texts in gettext's form (po/<language>.po). Messages that were put together are found by entries with
// holes: %s stands for any text, %d for a number with its unit, %w for one word. In a translation the holes come in
// their order, or by number: %2$s.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace et::inspector {

class Catalogue {
 public:
  Catalogue() = default;
  explicit Catalogue(std::string_view po);

  bool empty() const { return texts_.empty(); }
  /// The translation of exactly this text in a context (msgctxt), nullptr without one; lives as long as the catalogue.
  const std::string* find(std::string_view context, std::string_view text) const&;
  const std::string* find(std::string_view context, std::string_view text) const&& = delete;
  /// Of a text that an entry with holes of that context fits: the one with the most letters outside of them. False when
  /// there is none. `of_hole`: translates what stands in a hole, nullptr: it stays as it is.
  bool message(std::string_view context, std::string_view text, std::string (*of_hole)(std::string_view),
               std::string* out) const;
  /// All msgids of a context, those with holes too: for tests.
  std::vector<std::string> ids(std::string_view context) const;

 private:
  struct Pattern {
    std::string id;
    std::vector<std::string> forms;  ///< by plural_form() of the first number; one for a text without plural
    size_t letters = 0;              ///< outside of holes
  };
  struct Context {
    std::unordered_map<std::string, std::string> texts;
    std::vector<Pattern> patterns;  ///< most letters first
  };
  struct Entry;
  void add(Entry entry);
  const Context* context(std::string_view name) const;

  std::map<std::string, Context, std::less<>> texts_;
  std::string plurals_;
};

}  // namespace et::inspector
