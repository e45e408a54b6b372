// What the panel Language model shows: the figures of the report, points, parts with their ops, sequences.
#include "gui/models/llm_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "gui/core/selection_cost.h"
#include "gui/models/module_pattern.h"
#include "inspector/report/llm_report.h"
#include "tests/gui/support/opened_trace.h"
#include "tests/gui/support/tokens_trace.h"

namespace et::gui::test {
namespace {

LlmModel model_of(const inspector::Store& store, std::shared_ptr<const TraceData> data) {
  inspector::LlmView view;
  const Status status = inspector::language_model(store, data->usual(), &view);
  EXPECT_TRUE(status.ok()) << status.message();
  LlmModel model;
  model.set(std::move(view), std::move(data));
  return model;
}

struct Tokens {
  Tokens() {
    write_tokens_trace(folder / "tokens.etdp");
    EXPECT_TRUE(inspector::Store::open("", inspector::Store::Mode::Memory, &store).ok());
    inspector::IngestInputs inputs;
    inputs.dump = folder / "tokens.etdp";
    inspector::IngestResult result;
    EXPECT_TRUE(inspector::ingest(store, inputs, nullptr, &result).ok());
    auto loaded = std::make_shared<TraceData>();
    const Status status = load_trace_data(store, 1, Cancel(), loaded.get());
    EXPECT_TRUE(status.ok()) << status.message();
    model = model_of(store, std::move(loaded));
  }
  TemporaryFolder folder;
  inspector::Store store;
  LlmModel model;
};

TEST(LlmModel, PointsAreTokensAndOneSlowTokenDoesNotFlattenTheOthers) {
  const Tokens t;
  ASSERT_TRUE(t.model.is_language_model());
  ASSERT_EQ(t.model.points().size(), 120U);
  double slowest = 0;
  for (const TokenPoint& p : t.model.points()) {
    slowest = std::max(slowest, p.time);
    EXPECT_NE(p.run, 0);
  }
  EXPECT_LT(t.model.highest(), slowest);
  EXPECT_GT(t.model.highest(), 20000 + 59 * 300 + 31000);
  ASSERT_TRUE(t.model.view().times.growth.has_value());
  EXPECT_NEAR(t.model.view().times.growth->per_token, 300, 20);
  EXPECT_EQ(t.model.points().back().sequence, 1);
}

TEST(LlmModel, WhatIsBeyondTheAxisComesTheSlowestFirst) {
  const Tokens t;
  const std::vector<size_t> beyond = t.model.beyond(t.model.highest());
  ASSERT_FALSE(beyond.empty());
  for (size_t i = 0; i < beyond.size(); ++i) {
    EXPECT_GT(t.model.points()[beyond[i]].time, t.model.highest()) << "what the axis shows stands where it is";
    if (i > 0) {
      EXPECT_GE(t.model.points()[beyond[i - 1]].time, t.model.points()[beyond[i]].time);
    }
  }
  EXPECT_EQ(std::count_if(t.model.points().begin(), t.model.points().end(),
                          [&](const TokenPoint& p) { return p.time > t.model.highest(); }),
            std::ssize(beyond));
  EXPECT_TRUE(t.model.beyond(1e12).empty());
}

TEST(LlmModel, WithoutDecodeThePointsArePrompts) {
  const Tokens t;
  EXPECT_FALSE(t.model.points_are_prompts());
  inspector::LlmView view = t.model.view();
  auto& steps = view.steps.steps;
  std::erase_if(steps, [](const auto& step) { return step.phase != inspector::TokenPhase::Prefill; });
  view.phases[1].executions = 0;
  LlmModel prompts;
  prompts.set(view, nullptr);
  EXPECT_TRUE(prompts.points_are_prompts());
  ASSERT_EQ(prompts.points().size(), steps.size());
  EXPECT_EQ(prompts.points().back().position, steps.back().execution);
}

TEST(LlmModel, A99thPercentileIsAStepThatTookItAndNoneOfFew) {
  const Tokens t;
  EXPECT_TRUE(std::any_of(t.model.points().begin(), t.model.points().end(),
                          [&](const TokenPoint& p) { return !p.cold && p.time == t.model.view().times.p99; }));
  const OpenedTrace few("nanogpt_xnnpack_qd4");
  const LlmModel model = model_of(few.store, few.data);
  EXPECT_EQ(model.view().times.p99, 0) << "of four warm executions";
  for (const auto& [name, text] : model.facts()) EXPECT_EQ(text.find("p99"), std::string::npos) << text;
}

TEST(LlmModel, SequencesHaveTheirPromptAndTheirTokens) {
  const Tokens t;
  ASSERT_EQ(t.model.sequences().size(), 2U);
  const LlmSequence &first = t.model.sequences()[0], &second = t.model.sequences()[1];
  EXPECT_TRUE(first.cold);
  EXPECT_FALSE(second.cold);
  EXPECT_EQ(second.tokens, 60);
  EXPECT_EQ(second.prompt, 9000 + 160000 + 210000 + 200);
  EXPECT_EQ(second.first_token, second.prompt);
  EXPECT_GT(second.token, 51000);
}

TEST(LlmModel, PartsAddUpToTheExecutionAndToTheirOps) {
  const Tokens t;
  for (const size_t phase : {0U, 1U}) {
    double sum = 0;
    for (const LlmPart& part : t.model.kinds()) sum += part.time[phase];
    EXPECT_NEAR(sum, t.model.view().phases[phase].median, 1);
  }
  for (const LlmPart& part : t.model.kinds()) {
    if (!part.kind) continue;
    for (const size_t phase : {0U, 1U}) {
      const std::vector<LlmOp> ops = t.model.ops_of(part, phase);
      const double sum =
          std::accumulate(ops.begin(), ops.end(), 0.0, [](double a, const LlmOp& op) { return a + op.time; });
      EXPECT_NEAR(sum, part.time[phase], 1) << part.name;
    }
    EXPECT_FALSE(t.model.selection_of(part).ops.empty()) << part.name;
  }
  EXPECT_STREQ(t.model.phase_title(0), "prefill");
  EXPECT_NE(t.model.csv().find("decode"), std::string::npos);
  EXPECT_FALSE(t.model.markdown().empty());
}

TEST(LlmModel, OpsOfOneNameAreOneGroupAndGroupsAddUpToTheirPart) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const LlmModel model = model_of(trace.store, trace.data);
  size_t several = 0;
  for (const LlmPart& part : model.kinds()) {
    if (!part.kind) continue;
    std::set<std::string> titles;
    double sum = 0;
    size_t ops = 0;
    for (const LlmGroup& group : model.groups_of(part)) {
      EXPECT_TRUE(titles.insert(group.title).second) << group.title;
      several += group.ops.size() > 1 ? 1 : 0;
      ops += group.ops.size();
      sum += group.time;
      std::vector<std::string> modules;
      for (const LlmOp& op : group.ops) {
        EXPECT_EQ(op.title, group.title);
        modules.push_back(op.module);
      }
      EXPECT_EQ(group.module, module_pattern(modules));
      EXPECT_EQ(model.selection_of(group).ops.empty(), model.selection_of(group.ops.front()).ops.empty());
    }
    EXPECT_EQ(ops, model.ops_of(part).size());
    EXPECT_NEAR(sum, part.time[model.main_phase()], 1) << part.name;
  }
  EXPECT_GT(several, 0U);
}

TEST(LlmModel, FiguresSayOfWhatTheyAre) {
  const Tokens t;
  const auto has = [](const LlmModel& model, const std::string& name) {
    return std::count_if(model.facts().begin(), model.facts().end(),
                         [&](const auto& fact) { return fact.first == name; });
  };
  EXPECT_EQ(has(t.model, "each token, warm median"), 1);
  const LlmSequence& cold = t.model.sequences()[0];
  EXPECT_GT(cold.median, 20000);
  EXPECT_LT(cold.median, cold.token) << "one slow token is in the mean";
  // Without a prefill there is no first token, which is told.
  inspector::LlmView view = t.model.view();
  view.times.first_token = view.times.cold_first_token = 0;
  view.phases[0].executions = 0;
  LlmModel none;
  none.set(view, nullptr);
  ASSERT_EQ(has(none, "first token"), 1);
  const auto first = std::find_if(none.facts().begin(), none.facts().end(),
                                  [](const auto& fact) { return fact.first == "first token"; });
  EXPECT_EQ(first->second, "not in this trace (no prefill)");
  // The first answer is what costs most.
  EXPECT_EQ(t.model.facts().front().first, "costliest");
  EXPECT_NE(t.model.facts().front().second.find(t.model.kinds().front().name), std::string::npos);
}

const LlmFigure* figure(const LlmModel& model, const std::string& name) {
  const auto& all = model.figures();
  const auto at = std::find_if(all.begin(), all.end(), [&](const LlmFigure& f) { return f.name == name; });
  return at == all.end() ? nullptr : &*at;
}

bool advises(const LlmModel& model, const std::string& what) {
  return std::any_of(model.steps().begin(), model.steps().end(),
                     [&](const OverviewStep& step) { return step.text.find(what) != std::string::npos; });
}

// Prefill and decode are figures of their own, in tokens a second of the medians that stand beside them.
TEST(LlmModel, TheFirstLookHasBothPhases) {
  const Tokens t;
  const inspector::TokenTimes& times = t.model.view().times;
  ASSERT_GT(times.median, 0);
  ASSERT_EQ(t.model.figures().size(), 4U);
  EXPECT_EQ(t.model.figures()[0].name, "First token");
  EXPECT_NE(t.model.figures()[0].value, "–");
  const LlmFigure* const decode = figure(t.model, "Decode");
  ASSERT_NE(decode, nullptr);
  const double rate = 1e9 / times.median;
  EXPECT_EQ(decode->value, inspector::format_real(rate, rate < 100 ? 1 : 0) + " tokens/s");
  EXPECT_TRUE(decode->note.starts_with(inspector::format_duration_with_unit(times.median, "ns") + " a token"))
      << decode->note;
  ASSERT_NE(figure(t.model, "Prefill"), nullptr);
  EXPECT_EQ(figure(t.model, "Each execution"), nullptr);
  ASSERT_NE(figure(t.model, "KV cache"), nullptr);
  EXPECT_EQ(figure(t.model, "KV cache")->value, "–") << "nothing is known of it without an ETRecord";
  EXPECT_TRUE(t.model.makes_tokens());
  EXPECT_FALSE(advises(t.model, "KV cache"));
  EXPECT_FALSE(advises(t.model, "--phase")) << "phases are recorded";
}

TEST(LlmModel, WithoutPhasesAnExecutionIsNoToken) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const LlmModel model = model_of(trace.store, trace.data);
  ASSERT_TRUE(model.makes_tokens()) << "it looks tokens up and has an output head";
  EXPECT_EQ(figure(model, "Decode"), nullptr);
  ASSERT_NE(figure(model, "Each execution"), nullptr);
  for (const LlmFigure& f : model.figures()) EXPECT_EQ(f.value.find("tokens/s"), std::string::npos) << f.name;
  ASSERT_NE(figure(model, "Layers"), nullptr);
  EXPECT_EQ(figure(model, "Layers")->value, "3");
  EXPECT_EQ(figure(model, "KV cache")->value, "none");
  EXPECT_TRUE(advises(model, "--phase"));
  EXPECT_TRUE(advises(model, "Export the model with a KV cache"));
}

