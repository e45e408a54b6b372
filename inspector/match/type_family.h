// What kind of work an operator type is, whoever names it: aten.addmm.default of a graph, native_call_addmm.out of a
// kernel and "Fully Connected (F32, 24x128->128) node 0" of a backend all multiply matrices. Colours follow from it, so
// that one type has one colour in every panel, of every model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace et::inspector {

enum class TypeFamily : uint8_t {
  Matmul,
  Convolution,
  Softmax,  ///< and fused attention
  Normalisation,
  Arithmetic,
  Activation,
  Movement,  ///< of data: permute, cat, copies, views
  Reduction,
  Quantisation,
  Lookup,  ///< embedding, gather, index
  Creation,
  Other,
};

/// What makes two names the same type: "addmm" of "aten.addmm.default" and "native_call_addmm.out", "fully connected"
/// of the backend's event, without shapes and numbers.
std::string type_key(std::string_view name);
/// As legends have it, with the fewest letters that name the type: "addmm", "Fully Connected".
std::string short_type(std::string_view name);
TypeFamily type_family(std::string_view name);

}  // namespace et::inspector
