#include "inspector/analysis/work/dim_expression.h"

#include <charconv>
#include <numeric>
#include <vector>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {
namespace {

constexpr int kDeepest = 64;  // parentheses and functions in each other

/// Exact: floor(s0/2) divides before it rounds. `below` is above 0.
struct Fraction {
  int64_t above = 0, below = 1;
};
using Value = std::optional<Fraction>;

Value reduced(int64_t above, int64_t below) {
  if (below == 0 || above == INT64_MIN || below == INT64_MIN) return std::nullopt;
  if (below < 0) above = -above, below = -below;
  const int64_t common = std::gcd(above, below);
  return common == 0 ? Fraction{0, 1} : Fraction{above / common, below / common};
}

Value times(const Fraction& a, const Fraction& b) {
  int64_t above = 0, below = 0;
  if (__builtin_mul_overflow(a.above, b.above, &above) || __builtin_mul_overflow(a.below, b.below, &below))
    return std::nullopt;
  return reduced(above, below);
}

Value divided(const Fraction& a, const Fraction& b) {
  const Value inverse = reduced(b.below, b.above);
  return inverse ? times(a, *inverse) : std::nullopt;
}

Value plus(const Fraction& a, const Fraction& b) {
  int64_t left = 0, right = 0, above = 0, below = 0;
  if (__builtin_mul_overflow(a.above, b.below, &left) || __builtin_mul_overflow(b.above, a.below, &right) ||
      __builtin_add_overflow(left, right, &above) || __builtin_mul_overflow(a.below, b.below, &below))
    return std::nullopt;
  return reduced(above, below);
}

Fraction negative(const Fraction& a) { return {-a.above, a.below}; }

Fraction floor_of(const Fraction& a) {
  const int64_t whole = a.above / a.below;
  return {a.above % a.below < 0 ? whole - 1 : whole, 1};
}

Value floor_divided(const Fraction& a, const Fraction& b) {
  const Value exact = divided(a, b);
  return exact ? Value(floor_of(*exact)) : std::nullopt;
}

Value remainder(const Fraction& a, const Fraction& b) {
  const Value whole = floor_divided(a, b);
  const Value part = whole ? times(*whole, b) : std::nullopt;
  return part ? plus(a, negative(*part)) : std::nullopt;
}

Value power(const Fraction& a, const Fraction& b) {
  if (b.below != 1 || b.above < 0 || b.above > 62) return std::nullopt;
  Value out = Fraction{1, 1};
  for (int64_t i = 0; out && i < b.above; ++i) out = times(*out, a);
  return out;
}

bool less(const Fraction& a, const Fraction& b) {
  const Value difference = plus(a, negative(b));
  return difference && difference->above < 0;
}

class Parser {
 public:
  Parser(std::string_view text, const DimValues& dims) : rest_(text), dims_(dims) {}

  Value whole() {
    const Value v = sum();
    skip();
    return rest_.empty() ? v : std::nullopt;
  }

 private:
  void skip() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  Value sum() {
    Value v = product();
    while (v) {
      const bool minus = take("-");
      if (!minus && !take("+")) break;
      const Value next = product();
      v = next ? plus(*v, minus ? negative(*next) : *next) : std::nullopt;
    }
    return v;
  }

  Value product() {
    Value v = signed_power();
    while (v) {
      Value (*apply)(const Fraction&, const Fraction&) = nullptr;
      if (take("//")) {
        apply = floor_divided;
      } else if (take("/")) {
        apply = divided;
      } else if (take("%")) {
        apply = remainder;
      } else if (take("*")) {
        apply = times;
      } else {
        break;
      }
      const Value next = signed_power();
      v = next ? apply(*v, *next) : std::nullopt;
    }
    return v;
  }

  Value signed_power() {
    if (++depth_ > kDeepest) return std::nullopt;
    Value v;
    if (take("-")) {
      v = signed_power();
      if (v) v = negative(*v);
    } else {
      v = atom();
      if (v && take("**")) {
        const Value exponent = signed_power();
        v = exponent ? power(*v, *exponent) : std::nullopt;
      }
    }
    --depth_;
    return v;
  }

  Value atom() {
    if (take("(")) {
      const Value v = sum();
      return take(")") ? v : std::nullopt;
    }
    skip();
    size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (word.empty()) return std::nullopt;
    int64_t n = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error == std::errc() && end == word.data() + word.size()) return Fraction{n, 1};
    if (take("(")) return function(word);
    const auto at = dims_.find(word);
    return at == dims_.end() ? std::nullopt : reduced(at->second, 1);
  }

  Value function(std::string_view name) {
    std::vector<Fraction> of;
    do {
      const Value v = sum();
      if (!v) return std::nullopt;
      of.push_back(*v);
    } while (take(","));
    if (!take(")")) return std::nullopt;
    if (of.size() == 1) {
      if (name == "floor") return floor_of(of[0]);
      if (name == "ceiling") return negative(floor_of(negative(of[0])));
    }
    if (name == "Max" || name == "Min") {
      Fraction best = of[0];
      for (const Fraction& f : of) {
        if (name == "Max" ? less(best, f) : less(f, best)) best = f;
      }
      return best;
    }
    if (of.size() != 2) return std::nullopt;
    if (name == "FloorDiv" || name == "CleanDiv") return floor_divided(of[0], of[1]);
    if (name == "IntTrueDiv") return divided(of[0], of[1]);
    if (name == "CeilDiv") {
      const Value down = floor_divided(negative(of[0]), of[1]);
      return down ? Value(negative(*down)) : std::nullopt;
    }
    if (name == "Mod" || name == "PythonMod") return remainder(of[0], of[1]);
    if (name == "PowByNatural" || name == "Pow") return power(of[0], of[1]);
    return std::nullopt;
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::string_view rest_;
  const DimValues& dims_;
  int depth_ = 0;
};

/// A size that cannot be worked out, with numbers for the symbols that have one.
std::string replaced(std::string_view size, const DimValues& dims) {
  std::string out;
  size_t done = 0;
  for (const std::string_view id : identifiers(size)) {
    const auto at = dims.find(id);
    if (at == dims.end()) continue;
    const auto begin = static_cast<size_t>(id.data() - size.data());
    out += size.substr(done, begin - done);
    out += std::to_string(at->second);
    done = begin + id.size();
  }
  out += size.substr(done);
  return out;
}

}  // namespace

std::optional<int64_t> evaluate_dim(std::string_view text, const DimValues& dims) {
  const Value v = Parser(text, dims).whole();
  return v && v->below == 1 ? std::optional<int64_t>(v->above) : std::nullopt;
}

std::string with_dims(std::string_view shape, const DimValues& dims) {
  if (dims.empty() || shape.size() < 2 || shape.front() != '[' || shape.back() != ']') return std::string(shape);
  std::string out = "[";
  size_t begin = 1;
  int depth = 0;
  for (size_t i = 1; i < shape.size(); ++i) {
    depth += shape[i] == '(' ? 1 : shape[i] == ')' ? -1 : 0;
    const bool last = i + 1 == shape.size();
    if (!last && (shape[i] != ',' || depth > 0)) continue;
    std::string_view size = shape.substr(begin, i - begin);
    while (size.starts_with(' ')) size.remove_prefix(1);
    const std::optional<int64_t> number = evaluate_dim(size, dims);
    out += begin > 1 ? ", " : "";
    out += number ? std::to_string(*number) : replaced(size, dims);
    begin = i + 1;
  }
  return out + "]";
}

}  // namespace et::inspector