// Of an encoder nothing holds that is said of tokens: neither a cache nor phases are advised.
TEST(LlmModel, AnEncoderHasNoAdviceOfTokens) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  inspector::LlmView view = model_of(trace.store, trace.data).view();
  view.kinds[static_cast<size_t>(inspector::LayerKind::Head)] = {};
  LlmModel encoder;
  encoder.set(view, trace.data);
  EXPECT_FALSE(encoder.makes_tokens());
  EXPECT_EQ(figure(encoder, "KV cache"), nullptr);
  EXPECT_TRUE(encoder.steps().empty());
  ASSERT_FALSE(encoder.lines().empty());
  EXPECT_TRUE(encoder.lines()[0].starts_with("An encoder")) << encoder.lines()[0];
  // The command says the same.
  ASSERT_FALSE(encoder.facts().empty());
  const auto has = [&](const char* name) {
    return std::any_of(encoder.facts().begin(), encoder.facts().end(), [&](const auto& f) { return f.first == name; });
  };
  EXPECT_TRUE(has("model"));
  EXPECT_FALSE(has("KV cache"));
  EXPECT_FALSE(has("prefill and decode"));
  ASSERT_NE(figure(encoder, "Executions a second"), nullptr);
}

// The row, the status bar and a note say one number: what calling a kernel takes is the kernel's.
TEST(LlmModel, WhatIsSelectedCostsWhatItsRowSays) {
  size_t with_calls = 0;
  for (const char* name : {"nanogpt_xnnpack_qd4", "lstm", "add_mul", "partial_delegation"}) {
    const OpenedTrace trace(name);
    const LlmModel model = model_of(trace.store, trace.data);
    for (const LlmPart& part : model.kinds()) {
      double sum = 0;
      for (const LlmOp& op : model.ops_of(part)) {
        double whole = trace.data->usual().ops[op.op].cost;
        for (const uint32_t call : op.calls) whole += trace.data->usual().ops[call].cost;
        with_calls += op.calls.empty() ? 0 : 1;
        EXPECT_NEAR(selection_cost(*trace.data, model.selection_of(op)).time, whole, 1e-6 * (1 + whole))
            << name << ": " << op.title;
        sum += whole;
      }
      const Selection all = model.selection_of(part);
      if (all.empty()) continue;
      EXPECT_NEAR(selection_cost(*trace.data, all).time, sum, 1e-6 * (1 + sum)) << name << ": " << part.name;
    }
  }
  EXPECT_GT(with_calls, 0U);
}

