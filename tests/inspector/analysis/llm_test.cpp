// Language models: which executions read a prompt, what a token and a position cost, and that costs add up.
#include "inspector/analysis/llm/llm.h"
#include "inspector/analysis/llm/layer_shapes.h"
#include "inspector/report/llm_report.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/inspector/analysis/imported.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector {
namespace {

struct Step {
  int64_t tokens;  ///< time grows with it
  std::string phase = {}, method = "forward";
  int64_t extra = 0;     ///< time of one op beyond that
  int64_t pause = 1000;  ///< after it
};

/// Two ops an execution, each 1 µs a token.
et::test::EtdumpBuilder dump_of(const std::vector<Step>& steps, bool trailer) {
  et::test::EtdumpBuilder builder;
  if (trailer) builder.trailer.emplace();
  uint64_t at = 1000, number = 0;
  for (const Step& s : steps) {
    const auto op = static_cast<uint64_t>(s.tokens * 1000), extra = static_cast<uint64_t>(s.extra);
    builder.run("Execute")
        .profile("native_call_embedding.out", 1, 0, at + 100, at + 100 + op)
        .profile("native_call_bmm.out", 1, 1, at + 100 + op, at + 100 + 2 * op + extra)
        .profile("Method::execute", 0, -1, at, at + 200 + 2 * op + extra);
    if (trailer)
      builder.trailer->runs.push_back({.method = s.method, .kind = "execute", .phase = s.phase, .execution = number++});
    at += 200 + 2 * op + extra + static_cast<uint64_t>(s.pause);
  }
  return builder;
}

struct Made {
  explicit Made(const std::vector<Step>& steps, bool trailer = true, const std::string& sql = "") {
    static int number = 0;
    const std::string path = testing::TempDir() + "llm_" + std::to_string(getpid()) + "_" + std::to_string(++number);
    const std::vector<uint8_t> bytes = dump_of(steps, trailer).bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestResult result;
    IngestInputs in;
    in.dump = path;
    Status s = ingest(store, in, {}, &result);
    std::remove(path.c_str());
    if (s.ok() && !sql.empty()) s = store.exec(sql.c_str());
    if (s.ok()) s = load_shown_ops(store, result.trace_id, {}, &shown);
    if (s.ok()) s = language_model(store, shown, &view);
    EXPECT_TRUE(s.ok()) << s.message();
  }
  std::string phases() const {
    std::string text;
    for (const TokenStep& s : view.steps.steps) text += token_phase_name(s.phase)[0];
    return text;
  }
  Store store;
  OpTable shown;
  LlmView view;
};

constexpr const char* kDynamicInput =
    "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, dtype, shape) "
    "VALUES(1, 'edge', '', 'input', 0, 'tokens', 'user_input', 'int64', '[1, s0]')";

TEST(LanguageModel, ThePhaseOfTheApplicationDecides) {
  const Made m({{8, "prefill"}, {1, "decode"}, {1, "decode"}, {1, "image"}, {8, "prompt"}, {9, "decode"}});
  EXPECT_EQ(m.phases(), "pddopd");
  EXPECT_EQ(m.view.steps.told_by, ToldBy::Phase);
  ASSERT_EQ(m.view.steps.sequences, 2);
  EXPECT_EQ(m.view.steps.steps[3].sequence, 1) << "what runs before a prompt is for it";
  EXPECT_EQ(m.view.steps.steps[2].position, 1);
  EXPECT_EQ(m.view.steps.steps[5].position, 0) << "the next sequence";
  EXPECT_FALSE(m.view.steps.prompt_known);
  // 2.2 µs of the image, a pause, 16.2 µs of the prompt.
  EXPECT_EQ(m.view.times.first_token, 2200 + 1000 + 16200);
  EXPECT_EQ(m.view.times.cold_first_token, 16200);
}

TEST(LanguageModel, APhaseThatContradictsTheMethodIsSaid) {
  const Made m(
      {{8, "decode", "prefill"}, {1, "decode", "decode"}, {1, "prefill", "decode"}, {8, "prefill", "prefill"}});
  EXPECT_EQ(m.phases(), "pddp") << "a prefill is no decode step: the phases came too late";
  EXPECT_EQ(m.view.steps.told_by, ToldBy::Method);
  LlmView by_phase;
  ASSERT_TRUE(language_model(m.store, m.shown, &by_phase, {.by_method = false}).ok());
  EXPECT_EQ(by_phase.steps.told_by, ToldBy::Phase);
  EXPECT_EQ(by_phase.steps.conflicts.size(), 2u);
  const Made token_by_token({{1, "prefill", "decode"}, {1, "prefill", "decode"}, {1, "decode", "decode"}});
  EXPECT_EQ(token_by_token.phases(), "ppd") << "the phase counts: a prompt may be read token by token";
  LlmView by_name;
  ASSERT_TRUE(language_model(token_by_token.store, token_by_token.shown, &by_name, {.by_method = true}).ok());
  EXPECT_EQ(by_name.steps.told_by, ToldBy::Method);
  ASSERT_EQ(m.view.steps.conflicts.size(), 2u);
  EXPECT_EQ(m.view.steps.conflicts[0].method, "prefill");
  EXPECT_EQ(m.view.steps.conflicts[0].phase, "decode");
  EXPECT_EQ(m.view.steps.conflicts[0].executions, 1);
  TimeUnit unit;
  const auto facts = llm_facts(m.view, unit);
  ASSERT_GT(facts.size(), 1u);
  EXPECT_EQ(facts[1].first, "phase and method");
  EXPECT_TRUE(facts[1].second.starts_with("1 execution of prefill with the phase decode; 1 execution of decode"))
      << facts[1].second;
  EXPECT_TRUE(Made({{8, "prefill", "forward"}, {1, "decode", "forward"}, {2, "image", "prefill"}})
                  .view.steps.conflicts.empty());
}

TEST(LanguageModel, NamesOfMethodsDecide) {
  const Made m({{8, "", "prefill_forward"}, {1, "", "kv_forward"}, {1, "", "kv_forward"}, {2, "", "vision_encoder"}});
  EXPECT_EQ(m.phases(), "pddo");
  EXPECT_EQ(m.view.steps.told_by, ToldBy::Method);
}

TEST(LanguageModel, ACodecsDecodeIsNoToken) {
  const Made codec({{8, "", "encode"}, {8, "", "decode"}, {8, "", "encode"}, {8, "", "decode"}});
  EXPECT_EQ(codec.view.steps.told_by, ToldBy::Nothing);
  EXPECT_FALSE(codec.view.is_language_model());
  const Made tokens({{8, "", "encode"}, {1, "", "decode"}, {1, "", "decode"}}, true,
                    "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, dtype, "
                    "shape) VALUES(1, 'decode', '', 'input', 0, 'token', 'user_input', 'int64', '[1, 1]')");
  EXPECT_EQ(tokens.view.steps.told_by, ToldBy::Method);
  EXPECT_EQ(tokens.phases(), "odd");
  const Made alone({{1, "", "generate_next"}, {1, "", "generate_next"}});
  EXPECT_EQ(alone.view.steps.told_by, ToldBy::Method);
}

TEST(LanguageModel, AllInOneMethodWithoutShapesIsNotToldApart) {
  const Made m({{8}, {1}, {1}, {1}, {1}, {8}, {1}, {1}}, false);
  EXPECT_EQ(m.view.steps.told_by, ToldBy::Nothing);
  EXPECT_EQ(m.phases(), "dddddddd");
  EXPECT_FALSE(m.view.is_language_model());
}

TEST(LanguageModel, WithDynamicShapesTimesTellPromptsFromPreemptedTokens) {
  const std::vector<Step> steps = {{8}, {1}, {1}, {1, "", "forward", 40000}, {1}, {8}, {1}, {1}, {1}, {1}};
  const Made m(steps, true, kDynamicInput);
  EXPECT_EQ(m.view.steps.told_by, ToldBy::Time);
  EXPECT_EQ(m.phases(), "pddddpdddd") << "one op was slow in the fourth, all of them in the sixth";
  const Made cold_only({{8}, {1}, {1}, {1}, {1}, {1}}, true, kDynamicInput);
  EXPECT_EQ(cold_only.phases(), "dddddd") << "the first may be slow by being first";
}

TEST(LanguageModel, AStaticShapeSaysHowManyTokens) {
  const Made one({{1}, {1}, {1}}, true,
                 "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, dtype, shape) "
                 "VALUES(1, 'edge', '', 'input', 0, 'tokens', 'user_input', 'int64', '[1, 1]')");
  EXPECT_EQ(one.view.steps.told_by, ToldBy::Shapes);
  EXPECT_EQ(one.phases(), "ddd");
  const Made all({{1}, {1}}, true,
                 "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, dtype, shape) "
                 "VALUES(1, 'edge', '', 'input', 0, 'tokens', 'user_input', 'int64', '[1, 64]')");
  EXPECT_EQ(all.phases(), "pp");
  EXPECT_EQ(all.view.times.prompt_tokens, 128);
}

TEST(LanguageModel, WhatTheTraceDoesNotSayOfAPromptCanBeGiven) {
  const Made m({{4, "prefill"}, {1, "decode"}, {1, "decode"}, {4, "prefill"}, {1, "decode"}});
  EXPECT_TRUE(m.view.prompt_missing());
  EXPECT_FALSE(m.view.steps.prompt_known);
  LlmView given;
  ASSERT_TRUE(language_model(m.store, m.shown, &given, {.prompt_tokens = 48}).ok());
  EXPECT_FALSE(given.prompt_missing());
  EXPECT_TRUE(given.steps.prompt_given);
  EXPECT_EQ(given.times.prompt_tokens, 96);
  EXPECT_GT(given.times.prompt_rate, 0);
  EXPECT_EQ(given.steps.steps[1].position, 48);
  const Made known({{1}, {1}}, true,
                   "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, dtype, shape) "
                   "VALUES(1, 'edge', '', 'input', 0, 'tokens', 'user_input', 'int64', '[1, 64]')");
  ASSERT_TRUE(language_model(known.store, known.shown, &given, {.prompt_tokens = 48}).ok());
  EXPECT_FALSE(given.steps.prompt_given) << "what the trace says stands";
  EXPECT_EQ(given.times.prompt_tokens, 128);
}

TEST(LanguageModel, PositionCostsOnlyWhereItIsNotNoise) {
  std::vector<Step> growing, steady;
  growing.push_back({64, "prefill"});
  steady.push_back({64, "prefill"});
  for (int64_t i = 0; i < 60; ++i) {
    const int64_t noise = i * 7919 % 97;
    growing.push_back({4, "decode", "forward", i * 100 + noise});
    steady.push_back({4, "decode", "forward", noise});
  }
  growing[30].extra = 90000;  // preempted
  const Made a(growing), b(steady);
  ASSERT_TRUE(a.view.times.growth.has_value());
  EXPECT_NEAR(a.view.times.growth->per_token, 100, 5);
  EXPECT_EQ(a.view.times.growth->last, 59);
  EXPECT_FALSE(b.view.times.growth.has_value());
}

TEST(LanguageModel, RatesLeaveOutTheColdToken) {
  const Made m({{50, "decode"}, {1, "decode"}, {1, "decode"}, {1, "decode"}});
  EXPECT_EQ(m.view.times.tokens, 4);
  EXPECT_EQ(m.view.times.warm_tokens, 3);
  EXPECT_EQ(m.view.times.decode_time, 3 * 2200);
  EXPECT_EQ(m.view.times.decode_wall, 3 * 2200 + 2 * 1000);
}

TEST(LanguageModel, CachesAreBuffersThatAreWritten) {
  const std::string row =
      "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, target, dtype, shape) VALUES";
  const Made m(
      {{1, "decode"}, {1, "decode"}}, true,
      row + "(1, 'edge', '', 'output', 0, 'a', 'buffer_mutation', 'l.0.k_cache', 'float16', '[1, 2, 32, 16]')," +
          "(1, 'edge2', '', 'output', 0, 'a', 'buffer_mutation', 'l.0.k_cache', 'float16', '[1, 2, 32, 16]')," +
          "(1, 'edge', '', 'output', 1, 'b', 'buffer_mutation', 'l.0.v_cache', 'int8', '[1, 64, 2, 16]')," +
          "(1, 'edge', '', 'output', 2, 'c', 'buffer_mutation', 'running_mean', 'float32', '[16]')");
  ASSERT_EQ(m.view.caches.size(), 2u);
  EXPECT_EQ(m.view.cache_bytes(), 2 * 2 * 32 * 16 + 64 * 2 * 16);
  EXPECT_EQ(m.view.cache_positions(), 32);
}

TEST(LanguageModel, KindsAreToldByModulesAndOperators) {
  struct Case {
    const char *path, *type, *op;
    LayerKind kind;
    int64_t layer;
  };
  const Case cases[] = {
      {"layers.3.attention.wq", "torch.nn.modules.linear.Linear", "aten.mm.default", LayerKind::Attention, 3},
      {"layers.3.attention_norm", "norm.RMSNorm", "aten.mul.Tensor", LayerKind::Norm, 3},
      {"layers.3.attention.kv_cache", "KVCache", "aten.index_put.default", LayerKind::Cache, 3},
      {"layers.3.attention", "Attention", "llama.update_cache.default", LayerKind::Cache, 3},
      {"layers.12.feed_forward.w1", "Linear", "aten.mm.default", LayerKind::Mlp, 12},
      {"model.layers.0.mlp.down_proj", "Linear", "aten.linear.default", LayerKind::Mlp, 0},
      {"transformer.h.1.attn.c_attn", "Linear", "aten.addmm.default", LayerKind::Attention, 1},
      {"transformer.h.1.ln_1", "torch.nn.modules.normalization.LayerNorm", "aten.add.Tensor", LayerKind::Norm, 1},
      {"bert.encoder.layer.2.attention.output.dense", "Linear", "aten.mm.default", LayerKind::Attention, 2},
      {"tok_embeddings", "Embedding", "aten.embedding.default", LayerKind::Embedding, -1},
      {"output", "Linear", "aten.mm.default", LayerKind::Head, -1},
      {"lm_head", "Linear", "aten.mm.default", LayerKind::Head, -1},
      {"model.layers.0.gate", "Linear", "aten.linear.default", LayerKind::Mlp, 0},
      {"model.layers.0.down", "Linear", "aten.linear.default", LayerKind::Mlp, 0},
      {"model.layers.0.q", "Linear", "aten.linear.default", LayerKind::Attention, 0},
      {"encoder.layers.1.linear1", "torch.nn.modules.linear.Linear", "aten.addmm.default", LayerKind::Mlp, 1},
      {"decoder.block.0.layer.2.DenseReluDense.wo", "Linear", "aten.mm.default", LayerKind::Mlp, 0},
      {"decoder.block.0.layer.1.EncDecAttention.o", "Linear", "aten.mm.default", LayerKind::Attention, 0},
      {"model.layers.0", "Layer", "aten.add.Tensor", LayerKind::Other, 0},
      {"", "GPT", "aten.argmax.default", LayerKind::Sampling, -1},
      {"", "", "native_call_native_layer_norm.out", LayerKind::Norm, -1},
      {"", "", "aten.add.Tensor", LayerKind::Other, -1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(layer_kind(c.path, c.type, c.op), c.kind) << c.path << " " << c.op;
    EXPECT_EQ(layer_number(c.path), c.layer) << c.path;
  }
}

TEST(LanguageModel, ShapesTellWhatNoNameDoes) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  std::string sql = "INSERT INTO raw_trace(id, dump_path, unit, events, executions) VALUES(1, 'd', 'ns', 0, 0);";
  const auto weight = [&](const std::string& name, const std::string& module, const std::string& shape) {
    sql +=
        "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, target, shape) VALUES(1, "
        "'edge', "
        "'', 'input', 0, '" +
        name + "', 'parameter', '" + module + ".weight', '" + shape + "');";
  };
  std::vector<NodeFacts> nodes;
  const auto node = [&](const std::string& op, const std::string& module, const std::string& shape,
                        const std::string& arguments = "") {
    NodeFacts& n = nodes.emplace_back();
    n.id = static_cast<int64_t>(nodes.size());
    n.op = op;
    n.module_path = module;
    sql +=
        "INSERT INTO raw_node(id, trace, graph, subgraph, ordinal, name, target, op, module_path, shape, arguments) "
        "VALUES(" +
        std::to_string(n.id) + ", 1, 'edge', '', 0, 'n', 't', '" + op + "', " + std::to_string(store.intern(module)) +
        ", '" + shape + "', '" + arguments + "');";
  };
  weight("w_tok", "tok", "[500, 64]");
  weight("w_a", "blocks.0.a", "[64, 64]");
  weight("w_k", "blocks.0.k2", "[32, 64]");
  weight("w_b", "blocks.0.b", "[160, 64]");
  weight("w_c", "blocks.0.c", "[64, 160]");
  weight("w_x", "tower.1.x", "[160, 64]");  // nothing undoes it
  node("aten.embedding.default", "tok", "[1, s0, 64]", "weight=w_tok, indices=ids");
  node("aten.linear.default", "blocks.0.a", "[1, s0, 64]");
  node("aten.linear.default", "blocks.0.k2", "[1, s0, 32]");
  node("aten.linear.default", "blocks.0.b", "[1, s0, 160]");
  node("aten.mul.Tensor", "blocks.0", "[1, s0, 160]");
  node("aten.linear.default", "blocks.0.c", "[1, s0, 64]");
  node("aten.add.Tensor", "blocks.0", "[1, s0, 64]");
  node("aten._softmax.default", "blocks.0", "[1, 4, s0, s0]");
  node("aten.linear.default", "", "[1, s0, 500]");
  node("aten.linear.default", "tower.1.x", "[1, s0, 160]");
  // As many positions as channels: their sum is no head.
  weight("w_pos", "pos", "[64, 64]");
  node("aten.embedding.default", "pos", "[1, s0, 64]", "weight=w_pos, indices=at");
  node("aten.add.Tensor", "", "[1, s0, 64]");
  ASSERT_TRUE(store.exec(sql.c_str()).ok());
  LayerShapes shapes;
  ASSERT_TRUE(shapes.load(store, 1).ok());
  std::string found;
  for (const NodeFacts& n : nodes) found += std::string(found.empty() ? "" : " ") + layer_kind_name(shapes.kind(n));
  EXPECT_EQ(found, "embedding attention attention mlp mlp mlp other attention head other embedding other");
}

TEST(LanguageModel, WhatIsInFrontOfTheLayersIsNoHead) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  std::string sql =
      "INSERT INTO raw_trace(id, dump_path, unit, events, executions) VALUES(1, 'd', 'ns', 0, 0);"
      "INSERT INTO raw_graph_value(trace, graph, subgraph, role, ordinal, name, kind, target, shape) VALUES"
      "(1, 'edge', '', 'input', 0, 'w_pos', 'parameter', 'pos.weight', '[100, 64]'),"
      "(1, 'edge', '', 'input', 1, 'w_tok', 'parameter', 'tok.weight', '[500, 64]'),"
      "(1, 'edge', '', 'input', 2, 'x', 'user_input', NULL, '[1, 40, 200]'),"
      "(1, 'edge', '', 'input', 3, 'ids', 'user_input', NULL, '[1, 8]');";
  std::vector<NodeFacts> nodes;
  const auto node = [&](const std::string& name, const std::string& op, const std::string& module,
                        const std::string& shape, const std::string& arguments = "") {
    NodeFacts& n = nodes.emplace_back();
    n.id = static_cast<int64_t>(nodes.size());
    n.op = op;
    n.module_path = module;
    sql +=
        "INSERT INTO raw_node(id, trace, graph, subgraph, ordinal, name, target, op, module_path, shape, arguments) "
        "VALUES(" +
        std::to_string(n.id) + ", 1, 'edge', '', 0, '" + name + "', 't', '" + op + "', " +
        std::to_string(store.intern(module)) + ", '" + shape + "', '" + arguments + "');";
  };
  // An audio encoder: as many frames as positions, in the last dimension of what its convolutions make.
  node("conv", "aten.convolution.default", "conv", "[1, 64, 100]", "input=x, weight=w");
  node("gelu", "aten.gelu.default", "", "[1, 64, 100]", "self=conv");
  node("count", "aten.arange.start_step", "", "[100]", "start=0, end=100");
  node("at", "aten.embedding.default", "pos", "[100, 64]", "weight=w_pos, indices=count");
  // Its decoder: tokens are given, and viewed before they are looked up.
  node("view", "aten.view_copy.default", "", "[8]", "self=ids, size=[8]");
  node("tok", "aten.embedding.default", "tok", "[8, 64]", "weight=w_tok, indices=view");
  node("wide", "aten.linear.default", "", "[8, 500]", "input=tok");
  node("mm", "aten.linear.default", "blocks.0.q", "[1, 8, 64]");
  node("narrow", "aten.linear.default", "", "[1, 8, 100]");
  node("logits", "aten.linear.default", "", "[1, 8, 500]");
  node("conv2", "aten.convolution.default", "", "[1, 64, 500]");
  ASSERT_TRUE(store.exec(sql.c_str()).ok());
  LayerShapes shapes;
  ASSERT_TRUE(shapes.load(store, 1).ok());
  std::string found;
  for (const NodeFacts& n : nodes) found += std::string(found.empty() ? "" : " ") + layer_kind_name(shapes.kind(n));
  EXPECT_EQ(found, "other other other embedding other embedding other attention other head other");
}

