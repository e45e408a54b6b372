// et-inspect gap as it is called, and its figures beside upstream's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "inspector/analysis/gap/found_inputs.h"
#include "inspector/analysis/gap/gap.h"
#include "inspector/analysis/gap/tensor_files.h"
#include "inspector/ingest/ingest.h"
#include "tests/golden/command.h"
#include "tests/support/run_inputs.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;
using inspector::open_tensor_files;
using inspector::parse_tensor_name;
using inspector::tensor_name;
using inspector::TensorName;
using test::write_record_without_inputs;
using test::write_zeros;
const std::string kFixtures = ET_FIXTURES;

struct UpstreamRow {
  std::string name;
  int64_t handle = 0;
  double mse = 0, l1 = 0, snr = 0;
};

std::vector<UpstreamRow> upstream_rows(std::string* line_of_titles) {
  std::ifstream in(kFixtures + "/numeric_gap/upstream.tsv");
  std::getline(in, *line_of_titles);
  std::vector<UpstreamRow> out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    UpstreamRow r;
    std::string mse, l1, snr;
    cells >> r.name >> r.handle >> mse >> l1 >> snr;
    r.mse = std::stod(mse);
    r.l1 = std::stod(l1);
    r.snr = std::stod(snr);  // Infinity, NaN
    out.push_back(r);
  }
  return out;
}

struct Measured {
  inspector::Store store;  // its sides read from it as long as they live
  inspector::GapSide run, reference;
  inspector::Gap gap;
};

std::unique_ptr<Measured> measure_case(const std::string& name) {
  auto made = std::make_unique<Measured>();
  Measured& out = *made;
  inspector::Store& store = out.store;
  EXPECT_TRUE(inspector::Store::open("", inspector::Store::Mode::Memory, &store).ok());
  const std::string folder = kFixtures + "/artifacts/" + name;
  inspector::IngestInputs in;
  in.dump = folder + "/debug.etdp";
  in.debug_buffer = folder + "/debug.bin";
  in.record = folder + "/etrecord.bin";
  in.program = folder + "/program.pte";
  inspector::IngestResult result;
  Status status = inspector::ingest(store, in, {}, &result);
  if (status.ok()) status = inspector::open_gap_side(store, result.trace_id, {}, {}, &out.run);
  if (status.ok())
    status = open_tensor_files(kFixtures + "/numeric_gap/" + name + ".npz",
                               inspector::handle_nodes(store, result.trace_id), &out.reference);
  if (status.ok())
    status = inspector::measure_run(store, result.trace_id, out.run, out.reference, nullptr, {}, &out.gap);
  EXPECT_TRUE(status.ok()) << status.message();
  return made;
}

TEST(Gap, FiguresAreUpstreams) {
  std::string titles, name;
  std::unique_ptr<Measured> made;
  for (const UpstreamRow& want : upstream_rows(&titles)) {
    if (want.name != name) made = measure_case(name = want.name);
    const Measured& m = *made;
    SCOPED_TRACE(want.name + " " + std::to_string(want.handle));
    const inspector::GapRow* found = nullptr;
    for (const inspector::GapRow& row : m.gap.rows) {
      if (m.reference.values[row.reference].name == std::to_string(want.handle)) found = &row;
    }
    ASSERT_NE(found, nullptr);
    const inspector::GapFigures& f = found->figures;
    EXPECT_NEAR(f.mse(), want.mse, 1e-9 * want.mse);
    EXPECT_NEAR(f.sum_abs, want.l1, 1e-9 * want.l1);
    if (std::isnan(want.snr) || std::isinf(want.snr)) {
      EXPECT_TRUE(f.exact());
    } else {
      EXPECT_NEAR(f.snr_db(), want.snr, 1e-9 * want.snr);
    }
  }
  EXPECT_EQ(titles, "case\thandle\tmse\tl1\tsnr");
}