TEST(LlmModel, WhatTheRateLeavesOutStandsBesideIt) {
  const Tokens t;
  inspector::LlmView view = t.model.view();
  view.times.decode_time = 0.8e9;
  view.times.decode_wall = 1e9;
  view.times.warm_tokens = 1000;
  LlmModel model;
  model.set(view, nullptr);
  ASSERT_NE(figure(model, "Decode"), nullptr);
  EXPECT_TRUE(figure(model, "Decode")->note.ends_with("; 1,000 tokens/s with the time between"))
      << figure(model, "Decode")->note;
  view.times.decode_wall = view.times.decode_time;
  model.set(view, nullptr);
  EXPECT_EQ(figure(model, "Decode")->note.find("between"), std::string::npos);
  // A decoder's tokens are in the time, not in the rate.
  view.times.prompt_tokens = 120;
  view.times.prompt_rate = 1e-5;
  view.steps.other_tokens = 6;
  model.set(view, nullptr);
  ASSERT_NE(figure(model, "Prefill"), nullptr);
  EXPECT_TRUE(figure(model, "Prefill")->note.ends_with("; 6 of another input not counted"))
      << figure(model, "Prefill")->note;
}

TEST(LlmModel, LayersHaveTheTimeOfEachKind) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const LlmModel model = model_of(trace.store, trace.data);
  const size_t phase = model.main_phase();
  std::array<double, inspector::kLayerKinds> kinds = {};
  for (const LlmPart& layer : model.layers()) {
    double sum = 0;
    if (!layer.layer) continue;  // the variation is of none
    for (size_t k = 0; k < kinds.size(); ++k) sum += layer.by_kind[k][phase], kinds[k] += layer.by_kind[k][phase];
    EXPECT_NEAR(sum, layer.time[phase], 1e-6 * (1 + layer.time[phase])) << layer.name;
  }
  for (const LlmPart& kind : model.kinds()) {
    if (!kind.kind) continue;
    EXPECT_NEAR(kinds[static_cast<size_t>(*kind.kind)], kind.time[phase], 1e-6 * (1 + kind.time[phase])) << kind.name;
  }
}

