// Flat JSON lists, as the store keeps them in TEXT columns: [1, 2, 3], ["a", "b"].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace et {

/// Takes one item after another. Whatever is no such item ends the list, because a store may come from anybody.
class JsonListReader {
 public:
  explicit JsonListReader(std::string_view text);
  bool next(std::string* out);
  bool next(int64_t* out);

 private:
  bool end() { return open_ = false; }
  void skip_space();
  bool take(char c);
  bool to_item();
  bool escape(std::string* out);
  bool unicode(std::string* out);

  std::string_view text_;
  size_t at_ = 0;
  bool open_ = false, first_ = true;
};

std::vector<int64_t> json_ints(std::string_view list);
std::vector<std::string> json_strings(std::string_view list);

/// ["one"] -> one, a view into the list; "" for more or fewer items, and where the item has an escape.
std::string_view only_json_string(std::string_view list);

}  // namespace et
