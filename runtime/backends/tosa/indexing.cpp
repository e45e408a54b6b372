// SELECT, GATHER, SCATTER.
#include <cstring>

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

template <class U>
void select_rows(const Nest& nest, U* out, const uint8_t* condition, const U* a, const U* b) {
  for_rows(nest, [&](const auto& at, int64_t n, const auto& s) {
    for (int64_t i = 0; i < n; ++i) {
      out[at[0] + i * s[0]] = condition[at[1] + i * s[1]] != 0 ? a[at[2] + i * s[2]] : b[at[3] + i * s[3]];
    }
  });
}

template <class U>
Kernel select(Site& site) {
  Nest nest = make_nest(site.out().shape, {dense_strides(site.out().shape), broadcast_strides(site.in(0).shape),
                                           broadcast_strides(site.in(1).shape), broadcast_strides(site.in(2).shape)});
  return
      [nest = std::move(nest), c = site.in_id(0), a = site.in_id(1), b = site.in_id(2), o = site.out_id()](Frame& f) {
        select_rows(nest, f.at<U>(o), f.at<uint8_t>(c), f.at<U>(a), f.at<U>(b));
        return true;
      };
}

/// values [N, K, C], indices [N, W], rows [N, W, C]: the sizes that GATHER and SCATTER share.
struct Rows {
  int64_t n, k, w;
  size_t bytes;  // of C elements
};

bool rows_of(Site& site, const Value& values, const Value& indices, const Value& rows, Rows* out) {
  if (!site.has_rank(values, 3) || !site.has_rank(indices, 2) || !site.is_type(indices, Type::Int32) ||
      !site.same_type(values, rows)) {
    return false;
  }
  *out = {values.shape[0], values.shape[1], indices.shape[1],
          static_cast<size_t>(values.shape[2]) * element_size(values.type)};
  return site.has_shape(indices, {out->n, out->w}) && site.has_shape(rows, {out->n, out->w, values.shape[2]}) &&
         site.work(values.count) && site.work(rows.count);
}

}  // namespace

Kernel prepare_select(Site& site) {
  const Value &c = site.in(0), &a = site.in(1), &b = site.in(2);
  if (!site.is_type(c, Type::Bool) || !site.same_type(a, b) || !site.same_type(a, site.out()) ||
      !site.broadcasts({&c, &a, &b}, site.out()) || !site.work(site.out().count)) {
    return {};
  }
  switch (element_size(a.type)) {
    case 1:
      return select<uint8_t>(site);
    case 2:
      return select<uint16_t>(site);
    case 4:
      return select<uint32_t>(site);
    default:
      return select<uint64_t>(site);
  }
}

Kernel prepare_gather(Site& site) {
  Rows r{};
  if (!rows_of(site, site.in(0), site.in(1), site.out(), &r)) return {};
  return [r, values = site.in_id(0), indices = site.in_id(1), out = site.out_id()](Frame& f) {
    const int32_t* index = f.at<int32_t>(indices);
    uint8_t* to = f.at<uint8_t>(out);
    for (int64_t n = 0; n < r.n; ++n) {
      const uint8_t* from = f.at<uint8_t>(values) + static_cast<size_t>(n * r.k) * r.bytes;
      for (int64_t w = 0; w < r.w; ++w, to += r.bytes) {
        const int32_t k = *index++;
        if (k < 0 || k >= r.k) return f.fail("an index is outside of the tensor");
        std::memcpy(to, from + static_cast<size_t>(k) * r.bytes, r.bytes);
      }
    }
    return true;
  };
}

Kernel prepare_scatter(Site& site) {
  Rows r{};
  if (!rows_of(site, site.in(0), site.in(1), site.in(2), &r) || !site.same_type(site.in(0), site.out()) ||
      !site.same_shape(site.in(0), site.out())) {
    return {};
  }
  return [r, values = site.in_id(0), indices = site.in_id(1), rows = site.in_id(2), out = site.out_id()](Frame& f) {
    const int32_t* index = f.at<int32_t>(indices);
    const uint8_t* from = f.at<uint8_t>(rows);
    std::memcpy(f.at<uint8_t>(out), f.at<uint8_t>(values), static_cast<size_t>(r.n * r.k) * r.bytes);
    for (int64_t n = 0; n < r.n; ++n) {
      uint8_t* to = f.at<uint8_t>(out) + static_cast<size_t>(n * r.k) * r.bytes;
      for (int64_t w = 0; w < r.w; ++w, from += r.bytes) {
        const int32_t k = *index++;
        if (k < 0 || k >= r.k) return f.fail("an index is outside of the tensor");
        std::memcpy(to + static_cast<size_t>(k) * r.bytes, from, r.bytes);
      }
    }
    return true;
  };
}

}  // namespace et::tosa
