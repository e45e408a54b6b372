// Modules with what is in them: where in the model the time goes, from the parts that hold most of it down to their own
// parts. Those that are one thing repeated, as the layers of an encoder are, are one row, "encoder.layer.{0..11}": a
// row per layer says twelve times a twelfth of what it costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace et::gui {

struct ModuleCost {
  std::string path;
  std::string type;  ///< its class
  double time = 0;   ///< own: without that of the modules inside
};

struct ModuleTotal {
  std::string title;                      ///< path, with what its numbers are where there are several
  std::string name;                       ///< the same from the row on that it is inside of: "attention"
  std::string type;                       ///< "" of one that has no own time, or of several that differ
  int depth = 0;                          ///< rows that it is inside of
  double time = 0;                        ///< of all that it stands for, with what is in them
  double own = 0;                         ///< of it in no module inside
  size_t modules = 1;                     ///< number of modules that it stands for
  std::string costliest;                  ///< path, of several the costliest
  double most = 0;                        ///< time of that one
  bool stands_out = false;                ///< it takes far more than its like
  size_t rank = 0;                        ///< by time: the first `n` ranks are a tree of their own, too
  std::vector<std::string> members = {};  ///< paths of the modules that it stands for
};

/// A part of a path that is a number: "11".
bool is_module_number(const std::string& part);

/// "3", "{0..11}" without gaps, "{0,4}" of few, "{0…12}" of many with gaps.
std::string numbers_text(const std::set<int>& numbers);

/// The `most` rows that hold most of the time, each before what is in it. What is nearly all of what it is in stands
/// for both. Of classes that differ only leaves are told apart by their numbers.
std::vector<ModuleTotal> module_totals(const std::vector<ModuleCost>& modules, size_t most);

}  // namespace et::gui
