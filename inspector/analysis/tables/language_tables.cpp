// Tables token_steps, layer_costs and kv_caches.
#include <array>
#include <map>

#include "inspector/analysis/llm/llm.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::inspector {
namespace {

constexpr size_t kPrefill = static_cast<size_t>(TokenPhase::Prefill), kDecode = static_cast<size_t>(TokenPhase::Decode);

/// False: no language model, which has no rows.
Status open_language(const Store& store, int64_t trace_id, LlmView* out, bool* is_one) {
  OpTable shown;
  Status status = load_shown_ops(store, trace_id, {}, &shown);
  if (status.ok()) status = language_model(store, shown, out);
  *is_one = status.ok() && out->is_language_model();
  return status;
}

}  // namespace

std::span<const ComputedColumn> token_steps_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"run_id", "INTEGER", "execution, as in executions"},
      {"phase", "TEXT", "prefill, decode or other; unknown where nothing tells them apart"},
      {"sequence", "INTEGER", "prefill after decode begins another"},
      {"position", "INTEGER", "tokens before it in its sequence"},
      {"tokens", "INTEGER", "that it takes in, NULL where that is not known"},
      {"start_ns", "INTEGER", "in the unit of the trace"},
      {"duration_ns", "INTEGER", "in the unit of the trace"},
      {"cold", "INTEGER", "1: the first execution of its method"},
      {"complete", "INTEGER", "0: it ended early"},
  };
  return kColumns;
}

Status fill_token_steps(const Store& store, int64_t trace_id, ComputedRows* rows) {
  LlmView view;
  bool is_one = false;
  const Status status = open_language(store, trace_id, &view, &is_one);
  if (!is_one) return status;
  for (const TokenStep& s : view.steps.steps) {
    rows->add({s.run_id, view.phase_name(s.phase), int64_t{s.sequence}, s.position,
               s.tokens > 0 ? SqlValue(s.tokens) : SqlValue(), s.start, s.duration, int64_t{s.cold},
               int64_t{s.complete}});
  }
  return {};
}

std::span<const ComputedColumn> layer_costs_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"layer", "INTEGER", "number, NULL outside of layers"},
      {"kind", "TEXT", "attention, cache, mlp, norm, embedding, head, sampling, other, framework or unattributed"},
      {"prefill_ns", "REAL", "in a usual prefill step"},
      {"decode_ns", "REAL", "in a usual decode step"},
  };
  return kColumns;
}

Status fill_layer_costs(const Store& store, int64_t trace_id, ComputedRows* rows) {
  LlmView view;
  bool is_one = false;
  const Status status = open_language(store, trace_id, &view, &is_one);
  if (!is_one) return status;
  // A row a number, also where several stacks have layers.
  std::map<int64_t, std::array<PhasePair, kLayerKinds>> layers;
  for (const LayerCost& l : view.layers) {
    for (size_t kind = 0; kind < kLayerKinds; ++kind) {
      for (size_t phase = 0; phase < l.kinds[kind].size(); ++phase)
        layers[l.layer][kind][phase] += l.kinds[kind][phase];
    }
  }
  for (const auto& [number, kinds] : layers) {
    for (size_t kind = 0; kind < kLayerKinds; ++kind) {
      const PhasePair& time = kinds[kind];
      if (time[kPrefill] == 0 && time[kDecode] == 0) continue;
      rows->add({number >= 0 ? SqlValue(number) : SqlValue(), layer_kind_name(static_cast<LayerKind>(kind)),
                 time[kPrefill], time[kDecode]});
    }
  }
  return {};
}

std::span<const ComputedColumn> kv_caches_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"name", "TEXT", "fully qualified name of the buffer"},
      {"dtype", "TEXT", "torch's name"},
      {"shape", "TEXT", "[1, 8, 2048, 128]"},
      {"bytes", "INTEGER", "NULL where the shape is no number"},
      {"positions", "INTEGER", "that it has room for, NULL where that is not known"},
  };
  return kColumns;
}

Status fill_kv_caches(const Store& store, int64_t trace_id, ComputedRows* rows) {
  std::vector<KvCache> caches;
  const Status status = find_kv_caches(store, trace_id, &caches);
  for (const KvCache& c : caches) {
    rows->add({c.name, c.dtype, c.shape, c.bytes > 0 ? SqlValue(c.bytes) : SqlValue(),
               c.positions > 0 ? SqlValue(c.positions) : SqlValue()});
  }
  return status;
}

}  // namespace et::inspector