TEST(LlmModel, OnABasisThatSlowExecutionsRuleTheSlowestIsTold) {
  const Tokens t;
  EXPECT_EQ(t.model.basis_hint(), "");
  inspector::LlmView view = t.model.view();
  view.basis.kind = inspector::BasisKind::Total;
  LlmModel total;
  total.set(view, nullptr);
  EXPECT_EQ(total.basis_hint(), "") << "twice the median is not slow";
  view.steps.steps.back().duration *= 10;
  total.set(view, nullptr);
  EXPECT_NE(total.basis_hint().find("times the median"), std::string::npos) << total.basis_hint();
}

TEST(LlmModel, OnABasisOfASlowExecutionItsNoteIsTold) {
  using inspector::Basis;
  using inspector::BasisKind;
  using Kind = inspector::ExecutionNote::Kind;
  std::vector<inspector::ExecutionNote> notes(3);
  notes[0].kind = Kind::Outlier, notes[0].execution = 4, notes[0].text = "#4 took long";
  notes[1].kind = Kind::Outlier, notes[1].execution = 7, notes[1].ordinal = 1, notes[1].text = "#7 took long";
  notes[2].kind = Kind::Cold, notes[2].execution = 0, notes[2].text = "cold";
  EXPECT_EQ(LlmModel::note_of(notes, {BasisKind::P99}), "#4 took long");
  EXPECT_EQ(LlmModel::note_of(notes, {BasisKind::Execution, 7}), "#7 took long");
  EXPECT_EQ(LlmModel::note_of(notes, {BasisKind::Execution, 0}), "");
  EXPECT_EQ(LlmModel::note_of(notes, {}), "");
  Tokens t;
  t.model.set(t.model.view(), nullptr, {.note = "#4 took long"});
  EXPECT_EQ(t.model.basis_hint(), "These times are of slow executions: #4 took long.");
}

