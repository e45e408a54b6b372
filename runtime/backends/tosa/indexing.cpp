// SELECT, GATHER, SCATTER.
#include <cstring>

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

template <class U>
void select_rows(const Nest& nest, U* out, const uint8_t* condition, const U* a, const U* b) {
  for_rows(nest, [&](const int64_t* at, int64_t n, const int64_t* s) {
    for (int64_t i = 0; i < n; ++i) {
      out[at[0] + i * s[0]] = condition[at[1] + i * s[1]] != 0 ? a[at[2] + i * s[2]] : b[at[3] + i * s[3]];
    }
  });
}

template <class U>
Kernel select(OpBuilder& builder) {
  Nest nest =
      make_nest(builder.out().shape, {dense_strides(builder.out().shape), broadcast_strides(builder.in(0).shape),
                                      broadcast_strides(builder.in(1).shape), broadcast_strides(builder.in(2).shape)});
  return [nest = std::move(nest), c = builder.in_id(0), a = builder.in_id(1), b = builder.in_id(2),
          o = builder.out_id()](Frame& f) {
    select_rows(nest, f.at<U>(o), f.at<uint8_t>(c), f.at<U>(a), f.at<U>(b));
    return true;
  };
}

/// values [N, K, C], indices [N, W], rows [N, W, C]: the sizes that GATHER and SCATTER share.
struct Rows {
  int64_t n, k, w;
  size_t bytes;  // of C elements
};

bool rows_of(OpBuilder& builder, const Value& values, const Value& indices, const Value& rows, Rows* out) {
  if (!builder.has_rank(values, 3) || !builder.has_rank(indices, 2) || !builder.is_type(indices, Type::Int32) ||
      !builder.same_type(values, rows)) {
    return false;
  }
  *out = {values.shape[0], values.shape[1], indices.shape[1],
          static_cast<size_t>(values.shape[2]) * element_size(values.type)};
  return builder.has_shape(indices, {out->n, out->w}) && builder.has_shape(rows, {out->n, out->w, values.shape[2]}) &&
         builder.work(values.count) && builder.work(rows.count);
}

}  // namespace

Kernel prepare_select(OpBuilder& builder) {
  const Value &c = builder.in(0), &a = builder.in(1), &b = builder.in(2);
  if (!builder.is_type(c, Type::Bool) || !builder.same_type(a, b) || !builder.same_type(a, builder.out()) ||
      !builder.broadcasts({&c, &a, &b}, builder.out()) || !builder.work(builder.out().count)) {
    return {};
  }
  switch (element_size(a.type)) {
    case 1:
      return select<uint8_t>(builder);
    case 2:
      return select<uint16_t>(builder);
    case 4:
      return select<uint32_t>(builder);
    default:
      return select<uint64_t>(builder);
  }
}

Kernel prepare_gather(OpBuilder& builder) {
  Rows r{};
  if (!rows_of(builder, builder.in(0), builder.in(1), builder.out(), &r)) return {};
  return [r, values = builder.in_id(0), indices = builder.in_id(1), out = builder.out_id()](Frame& f) {
    const int32_t* index = f.at<int32_t>(indices);
    uint8_t* to = f.at<uint8_t>(out);
    for (int64_t n = 0; n < r.n; ++n) {
      const uint8_t* from = f.at<uint8_t>(values) + static_cast<size_t>(n * r.k) * r.bytes;
      for (int64_t w = 0; w < r.w; ++w, to += r.bytes) {
        const int32_t k = *index++;
        if (k < 0 || k >= r.k) return f.fail("index out of range");
        std::memcpy(to, from + static_cast<size_t>(k) * r.bytes, r.bytes);
      }
    }
    return true;
  };
}

Kernel prepare_scatter(OpBuilder& builder) {
  Rows r{};
  if (!rows_of(builder, builder.in(0), builder.in(1), builder.in(2), &r) ||
      !builder.same_type(builder.in(0), builder.out()) || !builder.same_shape(builder.in(0), builder.out())) {
    return {};
  }
  return [r, values = builder.in_id(0), indices = builder.in_id(1), rows = builder.in_id(2),
          out = builder.out_id()](Frame& f) {
    const int32_t* index = f.at<int32_t>(indices);
    const uint8_t* from = f.at<uint8_t>(rows);
    std::memcpy(f.at<uint8_t>(out), f.at<uint8_t>(values), static_cast<size_t>(r.n * r.k) * r.bytes);
    for (int64_t n = 0; n < r.n; ++n) {
      uint8_t* to = f.at<uint8_t>(out) + static_cast<size_t>(n * r.k) * r.bytes;
      for (int64_t w = 0; w < r.w; ++w, from += r.bytes) {
        const int32_t k = *index++;
        if (k < 0 || k >= r.k) return f.fail("index out of range");
        std::memcpy(to + static_cast<size_t>(k) * r.bytes, from, r.bytes);
      }
    }
    return true;
  };
}

}  // namespace et::tosa
