// A tensor as text, for the messages of tests.
#include <ostream>

#include "executorch/runtime/core/exec_aten/testing_util/tensor_util.h"

namespace et {

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  out << "ETensor(sizes={";
  for (size_t d = 0; d < t.sizes().size(); ++d) out << (d > 0 ? ", " : "") << t.sizes()[d];
  out << "}, dtype=" << t.scalar_type() << ", data={";
  const auto value = [&](ssize_t i) {
#define ET_PRINT_REAL(ctype, name)        \
  case ScalarType::name:                  \
    out << +t.const_data_ptr<ctype>()[i]; \
    return;
#define ET_PRINT_COMPLEX(ctype, name)                                                                  \
  case ScalarType::name:                                                                               \
    out << t.const_data_ptr<ctype>()[i].real() << " + " << t.const_data_ptr<ctype>()[i].imag() << "j"; \
    return;
    switch (t.scalar_type()) {
      ET_FORALL_REALHBBF16_TYPES(ET_PRINT_REAL)
      ET_FORALL_COMPLEXH_TYPES(ET_PRINT_COMPLEX)
      default:
        out << "?";
    }
  };
  for (ssize_t i = 0; i < t.numel(); ++i) {
    if (i > 0) out << ", ";
    value(i);
  }
  return out << "})";
}

}  // namespace et
