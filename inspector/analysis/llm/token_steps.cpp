#include "inspector/analysis/llm/token_steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "inspector/analysis/llm/layer_kind.h"
#include "inspector/analysis/llm/run_times.h"
#include "inspector/analysis/ops/executions.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/statistics.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr std::string_view kPrefillWords[] = {"prefill", "prompt", "context_encod"};
constexpr std::string_view kDecodeWords[] = {"decode", "generat", "kv_forward", "token_gen", "next_token"};
/// By time alone: a prompt takes so many times what a token takes.
constexpr double kPromptFactor = 2;
/// Of a usual execution, what a prompt makes longer at least.
constexpr double kMostOps = 0.6;

std::optional<TokenPhase> phase_of_name(std::string_view text) {
  const std::string name = lower_case(text);
  const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  // "text_decoder" is a model's part, not what it does.
  if (std::any_of(std::begin(kPrefillWords), std::end(kPrefillWords), has)) return TokenPhase::Prefill;
  if (name.find("decoder") == std::string::npos && std::any_of(std::begin(kDecodeWords), std::end(kDecodeWords), has))
    return TokenPhase::Decode;
  return std::nullopt;
}

/// Executions of methods, in the order of time.
Status read_steps(const Store& store, const OpTable& shown, TokenSteps* out,
                  std::unordered_map<int64_t, std::string>* phases) {
  std::unordered_map<int64_t, uint32_t> blocks;
  for (size_t i = 0; i < shown.blocks.size(); ++i) {
    if (shown.blocks[i].kind != "execute") continue;
    blocks.emplace(shown.blocks[i].id, static_cast<uint32_t>(i));
    for (const int64_t id : shown.blocks[i].merged) blocks.emplace(id, static_cast<uint32_t>(i));
  }
  ExecutionNumbers numbers(shown.blocks);
  Statement st = store.query(
      "SELECT run_id, block_id, start_ns, duration_ns, is_cold, complete, coalesce(phase, '') FROM executions "
      "WHERE trace_id = ?1 ORDER BY run_id");
  st.bind_all(shown.trace_id);
  while (st.step()) {
    const auto block = blocks.find(st.integer(1));
    if (block == blocks.end()) continue;
    TokenStep step;
    step.run_id = st.integer(0);
    step.block = block->second;
    step.execution = numbers.next(block->second);
    step.start = st.integer(2);
    step.duration = st.integer(3);
    step.cold = st.integer(4) != 0;
    step.complete = st.integer(5) != 0;
    if (!st.text(6).empty()) phases->emplace(step.run_id, st.str(6));
    out->steps.push_back(step);
  }
  std::stable_sort(out->steps.begin(), out->steps.end(),
                   [](const TokenStep& a, const TokenStep& b) { return a.start < b.start; });
  return st.finish("executions");
}

int64_t product_of(const Shape& shape, size_t dims) {
  int64_t product = 1;
  for (size_t i = 0; i < std::min(dims, shape.size()); ++i) product *= std::max<int64_t>(shape[i], 0);
  return product;
}

/// Tokens of each execution: the rows of what its embedding made, where that was logged.
Status read_logged_tokens(const Store& store, const OpTable& shown, std::unordered_map<int64_t, int64_t>* by_run) {
  std::set<int64_t> embeddings;
  for (const OpEntry& op : shown.ops) {
    const OpNode* node = shown.main_node(op);
    const std::string_view name =
        operator_base(node != nullptr ? std::string_view(node->node->op) : std::string_view(op.name));
    if (name.find("embedding") != std::string_view::npos) embeddings.insert(op.id);
  }
  if (embeddings.empty()) return {};
  Statement st = store.query(
      "SELECT run_id, op_id, shape FROM debug_values WHERE trace_id = ?1 AND op_id IS NOT NULL AND shape IS NOT NULL "
      "AND kind = 'tensor'");
  st.bind_all(shown.trace_id);
  while (st.step()) {
    const auto own = shown.find(st.integer(1));
    if (!own || !embeddings.contains(shown.ops[*own].id)) continue;
    const std::optional<Shape> shape = parse_shape(st.text(2));
    if (!shape || shape->size() < 2) continue;
    // Of several embeddings the one with most rows: that of positions may have one.
    int64_t& tokens = (*by_run)[st.integer(0)];
    tokens = std::max(tokens, product_of(*shape, shape->size() - 1));
  }
  return st.finish("logged values");
}