TEST(Gap, NamesOfRecordedTensors) {
  const auto name = [](const char* text) {
    const std::optional<TensorName> n = parse_tensor_name(text);
    return n ? n->node + "/" + std::to_string(n->handle) + "/" + std::to_string(n->output) + "/" +
                   std::to_string(n->visit)
             : "none";
  };
  EXPECT_EQ(name("aten_add_tensor.npy"), "aten_add_tensor/-1/0/0");
  EXPECT_EQ(name("aten_topk_default.1@2.npy"), "aten_topk_default/-1/1/2");
  EXPECT_EQ(name("17.npy"), "/17/0/0");
  EXPECT_EQ(name("17.1.npy"), "/17/1/0");
  EXPECT_EQ(name("aten_add.x.npy"), "aten_add.x/-1/0/0");
  EXPECT_EQ(name("meta.json"), "none");
  EXPECT_EQ(name(".npy"), "none");
  EXPECT_EQ(name("forward/0/input_0.npy"), "none");
  EXPECT_EQ(tensor_name("a", 1, 2), "a.1@2");
}

struct Ran {
  int code = 0;
  std::string out, err;
};
Ran gap(const std::string& arguments) {
  const golden::CommandResult r = golden::run_command(std::string(ET_INSPECT_COMMAND) + " gap " + arguments,
                                                      ::testing::TempDir(), {"LC_ALL=C.UTF-8"}, 60);
  return {r.exit_code, r.out, r.err};
}
std::string artifact(const std::string& name) { return kFixtures + "/artifacts/" + name + "/debug.etdp"; }

TEST(GapCommand, TheGraphIsTheReference) {
  const Ran r = gap(artifact("lstm_xnnpack") + " -q");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("No value is beyond the tolerance."), std::string::npos) << r.out;
}

TEST(GapCommand, OtherInputsAreFarOff) {
  const Ran r = gap(artifact("add_mul") + " -q --zeros --fail-above 1%");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("First value that differs: add.out, node aten_add_tensor"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("other inputs?"), std::string::npos) << r.out;
  // Nobody is to blame: what the ops were fed is not known. That comes before any figure.
  EXPECT_NE(r.out.find("No op is known to add error, 0 only pass it on, of 2 it is not known (inputs not recorded"),
            std::string::npos)
      << r.out;
  const size_t inputs = r.out.find("The model's own inputs are probably not the reference's");
  ASSERT_NE(inputs, std::string::npos) << r.out;
  EXPECT_LT(inputs, r.out.find("First value that differs"));
}

TEST(GapCommand, TheOpThatIsBrokenAddsAndNoOther) {
  // A sum is logged with one wrong element; the product behind it was computed from the right one.
  const std::string original = kFixtures + "/artifacts/add_mul/debug.bin";
  const std::string broken = ::testing::TempDir() + "gap_broken.bin";
  std::ifstream in(original, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const float was = 2.0034873485565186F, wrong = 2.5F;
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&was), sizeof(was)));
  ASSERT_NE(at, std::string::npos);
  std::memcpy(bytes.data() + at, &wrong, sizeof(wrong));
  std::ofstream(broken, std::ios::binary) << bytes;
  const Ran r = gap(artifact("add_mul") + " -q --no-neighbours -b " + broken + " -e " + kFixtures +
                    "/artifacts/add_mul/etrecord.bin --fail-above 1%");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("First divergence: add.out, node aten_add_tensor, instruction 0"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("worst at [0, 0]: 2.5 instead of 2"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("1 op adds error, 0 only pass it on"), std::string::npos) << r.out;
}

TEST(GapCommand, MadeUpInputsAreThoseOfEtRun) {
  const std::string program = kFixtures + "/artifacts/many_outputs/program.pte";
  const std::string trace = ::testing::TempDir() + "gap_inputs.etdp", buffer = ::testing::TempDir() + "gap_inputs.bin";
  for (const std::string& inputs : std::vector<std::string>{"--ones", "--zeros", "--random 5"}) {
    const golden::CommandResult run =
        golden::run_command(std::string(ET_RUN_COMMAND) + " " + program + " -q -n 2 --etdump " + trace +
                                " --debug-buffer " + buffer + " " + inputs,
                            ::testing::TempDir(), {"LC_ALL=C.UTF-8"}, 60);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Ran r = gap(trace + " -b " + buffer + " --etrecord " + kFixtures + "/artifacts/many_outputs/etrecord.bin" +
                      " -q --no-neighbours --execution 1 --fail-above 0.1% " + inputs);
    EXPECT_EQ(r.code, 0) << inputs << r.err << r.out;
    EXPECT_NE(r.out.find("No value is beyond the tolerance."), std::string::npos) << r.out;
  }
}

