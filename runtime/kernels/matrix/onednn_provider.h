// oneDNN as provider of GEMM and convolutions: link et::et_kernels_onednn and call select_onednn() before methods
// run. Built where the library is installed (ET_WITH_ONEDNN; Debian: libdnnl-dev).
#pragma once

namespace et::matrix {

/// The provider "onednn", for select_provider().
struct Provider;
const Provider* onednn_provider();
void select_onednn();

}  // namespace et::matrix
