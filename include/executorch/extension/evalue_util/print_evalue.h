// Values as text.
#pragma once

#include <ostream>

#include "executorch/runtime/core/evalue.h"

namespace et {
std::ostream& operator<<(std::ostream& out, const EValue& value);
}  // namespace et

namespace executorch::extension {

/// Of long lists only so many first and last items are printed to a stream from then on; 0 or less: three.
class evalue_edge_items final {
 public:
  explicit evalue_edge_items(long count) : count_(count < 0 ? 0 : count) {}
  friend std::ostream& operator<<(std::ostream& out, const evalue_edge_items& items) {
    set(out, items.count_);
    return out;
  }

 private:
  static void set(std::ostream& out, long count);
  const long count_;
};

}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::evalue_edge_items;
}  // namespace torch::executor::util
