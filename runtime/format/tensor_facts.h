// Size of a stored tensor and the place of its data: one answer for the checks and for the views.
#pragma once

#include <cstdint>
#include "base/span.h"

#include "runtime/format/program_source.h"
#include "runtime/format/value.h"

namespace et::format {

/// Product of the sizes, kUnboundedBytes when it does not fit in 64 bits. Sizes must not be negative.
uint64_t element_count(Span<const int32_t> sizes);
/// Bytes of `numel` elements, kUnboundedBytes when they do not fit in 64 bits.
uint64_t byte_count(uint64_t numel, ScalarType type);

TensorData tensor_data(const ProgramSource& source, const pte_fb::Tensor& tensor);

/// Bytes from the tensor's start to the end of the region that holds it. False when the index, the segment or the
/// offset is not there. Only for data inside the file.
bool tensor_region(const ProgramSource& source, const pte_fb::Tensor& tensor, TensorData data,
                   Span<const uint8_t>* out);

}  // namespace et::format
