// CONCAT, PAD, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE, IDENTITY: elements move, none changes.
#include <algorithm>
#include <cstring>

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

/// Out and in(0) have the same known type; costs its elements.
bool moves(OpBuilder& builder) {
  return builder.same_type(builder.in(0), builder.out()) && builder.work(builder.out().count);
}

bool shape_operand(OpBuilder& builder, size_t input, size_t count, std::vector<int64_t>* numbers) {
  if (!builder.is_type(builder.in(input), Type::Shape) || !builder.constant(input, numbers)) return false;
  return numbers->size() == count ||
         builder.fail("operand %zu: expected %zu numbers, got %zu", input, count, numbers->size());
}

/// Copies with `nest`, reading from element `base` of in(0).
Kernel strided(OpBuilder& builder, Nest nest, int64_t base) {
  const size_t width = element_size(builder.out().type);
  return [nest = std::move(nest), width, in = builder.in_id(0), out = builder.out_id(), base](Frame& f) {
    copy_elements(nest, width, f.at<uint8_t>(out), f.at<uint8_t>(in) + base * static_cast<int64_t>(width));
    return true;
  };
}

Kernel flat(OpBuilder& builder) {
  return [in = builder.in_id(0), out = builder.out_id(), bytes = builder.out().bytes()](Frame& f) {
    std::memcpy(f.at<uint8_t>(out), f.at<uint8_t>(in), bytes);
    return true;
  };
}

}  // namespace

Kernel prepare_identity(OpBuilder& builder) {
  if (!moves(builder) || !builder.same_shape(builder.in(0), builder.out())) return {};
  return flat(builder);
}

Kernel prepare_reshape(OpBuilder& builder) {
  std::vector<int64_t> shape;
  if (!moves(builder) || !shape_operand(builder, 1, builder.out().shape.size(), &shape)) return {};
  if (!builder.has_shape(builder.out(), shape)) return {};
  if (builder.in(0).count != builder.out().count) {
    builder.fail("shape %s cannot be reshaped to %s", shape_text(builder.in(0).shape).c_str(),
                 shape_text(shape).c_str());
    return {};
  }
  return flat(builder);
}

Kernel prepare_transpose(OpBuilder& builder) {
  const Dims& shape = builder.in(0).shape;
  std::vector<int64_t> perms;
  if (!moves(builder) || !builder.numbers("perms", shape.size(), 0, &perms)) return {};
  std::vector<bool> seen(shape.size());
  Dims result, strides;
  const Dims dense = dense_strides(shape);
  for (const int64_t p : perms) {
    const auto d = static_cast<size_t>(p);
    if (d >= shape.size() || seen[d]) {
      builder.fail("perms %s is not a permutation", shape_text(perms).c_str());
      return {};
    }
    seen[d] = true;
    result.push_back(shape[d]);
    strides.push_back(dense[d]);
  }
  if (!builder.has_shape(builder.out(), result)) return {};
  return strided(builder, make_nest(result, {dense_strides(result), strides}), 0);
}

Kernel prepare_reverse(OpBuilder& builder) {
  const Dims& shape = builder.in(0).shape;
  size_t axis = 0;
  if (!moves(builder) || !builder.same_shape(builder.in(0), builder.out()) || !builder.axis(shape.size(), &axis))
    return {};
  Dims strides = dense_strides(shape);
  const int64_t base = strides[axis] * (shape[axis] - 1);
  strides[axis] = -strides[axis];
  return strided(builder, make_nest(shape, {dense_strides(shape), strides}), base);
}

Kernel prepare_slice(OpBuilder& builder) {
  const Dims& shape = builder.in(0).shape;
  std::vector<int64_t> start, size;
  if (!moves(builder) || !shape_operand(builder, 1, shape.size(), &start) ||
      !shape_operand(builder, 2, shape.size(), &size) || !builder.has_shape(builder.out(), size)) {
    return {};
  }
  const Dims strides = dense_strides(shape);
  int64_t base = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (start[d] < 0 || start[d] > shape[d] || size[d] > shape[d] - start[d]) {
      builder.fail("slice of size %s at %s exceeds shape %s", shape_text(size).c_str(), shape_text(start).c_str(),
                   shape_text(shape).c_str());
      return {};
    }
    base += start[d] * strides[d];
  }
  return strided(builder, make_nest(size, {dense_strides(size), strides}), base);
}

