// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/state.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

using Scope = StateVisitor::Scope;

// One of everything.
struct Everything {
  at::Tensor f32 = at::zeros({2, 3}), f64 = at::zeros({2}, at::kDouble),
             i64 = at::zeros({3}, at::kLong), taken;
  std::vector<double> doubles;
  std::vector<int64_t> ints;
  double number = 0.0;
  int64_t count = 0;
  bool flag = false;
  std::vector<at::Tensor> several;
  bool has_part = false;
  double part = 0.0;

  static Everything filled() {
    Everything out;
    out.f32 = at::arange(6, at::kFloat).view({3, 2}).t();  // not contiguous
    out.f64 = at::tensor({0.1, -std::numeric_limits<double>::infinity()}, at::kDouble);
    out.i64 = at::tensor({std::numeric_limits<int64_t>::max(), int64_t{0}, int64_t{-5}}, at::kLong);
    out.taken = at::arange(4, at::kFloat).view({2, 2});
    out.doubles = {1.0 / 3.0, 1e300, std::numeric_limits<double>::infinity()};
    out.ints = {4, -4};
    out.number = 2.0 / 7.0;
    out.count = 11;
    out.flag = true;
    out.several = {at::ones({1}), at::full({2, 2}, 3.0, at::kDouble)};
    out.has_part = true;
    out.part = 5.0;
    return out;
  }

  void visit(StateVisitor& visitor) {
    visitor.tensor("f32", f32);
    visitor.tensor("f64", f64);
    visitor.tensor("i64", i64);
    visitor.tensor("taken", taken);
    visitor.numbers("doubles", doubles);
    visitor.numbers("ints", ints);
    visitor.number("number", number);
    visitor.number("count", count);
    visitor.flag("flag", flag);
    visitor.tensors("several/", {"a", "b"}, several);
    if (visitor.training() && visitor.has("part", has_part)) {
      has_part = true;
      visitor.number("part/value", part);
    }
  }
};

TensorArchive archive_of(Everything all, Scope scope = Scope::kTraining) {
  StateWriter writer(scope);
  all.visit(writer);
  return decode_tensors(encode_tensors(writer.archive), "f");
}

TEST(State, ComesBackBitForBit) {
  Everything want = Everything::filled();
  const TensorArchive archive = archive_of(want);
  Everything got;
  StateReader reader(archive, "f", Scope::kTraining);
  got.visit(reader);
  EXPECT_TRUE(got.f32.equal(want.f32));
  EXPECT_TRUE(got.f64.equal(want.f64));
  EXPECT_TRUE(got.i64.equal(want.i64));
  EXPECT_TRUE(got.taken.equal(want.taken));
  EXPECT_EQ(got.doubles, want.doubles);
  EXPECT_EQ(got.ints, want.ints);
  EXPECT_EQ(got.number, want.number);
  EXPECT_EQ(got.count, want.count);
  EXPECT_TRUE(got.flag);
  ASSERT_EQ(got.several.size(), 2U);
  EXPECT_TRUE(got.several[0].equal(want.several[0]));
  EXPECT_TRUE(got.several[1].equal(want.several[1]));
  EXPECT_EQ(got.part, 5.0);
  EXPECT_EQ(archive_of(got).tensors, archive.tensors);
}

TEST(State, OptionalPartsMayBeMissing) {
  Everything all = Everything::filled();
  all.has_part = false;
  const TensorArchive archive = archive_of(all);
  EXPECT_FALSE(archive.tensors.contains("part/value"));
  Everything got;
  StateReader reader(archive, "f", Scope::kTraining);
  got.visit(reader);
  EXPECT_FALSE(got.has_part);
}

TEST(State, TheModelGoesWithoutWhatOnlyTrainingNeeds) {
  const TensorArchive model = archive_of(Everything::filled(), Scope::kModel);
  EXPECT_FALSE(model.tensors.contains("part/value"));
  Everything got;
  StateReader reader(model, "f", Scope::kModel);
  EXPECT_NO_THROW(got.visit(reader));
  StateReader training(model, "f", Scope::kTraining);
  EXPECT_THROW(got.visit(training), DataError);
}

// Reads a changed archive; the message.
std::string error_of(const std::function<void(TensorArchive&)>& change) {
  TensorArchive archive = archive_of(Everything::filled());
  change(archive);
  StateReader reader(archive, "dir/file", Scope::kTraining);
  Everything got;
  try {
    got.visit(reader);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(State, EveryMissingEntryIsNamed) {
  for (const auto& [name, data] : archive_of(Everything::filled()).tensors) {
    const std::string want = "dir/file: " + name + " is missing";
    EXPECT_EQ(error_of([&](TensorArchive& archive) { archive.tensors.erase(name); }), want);
  }
}

TEST(State, EntryOfAnotherTypeIsNamed) {
  const TensorData ints = TensorData::from<int64_t>(std::vector<int64_t>{1, 2}, {2});
  const TensorData doubles = TensorData::from<double>(std::vector<double>{1.0, 2.0}, {2});
  const auto with = [](const std::string& name, const TensorData& data) {
    return error_of([&](TensorArchive& archive) { archive.tensors[name] = data; });
  };
  EXPECT_EQ(with("f64", ints), "dir/file: f64 has the wrong type");
  EXPECT_EQ(with("i64", doubles), "dir/file: i64 has the wrong type");
  EXPECT_EQ(with("doubles", ints), "dir/file: doubles has the wrong type");
  EXPECT_EQ(with("ints", doubles), "dir/file: ints has the wrong type");
  EXPECT_EQ(with("number", ints), "dir/file: number has the wrong type");
  EXPECT_EQ(with("flag", doubles), "dir/file: flag has the wrong type");
  EXPECT_EQ(with("part/present", doubles), "dir/file: part/present has the wrong type");
}

TEST(State, EntryOfAnotherShapeIsNamedWithBothShapes) {
  EXPECT_EQ(error_of([](TensorArchive& archive) {
              archive.tensors["f32"].shape = {3, 2};
            }),
            "dir/file: f32 is 3 x 2 there and 2 x 3 here");
  for (const char* name : {"number", "count", "flag"}) {
    EXPECT_EQ(error_of([&](TensorArchive& archive) {
                archive.tensors[name].shape = {0};
                archive.tensors[name].bytes.clear();
              }),
              std::string("dir/file: ") + name + " is not a single number");
  }
}

TEST(State, RowsOfNodesGoWhereTheNodesAre) {
  StateWriter writer(Scope::kModel);
  at::Tensor stored = at::arange(8, at::kFloat).view({4, 2});
  writer.node_tensor("weight", stored);
  at::Tensor here = at::zeros({3, 2}).set_requires_grad(true), taken;
  StateReader reader(writer.archive, "f", Scope::kModel, {2, 0, 3});
  reader.node_tensor("weight", here);
  reader.node_tensor("weight", taken);
  const at::Tensor want = stored.index_select(0, at::tensor({2, 0, 3}));
  EXPECT_TRUE(here.detach().equal(want));
  EXPECT_TRUE(taken.equal(want));
  EXPECT_TRUE(here.requires_grad());
  at::Tensor wide = at::zeros({3, 3}), other_type = at::zeros({3, 2}, at::kDouble);
  EXPECT_THROW(reader.node_tensor("weight", wide), DataError);
  EXPECT_THROW(reader.node_tensor("weight", other_type), DataError);
  // On the same graph they stay where they are.
  at::Tensor same = at::zeros({4, 2});
  StateReader(writer.archive, "f", Scope::kModel).node_tensor("weight", same);
  EXPECT_TRUE(same.equal(stored));
}

}  // namespace
}  // namespace emgnn
