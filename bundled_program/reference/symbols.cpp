#include "bundled_program/reference/symbols.h"

#include <cctype>
#include <vector>

namespace et::reference {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxOpen = 1000;

// Python's rounding: towards minus infinity.
int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0); }

// A fraction in lowest terms with a positive denominator.
struct Number {
  int64_t above = 0;
  int64_t below = 1;
};
using Maybe = std::optional<Number>;

// Products of two 64-bit numbers.
__extension__ typedef __int128 Wide;  // NOLINT: a using-declaration cannot be marked so

bool fits(Wide v) { return v >= -INT64_MAX && v <= INT64_MAX; }

Maybe fraction(Wide above, Wide below) {
  if (below == 0) return std::nullopt;
  if (below < 0) {
    above = -above;
    below = -below;
  }
  Wide a = above < 0 ? -above : above;
  Wide b = below;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  if (a != 0) {
    above /= a;
    below /= a;
  }
  if (!fits(above) || !fits(below)) return std::nullopt;
  return Number{static_cast<int64_t>(above), static_cast<int64_t>(below)};
}

Maybe add(Number a, Number b, int sign) {
  return fraction(static_cast<Wide>(a.above) * b.below + sign * static_cast<Wide>(b.above) * a.below,
                  static_cast<Wide>(a.below) * b.below);
}
Maybe multiply(Number a, Number b) {
  return fraction(static_cast<Wide>(a.above) * b.above, static_cast<Wide>(a.below) * b.below);
}
Maybe divide(Number a, Number b) {
  return fraction(static_cast<Wide>(a.above) * b.below, static_cast<Wide>(a.below) * b.above);
}
bool less(Number a, Number b) { return static_cast<Wide>(a.above) * b.below < static_cast<Wide>(b.above) * a.below; }
Number floor_of(Number a) { return {floor_divide(a.above, a.below), 1}; }
Number ceiling_of(Number a) { return {-floor_divide(-a.above, a.below), 1}; }

Maybe floor_of_quotient(Number a, Number b) {
  const Maybe q = divide(a, b);
  return q ? Maybe(floor_of(*q)) : std::nullopt;
}
Maybe remainder(Number a, Number b) {
  const Maybe q = floor_of_quotient(a, b);
  const Maybe part = q ? multiply(*q, b) : std::nullopt;
  return part ? add(a, *part, -1) : std::nullopt;
}
Maybe power(Number a, Number b) {
  if (b.below != 1 || b.above < 0 || b.above > 64) return std::nullopt;
  Maybe result = Number{1, 1};
  for (int64_t i = 0; result && i < b.above; ++i) result = multiply(*result, a);
  return result;
}