/// Tokens that each method takes: of the first integer input of its graph. 0: dynamic. `other`: of another one that
/// takes as many sequences, but of another length.
Status read_static_tokens(const Store& store, const OpTable& shown, std::map<std::string, int64_t>* by_method,
                          int64_t* other) {
  std::map<std::string, Shape> first;
  Statement st = store.query(
      "SELECT DISTINCT coalesce(method, ''), dtype, shape, ordinal FROM graph_values WHERE trace_id = ?1 AND role = "
      "'input' AND kind = 'user_input' AND shape IS NOT NULL ORDER BY ordinal");
  st.bind_all(shown.trace_id);
  while (st.step()) {
    const std::string_view dtype = st.text(1);
    if (dtype != "int64" && dtype != "int32") continue;
    const std::optional<Shape> shape = parse_shape(st.text(2));
    if (by_method->try_emplace(st.str(0), shape && !shape->empty() ? product_of(*shape, shape->size()) : 0).second) {
      if (shape) first[st.str(0)] = *shape;
      continue;
    }
    const Shape& counted = first[st.str(0)];
    if (shape && shape->size() == 2 && counted.size() == 2 && shape->front() == counted.front() && shape->back() > 1 &&
        shape->back() != counted.back())
      *other = product_of(*shape, shape->size());
  }
  return st.finish("graph inputs");
}

/// Whether a method gives a score for each word of its vocabulary, as many as an embedding has rows, or by the name of
/// what makes its output. An encoder takes tokens, too, and makes none.
Status read_word_scores(const Store& store, const OpTable& shown, bool* scores) {
  Statement st = store.query(
      "SELECT role, kind, coalesce(target, ''), shape FROM graph_values WHERE trace_id = ?1 AND shape IS NOT NULL AND "
      "((role = 'input' AND kind = 'parameter') OR (role = 'output' AND kind = 'user_output'))");
  st.bind_all(shown.trace_id);
  std::set<int64_t> rows, widths;
  bool any_output = false;
  while (st.step()) {
    const std::optional<Shape> shape = parse_shape(st.text(3));
    if (!shape || shape->empty()) continue;
    const std::string name = lower_case(st.text(2));
    if (st.text(0) == "output") {
      any_output = true;
      widths.insert(shape->back());
    } else if (shape->size() == 2 && (name.find("emb") != std::string::npos || name.find("wte") != std::string::npos ||
                                      name.find("tok") != std::string::npos)) {
      rows.insert(shape->front());
    }
  }
  *scores = !any_output || std::any_of(widths.begin(), widths.end(), [&](int64_t w) { return rows.contains(w); });
  if (Status s = st.finish("graph values"); !s.ok() || *scores) return s;
  for (const OpEntry& op : shown.ops) {
    const OpNode* const node = shown.main_node(op);
    if (node == nullptr) continue;
    const LayerKind kind = layer_kind(node->node->module_path, node->node->module_type, node->node->op);
    *scores = *scores || kind == LayerKind::Head || kind == LayerKind::Sampling;
  }
  return {};
}

std::string method_of(const OpTable& shown, const TokenStep& step) {
  const OpBlock& block = shown.blocks[step.block];
  return block.method.value_or(block.name);
}

/// `name_of`: what an execution is called, "" when it has no name.
template <class NameOf>
bool tell_by_name(const NameOf& name_of, TokenSteps* out) {
  bool any = false;
  for (TokenStep& step : out->steps) {
    const std::optional<TokenPhase> phase = phase_of_name(name_of(step));
    any = any || phase.has_value();
    step.phase = phase.value_or(TokenPhase::Other);
  }
  return any;
}

/// A prompt may be read token by token with the method that decodes; more often the phase was set too late.
void find_conflicts(const OpTable& shown, const std::unordered_map<int64_t, std::string>& phases, TokenSteps* out) {
  for (const TokenStep& step : out->steps) {
    const std::string method = method_of(shown, step);
    const std::optional<TokenPhase> named = phase_of_name(method);
    const auto phase = phases.find(step.run_id);
    if (!named || step.phase == TokenPhase::Other || *named == step.phase || phase == phases.end()) continue;
    auto it = std::find_if(out->conflicts.begin(), out->conflicts.end(),
                           [&](const PhaseConflict& c) { return c.method == method && c.phase == phase->second; });
    if (it == out->conflicts.end()) it = out->conflicts.insert(it, {method, phase->second, 0});
    ++it->executions;
  }
}