TEST(GapCommand, ATraceAgainstItself) {
  const Ran r = gap(artifact("many_outputs") + " -q --fail-above 0 --against " + artifact("many_outputs"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("8 of 8 values compared, by instruction"), std::string::npos) << r.out;
}

TEST(GapCommand, RecordedTensorsOfAFolderOrAnArchive) {
  const Ran r = gap(artifact("memory_pools") + " -q --against " + kFixtures + "/numeric_gap/memory_pools.npz");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("7 of "), std::string::npos) << r.out;
}

/// A folder with files of fixtures, by the names that they get there.
std::string folder_of(const std::string& name, const std::vector<std::pair<std::string, std::string>>& files) {
  const std::string folder = ::testing::TempDir() + name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [from, to] : files) fs::copy_file(kFixtures + "/" + from, folder + "/" + to);
  return folder;
}

TEST(GapCommand, AFolderOfARunIsThatRunWhateverArraysAreInIt) {
  const std::string folder = folder_of("gap_run", {{"artifacts/many_outputs/debug.etdp", "debug.etdp"},
                                                   {"artifacts/many_outputs/debug.bin", "debug.bin"}});
  std::ofstream(folder + "/in0.npy") << "what it was fed";
  const Ran r = gap(artifact("many_outputs") + " -q --fail-above 0 --against " + folder);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("8 of 8 values compared, by instruction"), std::string::npos) << r.out;
}

/// A NumPy file of zeros.
TEST(GapCommand, ComparingNothingIsNoSuccess) {
  const std::string folder = folder_of("gap_arrays", {});
  write_zeros(folder + "/in0.npy", "1,", 1);
  for (const char* const format : {"table", "json"}) {
    const Ran r = gap(artifact("many_outputs") + " --format " + format + " --against " + folder);
    EXPECT_EQ(r.code, 1) << r.out;
    EXPECT_NE(r.err.find("no value was compared"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("1 array (in0), none named like a node"), std::string::npos) << r.err;
  }
}

TEST(GapCommand, InputsThatNobodyKeepsAreFoundBesideTheRun) {
  const std::string model = kFixtures + "/artifacts/many_outputs", folder = folder_of("gap_inputs", {});
  ASSERT_TRUE(write_record_without_inputs(model + "/etrecord.bin", folder + "/etrecord.bin"));
  const auto run_on = [&](const std::string& inputs) {
    const golden::CommandResult run =
        golden::run_command(std::string(ET_RUN_COMMAND) + " " + model +
                                "/program.pte -q --etdump run.etdp --debug-buffer run.bin " + inputs,
                            folder, {"LC_ALL=C.UTF-8"}, 60);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  };
  run_on("--zeros");
  const std::string command = folder + "/run.etdp --fail-above 0.1%";
  EXPECT_NE(gap(command).err.find("it keeps no inputs"), std::string::npos);
  write_zeros(folder + "/in0.npy", "3, 6", 18);
  const Ran found = gap(command);
  EXPECT_EQ(found.code, 0) << found.err << found.out;
  EXPECT_NE(found.err.find("the run was fed " + folder + "/in0.npy, found beside it"), std::string::npos) << found.err;
  EXPECT_EQ(gap(command + " --no-neighbours -b " + folder + "/run.bin -e " + folder + "/etrecord.bin").code, 3);
  // What somebody says comes first.
  run_on("--ones");
  EXPECT_EQ(gap(command).code, 1);
  EXPECT_EQ(gap(command + " --ones").code, 0);
  write_zeros(folder + "/in0.npy", "2, 6", 12);
  const Ran wrong = gap(command);
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.err.find("in0.npy, found beside the ETDump, cannot be the run's"), std::string::npos) << wrong.err;
}

