// What feeds the nodes of a graph, and of which of it a run's values tell what it was: the op's own error is known only
// where they do.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

class NodeFeeds {
 public:
  /// Of the method's graph; "" stands for any. A trace without a graph has none.
  NodeFeeds(const Store& store, int64_t trace_id, const std::string& method);

  /// The input that a node only hands on, by views and copies alone; "" where it does more.
  std::string handed_on(const std::string& node) const;

  /// The only input that a node is made from, by views, copies and changes of dtype; "" where more goes into it.
  std::string made_from(const std::string& node) const;

  /// The value of the node was recorded.
  void add_recorded(const std::string& node) { recorded_.insert(node); }
  /// The value is right, so what it was made from is, too: the same inputs on both sides.
  void add_right(const std::string& node);
  /// The input is another one, as what only hands it on or converts it shows: a right value behind it is chance.
  void add_doubted(const std::string& input) { doubted_.insert(input); }
  /// Whether what the node was fed was recorded, follows from what was, or is the same on both sides.
  bool knows_inputs_of(const std::string& node) const;
  /// Free inputs that nothing proved to be the same on both sides.
  std::vector<std::string> unproven_inputs() const;
  bool has_graph() const { return !feeds_.empty(); }

 private:
  struct Feed {
    std::string op;
    std::vector<std::string> producers;
    std::set<std::string> inputs;  // of the model, and state that it writes: no file says what they were
  };
  const Feed& feed(const std::string& node) const;
  bool is_same(const std::string& input) const { return same_inputs_.contains(input) && !doubted_.contains(input); }
  void read_nodes(const Store& store, int64_t trace_id, const std::string& method);

  std::string only_input_of(const std::string& node, bool (*passes)(const std::string& op)) const;

  std::map<std::string, Feed> feeds_;
  std::set<std::string> free_;
  std::set<std::string> recorded_, right_, same_inputs_, doubted_;
};

}  // namespace et::inspector