/// Beside a method that decodes, one that is named prefill makes no token.
template <class NameOf>
bool has_late_phases(const NameOf& name_of, const TokenSteps& steps) {
  const auto is_late = [](const PhaseConflict& c) {
    return phase_of_name(c.method) == TokenPhase::Prefill && phase_of_name(c.phase) == TokenPhase::Decode;
  };
  return std::any_of(steps.conflicts.begin(), steps.conflicts.end(), is_late) &&
         std::any_of(steps.steps.begin(), steps.steps.end(),
                     [&](const TokenStep& s) { return phase_of_name(name_of(s)) == TokenPhase::Decode; });
}

/// "decode" alone is also what a codec or a variational autoencoder does: of a language model it stands beside a
/// prompt, with a cache, or takes one token at a time.
template <class NameOf>
bool names_are_of_tokens(const NameOf& name_of, const TokenSteps& steps, bool has_cache) {
  return has_cache || std::any_of(steps.steps.begin(), steps.steps.end(), [&](const TokenStep& s) {
           if (s.phase != TokenPhase::Decode) return s.phase == TokenPhase::Prefill;
           return s.tokens == 1 || lower_case(name_of(s)).find(kDecodeWords[0]) == std::string::npos;
         });
}

/// One token is decode, more are a prompt. A step of unknown length stays what it is.
bool tell_by_tokens(TokenSteps* out) {
  const bool all = std::all_of(out->steps.begin(), out->steps.end(), [](const TokenStep& s) { return s.tokens > 0; });
  if (!all) return false;
  for (TokenStep& step : out->steps) step.phase = step.tokens > 1 ? TokenPhase::Prefill : TokenPhase::Decode;
  return true;
}

int64_t median_of_warm(const std::vector<TokenStep>& steps) {
  std::vector<int64_t> times;
  for (const TokenStep& step : steps) {
    if (!step.cold && step.complete) times.push_back(step.duration);
  }
  constexpr size_t kLeast = 4;
  return times.size() < kLeast ? 0 : static_cast<int64_t>(percentile(times, 0.5));
}

/// By step, the share of a usual execution's time in ops that took clearly longer than they usually do. A prompt makes
/// nearly all of them longer; a preempted execution one or two.
Status longer_ops(const Store& store, const OpTable& shown, const TokenSteps& steps, std::vector<double>* share) {
  constexpr double kClearly = 1.5;
  std::vector<const TokenStep*> all;
  for (const TokenStep& step : steps.steps) all.push_back(&step);
  share->assign(all.size(), 0);
  RunTimes times(store, shown, all);
  double usual = 0;
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    const OpEntry& op = shown.ops[i];
    if (op.encloses || !op.on_trace_clock() || op.count == 0 || shown.block_of(op).kind != "execute") continue;
    times.add(i);
    const std::vector<PartTime> ran = times.take();
    std::vector<int64_t> durations;
    for (const PartTime& t : ran) durations.push_back(t.time);
    const double median = percentile(durations, 0.5);
    usual += median;
    for (const PartTime& t : ran) {
      if (static_cast<double>(t.time) > kClearly * median) (*share)[t.execution] += median;
    }
  }
  for (double& s : *share) s = usual > 0 ? s / usual : 0;
  return times.finish();
}

/// A guess: what takes much longer than the median, in most of its ops. The cold execution is a prompt when others are:
/// alone it is slow by being first.
Status tell_by_time(const Store& store, const OpTable& shown, TokenSteps* out) {
  const auto median = static_cast<double>(median_of_warm(out->steps));
  const auto is_long = [&](const TokenStep& s) { return static_cast<double>(s.duration) > kPromptFactor * median; };
  const auto warm_and_long = [&](const TokenStep& s) { return !s.cold && is_long(s); };
  if (median <= 0 || std::none_of(out->steps.begin(), out->steps.end(), warm_and_long)) return {};
  std::vector<double> share;
  if (Status s = longer_ops(store, shown, *out, &share); !s.ok()) return s;
  for (size_t i = 0; i < out->steps.size(); ++i) {
    TokenStep& step = out->steps[i];
    if (!is_long(step) || share[i] < kMostOps) continue;
    step.phase = TokenPhase::Prefill;
    if (!step.cold) out->told_by = ToldBy::Time;
  }
  if (out->told_by == ToldBy::Time) return {};
  for (TokenStep& step : out->steps) step.phase = TokenPhase::Decode;
  return {};
}

