// Tensors filled with one value or random ones.
#pragma once

#include "executorch/extension/tensor/tensor_ptr.h"
#include "runtime/module/tensor_ptr_maker.h"

namespace executorch::extension {
using ::et::empty;
using ::et::empty_like;
using ::et::empty_strided;
using ::et::for_blob;
using ::et::from_blob;
using ::et::full;
using ::et::full_like;
using ::et::full_strided;
using ::et::ones;
using ::et::ones_like;
using ::et::rand;
using ::et::rand_like;
using ::et::rand_strided;
using ::et::randint;
using ::et::randint_like;
using ::et::randint_strided;
using ::et::randn;
using ::et::randn_like;
using ::et::randn_strided;
using ::et::scalar_tensor;
using ::et::TensorPtrMaker;
using ::et::zeros;
using ::et::zeros_like;
}  // namespace executorch::extension