struct Function {
  std::string_view name;
  size_t arguments;  // 0: one or more
  Maybe (*call)(const std::vector<Number>&);
};
constexpr Function kFunctions[] = {
    {"floor", 1, [](const std::vector<Number>& a) { return Maybe(floor_of(a[0])); }},
    {"ceiling", 1, [](const std::vector<Number>& a) { return Maybe(ceiling_of(a[0])); }},
    {"FloorToInt", 1, [](const std::vector<Number>& a) { return Maybe(floor_of(a[0])); }},
    {"CeilToInt", 1, [](const std::vector<Number>& a) { return Maybe(ceiling_of(a[0])); }},
    {"TruncToInt", 1,
     [](const std::vector<Number>& a) { return Maybe(a[0].above < 0 ? ceiling_of(a[0]) : floor_of(a[0])); }},
    {"Identity", 1, [](const std::vector<Number>& a) { return Maybe(a[0]); }},
    {"ToFloat", 1, [](const std::vector<Number>& a) { return Maybe(a[0]); }},
    {"Abs", 1,
     [](const std::vector<Number>& a) {
       return Maybe(Number{a[0].above < 0 ? -a[0].above : a[0].above, a[0].below});
     }},
    {"FloorDiv", 2, [](const std::vector<Number>& a) { return floor_of_quotient(a[0], a[1]); }},
    {"CleanDiv", 2, [](const std::vector<Number>& a) { return floor_of_quotient(a[0], a[1]); }},
    {"IntTrueDiv", 2, [](const std::vector<Number>& a) { return divide(a[0], a[1]); }},
    {"FloatTrueDiv", 2, [](const std::vector<Number>& a) { return divide(a[0], a[1]); }},
    {"CeilDiv", 2,
     [](const std::vector<Number>& a) {
       const Maybe q = divide(a[0], a[1]);
       return q ? Maybe(ceiling_of(*q)) : std::nullopt;
     }},
    {"Mod", 2, [](const std::vector<Number>& a) { return remainder(a[0], a[1]); }},
    {"PythonMod", 2, [](const std::vector<Number>& a) { return remainder(a[0], a[1]); }},
    {"ModularIndexing", 3,
     [](const std::vector<Number>& a) {
       const Maybe q = floor_of_quotient(a[0], a[1]);
       return q ? remainder(*q, a[2]) : std::nullopt;
     }},
    {"RoundToInt", 1,
     [](const std::vector<Number>& a) {  // halves to the even neighbour, as Python
       const Number below = floor_of(a[0]);
       const Maybe rest = add(a[0], below, -1);
       if (!rest) return rest;
       const int64_t twice = rest->above > INT64_MAX / 2 ? INT64_MAX : 2 * rest->above;
       const bool up = twice > rest->below || (twice == rest->below && below.above % 2 != 0);
       return add(below, {up ? 1 : 0, 1}, 1);
     }},
    {"PowByNatural", 2, [](const std::vector<Number>& a) { return power(a[0], a[1]); }},
    {"Max", 0,
     [](const std::vector<Number>& a) {
       Number max = a[0];
       for (const Number& n : a) max = less(max, n) ? n : max;
       return Maybe(max);
     }},
    {"Min", 0,
     [](const std::vector<Number>& a) {
       Number min = a[0];
       for (const Number& n : a) min = less(n, min) ? n : min;
       return Maybe(min);
     }},
};

// Sums of products of powers of names, numbers, calls and brackets, as sympy prints them.
class Reader {
 public:
  Reader(std::string_view text, const std::unordered_map<std::string, int64_t>& values)
      : text_(text), values_(values) {}

  Maybe all() {
    const Maybe value = sum(0);
    skip();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Maybe sum(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    Maybe left = product(depth + 1);
    while (left) {
      const int sign = take("+") ? 1 : take("-") ? -1 : 0;
      if (sign == 0) break;
      const Maybe right = product(depth + 1);
      left = right ? add(*left, *right, sign) : std::nullopt;
    }
    return left;
  }

  Maybe product(int depth) {
    Maybe left = factor(depth + 1);
    while (left) {
      using Operation = Maybe (*)(Number, Number);
      const Operation operation = take("//")  ? static_cast<Operation>(floor_of_quotient)
                                  : take("/") ? static_cast<Operation>(divide)
                                  : take("%") ? static_cast<Operation>(remainder)
                                  : take("*") ? static_cast<Operation>(multiply)
                                              : nullptr;
      if (operation == nullptr) break;
      const Maybe right = factor(depth + 1);
      left = right ? operation(*left, *right) : std::nullopt;
    }
    return left;
  }

  Maybe factor(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (take("-")) {
      const Maybe value = factor(depth + 1);
      return value ? Maybe(Number{-value->above, value->below}) : std::nullopt;
    }
    const Maybe base = atom(depth + 1);
    if (!base || !take("**")) return base;
    const Maybe exponent = factor(depth + 1);
    return exponent ? power(*base, *exponent) : std::nullopt;
  }

  Maybe atom(int depth) {
    if (take("(")) {
      const Maybe inside = sum(depth + 1);
      return take(")") ? inside : std::nullopt;
    }
    skip();
    const size_t begin = at_;
    const auto is = [&](int (*f)(int)) { return at_ < text_.size() && f(static_cast<unsigned char>(text_[at_])) != 0; };
    if (is(std::isdigit)) {
      int64_t value = 0;
      for (; is(std::isdigit); ++at_) {
        if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
            __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value)) {
          return std::nullopt;
        }
      }
      if (at_ + 1 < text_.size() && text_.substr(at_, 2) == ".0") at_ += 2;
      return Number{value, 1};
    }
    while (is(std::isalnum) || (at_ < text_.size() && (text_[at_] == '_' || text_[at_] == '.'))) ++at_;
    std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) return std::nullopt;
    if (take("(")) return call(name.substr(name.rfind('.') + 1), depth + 1);
    const auto it = values_.find(std::string(name));
    return it == values_.end() || it->second == INT64_MIN ? std::nullopt : Maybe(Number{it->second, 1});
  }

  Maybe call(std::string_view name, int depth) {
    std::vector<Number> arguments;
    do {
      const Maybe value = sum(depth + 1);
      if (!value) return std::nullopt;
      arguments.push_back(*value);
    } while (take(","));
    if (!take(")")) return std::nullopt;
    for (const Function& f : kFunctions) {
      if (f.name == name && (f.arguments == 0 || f.arguments == arguments.size())) return f.call(arguments);
    }
    return std::nullopt;
  }

  std::string_view text_;
  const std::unordered_map<std::string, int64_t>& values_;
  size_t at_ = 0;
};

