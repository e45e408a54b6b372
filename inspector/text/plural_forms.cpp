#include "inspector/text/plural_forms.h"

#include <array>

namespace et::inspector {
namespace {

struct Operator {
  std::string_view text;
  int rank;  // binds tighter from rank to rank
};
constexpr std::array<Operator, 13> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"==", 3},
                                                  {"!=", 3},
                                                  {"<=", 4},
                                                  {">=", 4},
                                                  {"<", 4},
                                                  {">", 4},
                                                  {"+", 5},
                                                  {"-", 5},
                                                  {"*", 6},
                                                  {"/", 6},
                                                  {"%", 6}}};
constexpr int kDeepest = 50;

class Expression {
 public:
  Expression(std::string_view text, uint64_t n) : text_(text), n_(n) {}

  uint64_t choice(int depth = 0) {
    const uint64_t condition = binary(1, depth);
    if (!take("?") || depth > kDeepest) return condition;
    const uint64_t yes = choice(depth + 1);
    take(":");
    const uint64_t no = choice(depth + 1);
    return condition != 0 ? yes : no;
  }

 private:
  void skip() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  uint64_t binary(int rank, int depth) {
    uint64_t left = unary(depth);
    for (;;) {
      skip();
      const Operator* found = nullptr;
      for (const Operator& op : kOperators) {
        if (found == nullptr && text_.starts_with(op.text)) found = &op;
      }
      if (found == nullptr || found->rank < rank || depth > kDeepest) return left;
      text_.remove_prefix(found->text.size());
      left = applied(found->text, left, binary(found->rank + 1, depth + 1));
    }
  }

  static uint64_t applied(std::string_view op, uint64_t a, uint64_t b) {
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (b == 0) return 0;
    return op == "/" ? a / b : a % b;
  }

  uint64_t unary(int depth) {
    if (depth > kDeepest) return 0;
    if (take("!")) return unary(depth + 1) == 0;
    if (take("n")) return n_;
    if (take("(")) {
      const uint64_t inner = choice(depth + 1);
      take(")");
      return inner;
    }
    skip();
    uint64_t number = 0;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1))
      number = number * 10 + static_cast<uint64_t>(text_.front() - '0');
    return number;
  }

  std::string_view text_;
  uint64_t n_;
};

}  // namespace

size_t plural_form(std::string_view header, uint64_t n) {
  constexpr std::string_view kKey = "plural=";
  size_t at = header.find(kKey);
  if (at != std::string_view::npos && at > 0 && header[at - 1] == 'n') at = header.find(kKey, at + 1);
  if (at == std::string_view::npos) return 0;
  return static_cast<size_t>(Expression(header.substr(at + kKey.size()), n).choice());
}

}  // namespace et::inspector
