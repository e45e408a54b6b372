// Values as text, in the form that ExecuTorch's tools print: numbers as Python writes them, long lists with their ends.
#include "executorch/extension/evalue_util/print_evalue.h"

#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"

namespace executorch::extension {
namespace {

using ::et::ArrayRef;
using ::et::EValue;
using ::et::Scalar;
using ::et::ScalarType;
using ::et::Tag;
using ::et::Tensor;

constexpr size_t kItemsOfALine = 10;
constexpr long kDefaultEdge = 3;

/// Where a stream keeps its number of first and last items.
int edge_slot() {
  static const int slot = std::ios_base::xalloc();
  return slot;
}

void print_number(std::ostream& out, double value) {
  std::ostringstream text;
  text.copyfmt(out);
  text << value;
  out << text.str();
  // A dot tells whole numbers from integers.
  if (std::isfinite(value) && text.str().find_first_of(".e") == std::string::npos) out << '.';
}

/// All items, or the first and last `edge` of them; in lines when there are many.
template <class T>
void print_items(std::ostream& out, ArrayRef<T> list, size_t edge) {
  const size_t count = list.size();
  const bool elided = edge < count && count - edge > edge;
  const bool lines = (elided ? 2 * edge : count) > kItemsOfALine;
  out << '[';
  size_t in_line = 0;
  for (size_t i = 0; i < count; ++i) {
    if (elided && i == edge) {
      i = count - edge;
      if (lines) {
        out << "\n  ...,";
        // The short line comes first, so that the last one is full.
        in_line = (kItemsOfALine - edge % kItemsOfALine) % kItemsOfALine;
        if (in_line != 0) out << "\n  ";
      } else {
        out << "..., ";
      }
    }
    if (lines && in_line % kItemsOfALine == 0) out << "\n  ";
    out << EValue(Scalar(list[i]));
    if (lines || i + 1 < count) out << ", ";
    ++in_line;
  }
  out << (lines ? "\n]" : "]");
}

size_t edge_of(std::ostream& out) {
  const long set = out.iword(edge_slot());
  return static_cast<size_t>(set <= 0 ? kDefaultEdge : set);
}

template <class T>
void print_list(std::ostream& out, ArrayRef<T> list) {
  out << "(len=" << list.size() << ')';
  print_items(out, list, edge_of(out));
}

void print_one(std::ostream& out, const Tensor& t) {
  out << "tensor(sizes=";
  print_items(out, t.sizes(), t.sizes().size());
  out << ", ";
#define ET_PRINT_ITEMS(ctype, name)                                                                             \
  case ScalarType::name:                                                                                        \
    print_items(out, ArrayRef<ctype>(t.const_data_ptr<ctype>(), static_cast<size_t>(t.numel())), edge_of(out)); \
    break;
  switch (t.scalar_type()) {
    ET_FORALL_REALHBBF16_TYPES(ET_PRINT_ITEMS)
    default:
      out << "[<unhandled scalar type " << static_cast<int>(t.scalar_type()) << ">]";
  }
#undef ET_PRINT_ITEMS
  out << ')';
}
void print_one(std::ostream& out, const std::optional<Tensor>& t) {
  if (t.has_value()) {
    print_one(out, *t);
  } else {
    out << "None";
  }
}

/// One in the line, or each in a line of its own with its index.
template <class T>
void print_tensors(std::ostream& out, ArrayRef<T> list) {
  const bool lines = list.size() > 1;
  out << "(len=" << list.size() << ")[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (lines) out << "\n  [" << i << "]: ";
    print_one(out, list[i]);
    if (lines) out << ',';
  }
  out << (lines ? "\n]" : "]");
}

void print_value(std::ostream& out, const EValue& value) {
  switch (value.tag) {
    case Tag::None:
      out << "None";
      return;
    case Tag::Bool:
      out << (value.toBool() ? "True" : "False");
      return;
    case Tag::Int:
      out << value.toInt();
      return;
    case Tag::Double:
      return print_number(out, value.toDouble());
    case Tag::String:
      out << std::quoted(std::string(value.toString()));
      return;
    case Tag::Tensor:
      return print_one(out, value.toTensor());
    case Tag::ListBool:
      return print_list(out, value.toBoolList());
    case Tag::ListInt:
      return print_list(out, value.toIntList());
    case Tag::ListDouble:
      return print_list(out, value.toDoubleList());
    case Tag::ListTensor:
      return print_tensors(out, value.toTensorList());
    case Tag::ListOptionalTensor:
      return print_tensors(out, value.toListOptionalTensor());
    default:
      out << "<Unknown EValue tag " << static_cast<int>(value.tag) << '>';
  }
}

}  // namespace

void evalue_edge_items::set(std::ostream& out, long count) { out.iword(edge_slot()) = count; }

}  // namespace executorch::extension

namespace et {
std::ostream& operator<<(std::ostream& out, const EValue& value) {
  ::executorch::extension::print_value(out, value);
  return out;
}
}  // namespace et