// The single name in an expression that has no value; names before a bracket are functions.
std::optional<std::string> only_unknown(std::string_view text, const std::unordered_map<std::string, int64_t>& values) {
  std::optional<std::string> found;
  const auto in_name = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (in_name(end) || (end < text.size() && end > i && text[end] == '.')) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    const std::string name(text.substr(i, end - i));
    i = end;
    if (!is_symbol(name) || (end < text.size() && text[end] == '(') || values.contains(name)) continue;
    if (found && *found != name) return std::nullopt;
    found = name;
  }
  return found;
}

}  // namespace

bool is_symbol(std::string_view expression) {
  if (expression.empty() || std::isdigit(static_cast<unsigned char>(expression[0])) != 0) return false;
  for (char c : expression) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  }
  return true;
}

std::optional<int64_t> Symbols::value(std::string_view expression) const {
  const Maybe value = Reader(expression, values_).all();
  return value && value->below == 1 ? std::optional<int64_t>(value->above) : std::nullopt;
}

std::optional<int64_t> Symbols::value(const etrecord::Dim& dim) const {
  return dim.fixed() ? dim.value : value(dim.expr);
}

bool Symbols::bind(const etrecord::Dim& dim, int64_t v) {
  if (const std::optional<int64_t> known = value(dim)) return *known == v;
  if (dim.fixed()) return true;
  if (!solve(dim.expr, v)) {
    if (open_.size() < kMaxOpen) open_.emplace_back(dim.expr, v);
    return true;
  }
  // What was open may be known now, or have one symbol less.
  for (bool found = true; found;) {
    found = false;
    for (size_t i = 0; i < open_.size() && !found; ++i) {
      if (!value(open_[i].first) && !solve(open_[i].first, open_[i].second)) continue;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      found = true;
    }
  }
  return true;
}

bool Symbols::solve(const std::string& expression, int64_t v) {
  if (is_symbol(expression)) return values_.emplace(expression, v).second;
  const std::optional<std::string> unknown = only_unknown(expression, values_);
  if (!unknown) return false;
  const auto at = [&](int64_t x) {
    values_[*unknown] = x;
    const std::optional<int64_t> y = value(expression);
    values_.erase(*unknown);
    return y;
  };
  const auto take = [&](int64_t x) {
    if (x < 0 || x > INT32_MAX || at(x) != v) return false;
    values_[*unknown] = x;
    return true;
  };
  // Sizes that an export derives are linear: "2*_h", "s0 + 1".
  const std::optional<int64_t> one = at(1);
  const std::optional<int64_t> two = at(2);
  if (one && two && *one != *two) {
    const Wide slope = static_cast<Wide>(*two) - *one;
    const Wide x = (static_cast<Wide>(v) - *one) / slope + 1;
    if (fits(x) && take(static_cast<int64_t>(x))) return true;
  }
  // What is left only rises or falls: "s0**2", "Max(8, s0)". One answer, or none: "s0//2" does not tell.
  const std::optional<int64_t> high = at(INT32_MAX);
  const bool falls = one && high && *high < *one;
  int64_t low = 0, end = INT32_MAX;
  while (low < end) {
    const int64_t middle = low + (end - low) / 2;
    const std::optional<int64_t> y = at(middle);
    // Too large to be worked out is too large.
    const bool enough = !y ? middle > 1 : falls ? *y <= v : *y >= v;
    if (enough) {
      end = middle;
    } else {
      low = middle + 1;
    }
  }
  return at(low + 1) != v && take(low);
}

}  // namespace et::reference