TEST(LanguageModel, AnEncoderHasOtherLayersThanItsDecoder) {
  EXPECT_EQ(layer_stack("encoder.block.0.layer.1"), "encoder.block");
  EXPECT_EQ(layer_stack("layers.12.attention"), "layers");
  EXPECT_EQ(layer_stack("lm_head"), "");
  EXPECT_EQ(layer_number("lm_head"), -1);
}

TEST(LanguageModel, KindsLayersAndVariationAddUpToTheMedian) {
  for (const char* name : {"nanogpt_xnnpack_qd4", "lstm", "mobilenet_v2_035_xnnpack_int8", "control_flow_map"}) {
    const test::ImportedFixture in(name);
    OpTable shown;
    LlmView view;
    ASSERT_TRUE(load_shown_ops(in.store, 1, {}, &shown).ok());
    ASSERT_TRUE(language_model(in.store, shown, &view).ok());
    for (size_t p = 0; p < 2; ++p) {
      double kinds = view.phases[p].variation, layers = kinds;
      for (const PhasePair& kind : view.kinds) kinds += kind[p];
      for (const LayerCost& layer : view.layers) layers += layer.time[p];
      EXPECT_NEAR(kinds, view.phases[p].median, 1e-6 * view.phases[p].median) << name;
      EXPECT_NEAR(layers, view.phases[p].median, 1e-6 * view.phases[p].median) << name;
    }
    // All executions of one phase: what the warm median of all tables is.
    EXPECT_NEAR(view.phases[1].median, shown.blocks[0].kind == "execute" ? shown.blocks[0].cost : shown.blocks[1].cost,
                1e-6 * view.phases[1].median)
        << name;
  }
}

}  // namespace
}  // namespace et::inspector