/// Chunks of one prompt need a cache that keeps what came before them: without one each execution begins anew.
void number_positions(bool keeps_nothing, TokenSteps* out) {
  int64_t position = 0;
  int32_t sequence = 0;
  bool decoding = false, any = false;
  out->prompt_known = true;
  for (TokenStep& step : out->steps) {
    const bool chunk_before = keeps_nothing && position > 0;
    if (step.phase == TokenPhase::Prefill && (decoding || chunk_before)) {
      ++sequence;
      position = 0;
      decoding = false;
    }
    step.sequence = sequence;
    step.position = position;
    if (step.phase == TokenPhase::Other) continue;
    any = true;
    if (step.phase == TokenPhase::Decode) {
      decoding = true;
      ++position;
    } else {
      out->prompt_known = out->prompt_known && step.tokens > 0;
      position += step.tokens;
    }
  }
  out->sequences = any ? sequence + 1 : 0;
  // What runs before a prompt is for it: an image is encoded, then read.
  for (size_t i = out->steps.size(); i-- > 1;) {
    if (out->steps[i - 1].phase == TokenPhase::Other) out->steps[i - 1].sequence = out->steps[i].sequence;
  }
}

}  // namespace

const char* token_phase_name(TokenPhase phase) {
  return phase == TokenPhase::Prefill ? "prefill" : phase == TokenPhase::Decode ? "decode" : "other";
}

std::vector<const TokenStep*> TokenSteps::of(TokenPhase phase) const {
  std::vector<const TokenStep*> found;
  for (const TokenStep& step : steps) {
    if (step.phase == phase) found.push_back(&step);
  }
  return found;
}

Status find_token_steps(const Store& store, const OpTable& shown, bool has_cache, const TokenHints& hints,
                        TokenSteps* out) {
  *out = {};
  std::unordered_map<int64_t, std::string> phases;
  std::unordered_map<int64_t, int64_t> logged;
  std::map<std::string, int64_t> of_method;
  Status status = read_steps(store, shown, out, &phases);
  if (status.ok()) status = read_logged_tokens(store, shown, &logged);
  if (status.ok()) status = read_static_tokens(store, shown, &of_method, &out->other_tokens);
  if (!status.ok()) return status;
  bool dynamic = false;
  for (TokenStep& step : out->steps) {
    const auto at = logged.find(step.run_id);
    auto method = of_method.find(method_of(shown, step));
    if (method == of_method.end()) method = of_method.find("");  // a graph of no known method
    step.tokens = at != logged.end() ? at->second : method != of_method.end() ? method->second : 0;
    dynamic = dynamic || (method != of_method.end() && method->second == 0);
  }
  const auto phase_of = [&](const TokenStep& step) {
    const auto at = phases.find(step.run_id);
    return at == phases.end() ? std::string() : at->second;
  };
  const auto name_of = [&](const TokenStep& step) { return method_of(shown, step); };
  const bool phases_tell = tell_by_name(phase_of, out);
  if (phases_tell) find_conflicts(shown, phases, out);
  if (phases_tell && !hints.by_method.value_or(has_late_phases(name_of, *out))) {
    out->told_by = ToldBy::Phase;
  } else if (tell_by_name(name_of, out) &&
             (hints.by_method.value_or(false) || names_are_of_tokens(name_of, *out, has_cache))) {
    out->told_by = ToldBy::Method;
  } else if (phases_tell) {
    (void)tell_by_name(phase_of, out);
    out->told_by = ToldBy::Phase;
  } else {
    bool scores = has_cache;
    if (!scores) status = read_word_scores(store, shown, &scores);
    if (!status.ok()) return status;
    if (scores && tell_by_tokens(out)) {
      out->told_by = ToldBy::Shapes;
    } else {
      for (TokenStep& step : out->steps) step.phase = TokenPhase::Decode;
      if (scores && dynamic) status = tell_by_time(store, shown, out);
    }
  }
  for (TokenStep& step : out->steps) {
    if (step.phase != TokenPhase::Prefill || step.tokens > 0 || hints.prompt_tokens <= 0) continue;
    step.tokens = hints.prompt_tokens;
    out->prompt_given = true;
  }
  const bool guessed = out->told_by == ToldBy::Shapes || out->told_by == ToldBy::Time;
  number_positions(guessed && !has_cache, out);
  return status;
}

}  // namespace et::inspector