// Each dimension becomes two: the copies, which read the same elements, and the elements.
Kernel prepare_tile(OpBuilder& builder) {
  const Dims& shape = builder.in(0).shape;
  std::vector<int64_t> multiples;
  if (!moves(builder) || !shape_operand(builder, 1, shape.size(), &multiples) ||
      !builder.has_rank(builder.out(), shape.size())) {
    return {};
  }
  const Dims in = dense_strides(shape), out = dense_strides(builder.out().shape);
  Dims sizes, reads, writes;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (multiples[d] <= 0 || builder.out().shape[d] % shape[d] != 0 ||
        builder.out().shape[d] / shape[d] != multiples[d]) {
      builder.fail("multiples %s of shape %s do not give shape %s", shape_text(multiples).c_str(),
                   shape_text(shape).c_str(), shape_text(builder.out().shape).c_str());
      return {};
    }
    sizes.insert(sizes.end(), {multiples[d], shape[d]});
    reads.insert(reads.end(), {0, in[d]});
    writes.insert(writes.end(), {out[d] * shape[d], out[d]});
  }
  return strided(builder, make_nest(sizes, {writes, reads}), 0);
}

Kernel prepare_concat(OpBuilder& builder) {
  const Dims& shape = builder.out().shape;
  size_t axis = 0;
  if (!moves(builder) || !builder.axis(shape.size(), &axis)) return {};
  int64_t rows = 1;
  for (size_t d = 0; d < axis; ++d) rows *= shape[d];
  const int64_t row = builder.out().count / rows;
  struct Part {
    uint32_t in;
    size_t bytes;  // of a row
  };
  std::vector<Part> parts;
  int64_t sum = 0;
  for (size_t i = 0; i < builder.in_count(); ++i) {
    const Value& v = builder.in(i);
    if (!builder.same_type(builder.out(), v) || !builder.has_rank(v, shape.size())) return {};
    Dims expected = shape;
    expected[axis] = v.shape[axis];
    if (!builder.has_shape(v, expected)) return {};
    sum += v.shape[axis];
    parts.push_back({builder.in_id(i), v.bytes() / static_cast<size_t>(rows)});
  }
  if (sum != shape[axis]) {
    builder.fail("the inputs have %lld elements along axis %zu, the output %lld", static_cast<long long>(sum), axis,
                 static_cast<long long>(shape[axis]));
    return {};
  }
  const size_t row_bytes = static_cast<size_t>(row) * element_size(builder.out().type);
  return [parts = std::move(parts), rows, row_bytes, out = builder.out_id()](Frame& f) {
    size_t at = 0;
    for (const Part& part : parts) {
      const uint8_t* from = f.at<uint8_t>(part.in);
      uint8_t* to = f.at<uint8_t>(out) + at;
      for (int64_t r = 0; r < rows; ++r, from += part.bytes, to += row_bytes) std::memcpy(to, from, part.bytes);
      at += part.bytes;
    }
    return true;
  };
}

Kernel prepare_pad(OpBuilder& builder) {
  const Dims& shape = builder.in(0).shape;
  const Dims& result = builder.out().shape;
  std::vector<int64_t> padding;
  if (!moves(builder) || !shape_operand(builder, 1, 2 * shape.size(), &padding) ||
      !builder.has_rank(builder.out(), shape.size()) || !builder.same_type(builder.in(0), builder.in(2))) {
    return {};
  }
  if (builder.in(2).count != 1) {
    builder.fail("padding value: expected 1 element, got %lld", static_cast<long long>(builder.in(2).count));
    return {};
  }
  const Dims strides = dense_strides(result);
  int64_t base = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t before = padding[2 * d], after = padding[2 * d + 1];
    if (before < 0 || after < 0 || before > result[d] || after > result[d] || before + shape[d] + after != result[d]) {
      builder.fail("padding %s of shape %s does not give shape %s", shape_text(padding).c_str(),
                   shape_text(shape).c_str(), shape_text(result).c_str());
      return {};
    }
    base += before * strides[d];
  }
  const size_t width = element_size(builder.out().type);
  return [fill = make_nest({builder.out().count}, {Dims{1}, Dims{0}}),
          copy = make_nest(shape, {strides, dense_strides(shape)}), width, base, in = builder.in_id(0),
          value = builder.in_id(2), out = builder.out_id()](Frame& f) {
    copy_elements(fill, width, f.at<uint8_t>(out), f.at<uint8_t>(value));
    copy_elements(copy, width, f.at<uint8_t>(out) + base * static_cast<int64_t>(width), f.at<uint8_t>(in));
    return true;
  };
}

}  // namespace et::tosa