TEST(LlmModel, LayersAreThoseOfTheGraphAndLeadToTheirLines) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const LlmModel model = model_of(trace.store, trace.data);
  std::set<int64_t> layers;
  for (const LlmPart& part : model.layers()) {
    if (!part.layer || *part.layer < 0) continue;
    layers.insert(*part.layer);
    EXPECT_FALSE(part.most.empty());
    const Selection chosen = model.selection_of(part);
    EXPECT_FALSE(chosen.nodes.empty()) << part.name;
    EXPECT_GT(chosen.parts.size(), 1U) << part.name;
    for (const Selection& one : chosen.parts) EXPECT_FALSE(one.ops.empty()) << part.name;
  }
  EXPECT_EQ(layers, (std::set<int64_t>{0, 1, 2}));
}

TEST(LlmModel, WhatIsNoneIsToldWhyAndHowToRecordOne) {
  const OpenedTrace trace("add_mul");
  const LlmModel model = model_of(trace.store, trace.data);
  EXPECT_FALSE(model.is_language_model());
  const auto [what, hint] = LlmModel::empty_text(model.view());
  EXPECT_NE(what.find("No tokens found"), std::string::npos);
  EXPECT_NE(hint.find("--phase"), std::string::npos);
}

}  // namespace
}  // namespace et::gui::test