TEST(GapCommand, ArraysAreInputsByTheirNames) {
  using inspector::input_arrays;
  using Paths = std::vector<std::string>;
  EXPECT_EQ(input_arrays({"r/in10.npy", "r/in0.npy", "r/in1.npy", "r/run.bin"}), Paths()) << "there is a gap";
  EXPECT_EQ(input_arrays({"r/in1.npy", "r/in0.npy", "r/out0.npy"}), (Paths{"r/in0.npy", "r/in1.npy"}));
  EXPECT_EQ(input_arrays({"input.npy"}), Paths{"input.npy"});
  EXPECT_EQ(input_arrays({"input_1.npy", "input_2.npy"}), (Paths{"input_1.npy", "input_2.npy"}));
  EXPECT_EQ(input_arrays({"in0.npy", "input0.npy"}), Paths()) << "which of them, nobody knows";
  EXPECT_EQ(input_arrays({"x.npy", "intermediate.npy"}), Paths());
}

TEST(GapCommand, RefusalsSayWhatIsMissing) {
  const auto message = [](const std::string& arguments) { return gap(arguments).err; };
  const std::string alone = kFixtures + "/artifacts/add_mul/debug.etdp --no-neighbours -q";
  EXPECT_NE(message(alone).find("give it with --debug-buffer"), std::string::npos) << message(alone);
  const std::string no_record = alone + " --debug-buffer " + kFixtures + "/artifacts/add_mul/debug.bin";
  EXPECT_NE(message(no_record).find("give the ETRecord with --etrecord"), std::string::npos) << message(no_record);
  EXPECT_NE(message(kFixtures + "/artifacts/add_mul/etdump.etdp -q").find("no logged values"), std::string::npos);
  EXPECT_NE(message(artifact("add_mul") + " -q --against " + kFixtures + "/numeric_gap/upstream.tsv").size(), 0U);
  EXPECT_NE(message(artifact("add_mul") + " -q --tolerance much").find("expected a share"), std::string::npos);
  EXPECT_NE(message(artifact("add_mul") + " -q --input x.npy").find("expected 2 tensors, got 1"), std::string::npos)
      << message(artifact("add_mul") + " -q --input x.npy");
}

TEST(GapCommand, DamagedReferencesAreRefused) {
  const std::string folder = ::testing::TempDir() + "gap_damaged";
  fs::create_directories(folder);
  std::ofstream(folder + "/1.npy") << "junk";
  EXPECT_NE(gap(artifact("add_mul") + " -q --against " + folder).err.find("1.npy: not a NumPy file"),
            std::string::npos);
  std::ifstream in(kFixtures + "/numeric_gap/memory_pools.npz", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (const size_t length : {size_t{500}, bytes.size() / 2, bytes.size() - 30}) {
    const std::string cut = ::testing::TempDir() + "gap_cut.npz";
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, length);
    const Ran r = gap(artifact("add_mul") + " -q --against " + cut);
    EXPECT_EQ(r.code, 3) << length;
    EXPECT_NE(r.err.find("gap_cut.npz: "), std::string::npos) << r.err;
  }
  const Ran record = gap(artifact("add_mul") + " -q --against " + kFixtures + "/artifacts/add_mul/etrecord.bin");
  EXPECT_NE(record.err.find("expected a run, got files without an ETDump"), std::string::npos) << record.err;
}

TEST(GapCommand, AnotherProgramsRecordIsNoReference) {
  const std::string wrong = " -q --no-neighbours --debug-buffer " + kFixtures + "/artifacts/add_mul/debug.bin" +
                            " --etrecord " + kFixtures + "/artifacts/lstm/etrecord.bin";
  const Ran r = gap(artifact("add_mul") + wrong);
  EXPECT_NE(r.code, 0);
}

}  // namespace
}  // namespace et::cli
