// Nodes that move elements: Copy, StaticReshape, StaticTranspose, StaticSlice, Concatenate.
#include <algorithm>
#include <cstring>

#include "runtime/backends/xnnpack/graph/layout.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

constexpr Storages kMovable = kFloat | kInt8 | kInt32;

/// Moving does not change numbers: input and output are of one type and quantisation.
Error same_type(NodeReader& reader, const Value& in, const Value& out) {
  const bool same =
      in.storage == out.storage && (!in.quantized() || (in.scale == out.scale && in.zero_point == out.zero_point));
  if (same) return Error::Ok;
  return reader.fail(Error::NotSupported, "from %s (scale %g, zero point %d) to %s (scale %g, zero point %d)",
                     format::xnn_datatype_name(in.datatype), static_cast<double>(in.scale),
                     static_cast<int>(in.zero_point), format::xnn_datatype_name(out.datatype),
                     static_cast<double>(out.scale), static_cast<int>(out.zero_point));
}

}  // namespace

std::string moved_width(const Value& v) { return element_size(v.storage) == 4 ? "X32" : "X8"; }

Error read_moved(NodeReader& reader, Operator& op, size_t inputs) {
  op.moves_only = true;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(op, inputs, kMovable, kMovable));
  for (size_t i = 0; i < inputs; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(same_type(reader, reader.graph().in(op, i), reader.graph().values[op.outputs[0]]));
  }
  return Error::Ok;
}

namespace {

// --- Copy, StaticReshape

void copy_bytes(const Value& in, const Value& out) {
  if (in.data == out.data) return;
  parallel_for(0, static_cast<int64_t>(out.bytes()), 1 << 16, [&](int64_t from, int64_t end) {
    std::memcpy(out.data + from, in.data + from, static_cast<size_t>(end - from));
  });
}

class Reshape final : public Operator {
 public:
  bool same_shape = false;
  Shape to;  // a size of 0 is inferred

  Error reshape(Graph& g) override {
    const Shape& in = g.in(*this).shape;
    Shape out = same_shape ? in : to;
    if (!same_shape) {
      int64_t known = 1;
      int inferred = -1;
      for (int i = 0; i < to.rank; ++i) {
        if (to.dims[i] == 0) inferred = i;
        known *= to.dims[i] == 0 ? 1 : to.dims[i];
      }
      const int64_t n = in.numel();
      if (inferred >= 0) out.dims[inferred] = n / known;
      ET_XNN_CHECK(inferred >= 0 ? n % known == 0 : n == known, *this, InvalidArgument,
                   "an input of [%s] does not become [%s]", in.text().c_str(), to.text().c_str());
    }
    g.values[outputs[0]].shape = out;
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override { copy_bytes(g.in(*this), g.out(*this)); }
};

// --- StaticSlice

class Slice final : public Operator {
 public:
  std::vector<uint32_t> offsets, sizes_of;  // a size of 0: to the end

  Error reshape(Graph& g) override {
    const Shape& in = g.in(*this).shape;
    ET_XNN_CHECK(in.rank == static_cast<int>(offsets.size()), *this, InvalidArgument,
                 "a slice of %zu dimensions from an input of [%s]", offsets.size(), in.text().c_str());
    Shape out = in;
    for (int i = 0; i < in.rank; ++i) {
      const auto u = static_cast<size_t>(i);
      const int64_t left = in.dims[i] - offsets[u];
      ET_XNN_CHECK(left >= 0 && left >= sizes_of[u], *this, InvalidArgument,
                   "%lld elements from %lld of dimension %d of [%s]", static_cast<long long>(sizes_of[u]),
                   static_cast<long long>(offsets[u]), i, in.text().c_str());
      out.dims[i] = sizes_of[u] == 0 ? left : sizes_of[u];
    }
    g.values[outputs[0]].shape = out;
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const size_t size = element_size(in.storage);
    // What stands behind the last dimension that is cut is contiguous.
    int cut = in.shape.rank - 1;
    while (cut > 0 && in.shape.dims[cut] == out.shape.dims[cut]) --cut;
    cut = std::max(cut, 0);
    const int64_t run = out.shape.numel(cut, out.shape.rank);
    const int64_t count = out.shape.numel(0, cut);
    parallel_for(0, count, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(run, 1)), [&](int64_t from, int64_t end) {
      for (int64_t i = from; i < end; ++i) {
        int64_t rest = i, at = 0, step = in.shape.numel(cut, in.shape.rank);
        if (cut < in.shape.rank) at += offsets[static_cast<size_t>(cut)] * in.shape.numel(cut + 1, in.shape.rank);
        for (int d = cut - 1; d >= 0; --d) {
          at += (rest % out.shape.dims[d] + offsets[static_cast<size_t>(d)]) * step;
          rest /= out.shape.dims[d];
          step *= in.shape.dims[d];
        }
        std::memcpy(out.data + static_cast<size_t>(i * run) * size, in.data + static_cast<size_t>(at) * size,
                    static_cast<size_t>(run) * size);
      }
    });
  }
};

// --- Concatenate

class Concatenate final : public Operator {
 public:
  int axis = 0;

  Error reshape(Graph& g) override {
    Shape out = g.in(*this).shape;
    ET_XNN_CHECK(axis < out.rank, *this, InvalidArgument, "dimension %d of inputs of [%s]", axis, out.text().c_str());
    for (size_t i = 1; i < inputs.size(); ++i) {
      const Shape& s = g.in(*this, i).shape;
      Shape same = s;
      if (axis < s.rank) same.dims[axis] = out.dims[axis];
      ET_XNN_CHECK(same == out, *this, InvalidArgument,
                   "input %zu is [%s] behind inputs of [%s], joined at dimension %d", i + 1, s.text().c_str(),
                   out.text().c_str(), axis);
      out.dims[axis] += s.dims[axis];
    }
    ET_XNN_CHECK(out.fits(), *this, InvalidArgument, "a result of [%s]", out.text().c_str());
    g.values[outputs[0]].shape = out;
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& out = g.out(*this);
    const size_t size = element_size(out.storage);
    const int64_t outer = out.shape.numel(0, axis);
    const auto pitch = static_cast<size_t>(out.shape.numel(axis, out.shape.rank)) * size;
    size_t offset = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Value& in = g.in(*this, i);
      const auto run = static_cast<size_t>(in.shape.numel(axis, in.shape.rank)) * size;
      if (run == 0) continue;
      const uint8_t* from = in.data;
      uint8_t* to = out.data + offset;
      const auto grain = static_cast<int64_t>(std::max<size_t>(1, (1 << 16) / run));
      parallel_for(0, outer, grain, [&](int64_t first, int64_t end) {
        for (int64_t o = first; o < end; ++o) {
          std::memcpy(to + static_cast<size_t>(o) * pitch, from + static_cast<size_t>(o) * run, run);
        }
      });
      offset += run;
    }
  }
};

}  // namespace

// --- StaticTranspose

bool Transpose::fold(const Graph&, const Operator& front) {
  if (front.type != format::XnnNodeType::StaticTranspose) return false;
  const auto& first = static_cast<const Transpose&>(front);
  const std::vector<uint32_t>& before = first.folds >= 0 ? first.merged_ : first.perm;
  if (before.size() != perm.size()) return false;
  merged_.clear();
  for (const uint32_t d : perm) merged_.push_back(before[d]);
  return true;
}

Error Transpose::reshape(Graph& g) {
  const Shape& in = g.in(*this).shape;
  ET_XNN_CHECK(in.rank == static_cast<int>(perm.size()), *this, InvalidArgument,
               "a permutation of %zu dimensions for an input of [%s]", perm.size(), in.text().c_str());
  Shape out = in;
  bool moves = false;
  int64_t last = -1;
  for (int i = 0; i < in.rank; ++i) {
    const uint32_t from = now()[static_cast<size_t>(i)];
    out.dims[i] = in.dims[from];
    if (out.dims[i] == 1) continue;
    moves = moves || from < last;
    last = from;
  }
  // Where dimensions of 1 alone change places the bytes stay as they are.
  reuse = moves ? Reuse::None : Reuse::View;
  g.values[outputs[0]].shape = out;
  return Error::Ok;
}

void Transpose::run(Graph& g, uint8_t*) {
  const Value& in = g.in(*this);
  const Value& out = g.out(*this);
  if (reuse == Reuse::View) return copy_bytes(in, out);
  permute(dims_of(in.shape), now(), element_size(in.storage), in.data, out.data);
}

// --- Factories

Error make_copy(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Reshape>();
  ET_CHECK_OK_OR_RETURN_ERROR(read_moved(reader, *op));
  op->same_shape = true;
  op->reuse = Operator::Reuse::View;
  op->kind = "Copy (" + moved_width(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

Error make_static_reshape(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Reshape>();
  ET_CHECK_OK_OR_RETURN_ERROR(read_moved(reader, *op));
  std::span<const uint32_t> sizes;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.list("new_shape", &sizes));
  op->to.rank = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), op->to.dims);
  if (std::count(sizes.begin(), sizes.end(), 0u) > 1 || !op->to.fits()) {
    return reader.fail(Error::InvalidProgram, "new_shape: expected at most one inferred size, got [%s]",
                       op->to.text().c_str());
  }
  op->reuse = Operator::Reuse::View;
  op->kind = "Static Reshape (" + moved_width(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

Error make_static_transpose(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Transpose>();
  ET_CHECK_OK_OR_RETURN_ERROR(read_moved(reader, *op));
  std::span<const uint32_t> perm;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.list("perm", &perm));
  op->perm.assign(perm.begin(), perm.end());
  for (uint32_t d = 0; d < op->perm.size(); ++d) {
    if (std::count(op->perm.begin(), op->perm.end(), d) != 1) {
      return reader.fail(Error::InvalidProgram, "perm: expected each of %zu dimensions once", op->perm.size());
    }
  }
  op->kind = "Transpose (ND, " + moved_width(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

Error make_static_slice(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Slice>();
  ET_CHECK_OK_OR_RETURN_ERROR(read_moved(reader, *op));
  std::span<const uint32_t> offsets, sizes;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.list("offsets", &offsets));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.list("sizes", &sizes));
  if (offsets.size() != sizes.size()) {
    return reader.fail(Error::InvalidProgram, "expected as many offsets as sizes, got %zu and %zu", offsets.size(),
                       sizes.size());
  }
  op->offsets.assign(offsets.begin(), offsets.end());
  op->sizes_of.assign(sizes.begin(), sizes.end());
  op->kind = "Slice (ND, " + moved_width(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

Error make_concatenate(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Concatenate>();
  ET_CHECK_OK_OR_RETURN_ERROR(read_moved(reader, *op, reader.node().inputs().size()));
  const uint32_t axis = reader.node().uint_parameter("axis");
  // Negative ones count from the end.
  const int rank = reader.graph().in(*op).declared.rank;
  const auto wide = static_cast<int64_t>(static_cast<int32_t>(axis)) + (static_cast<int32_t>(axis) < 0 ? rank : 0);
  if (wide < 0 || wide >= kMaxDims) {
    return reader.fail(Error::InvalidProgram, "axis %d", static_cast<int>(static_cast<int32_t>(axis)));
  }
  op->axis = static_cast<int>(wide);
  op->kind = "Concatenate (ND, " + moved_width(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
