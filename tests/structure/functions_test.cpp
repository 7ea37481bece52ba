// SPDX-License-Identifier: Apache-2.0
// The measures of structure_test.cpp see what they should.
#include "structure/functions.h"

#include <gtest/gtest.h>

#include "structure/sources.h"

namespace emgnn::testing {
namespace {

std::string found(std::string_view text) {
  std::string all;
  for (const FoundFunction& f : functions_of(text))
    all += f.name + " " + std::to_string(f.line) + "+" + std::to_string(f.num_lines) + "; ";
  return all;
}

TEST(Functions, AreFoundInNamespacesAndClasses) {
  EXPECT_EQ(
      found("namespace a {\nclass B : public C {\n public:\n  B(int x)\n      : x_(x) {\n  }\n"
            "  int f() const { return 1; }\n  int x_ = 0;\n};\n}\nextern \"C\" int g(int x)\n{\n"
            "  if (x) {\n  }\n  return 0;\n}\n"),
      "B 4+3; f 7+1; g 11+6; ");
  EXPECT_EQ(found("template <class T, class U = V<T>>\nstruct S {\n  T f(U a = {}) {\n  }\n};\n"
                  "template <class T>\nvoid h(T t) {\n}\n"),
            "f 3+2; h 6+3; ");
}

TEST(Functions, TablesAndEnumerationsAreNone) {
  EXPECT_EQ(found("const int k[] = {\n1,\n2};\nenum class E { a, b };\nint x{3};\n"
                  "const auto v = make({\n1,\n2});\nvoid f() {\n}\n"),
            "f 9+2; ");
}

TEST(Functions, BracesInCommentsLiteralsAndMacrosDoNotCount) {
  EXPECT_EQ(
      found("#define M(x) \\\n  if (x) {\nvoid f() {  // {\n  /* { */ g(\"{\\\"{\", '{', '\\'');\n"
            "  h(R\"x({ \")x\", 1'000'000);\n}\nvoid g() {}\n"),
      "f 3+4; g 7+1; ");
}

TEST(Functions, LambdasBelongToTheFunctionAroundThem) {
  EXPECT_EQ(found("void f() {\n  const auto g = [](int x) {\n    return x;\n  };\n}\n"), "f 1+5; ");
}

TEST(Sources, IncludesAreFoundWithTheirLines) {
  const std::vector<Include> includes =
      includes_of("// #include <a>\n#include <emgnn/em/b.h>\n\n  # include \"c.h\"  // why");
  ASSERT_EQ(includes.size(), 2U);
  EXPECT_EQ(includes[0].line, 2);
  EXPECT_EQ(room_of_header(includes[0].header), "em");
  EXPECT_EQ(includes[1].line, 4);
  EXPECT_EQ(includes[1].header, "c.h");
  EXPECT_EQ(room_of_header("emgnn/b.h"), "");
  EXPECT_EQ(room_of_header("vector"), "");
}

TEST(Sources, OfAVariableAreFoundWhereverTheyAreAdded) {
  const std::vector<std::string> found = listed_sources(
      "set(A\n  a/b.cpp\n  ${x}/c.cpp\n)\nset(B d.cpp)\nif(Y)\n  list(APPEND A e.cpp "
      "f.cpp)\nendif()",
      "A");
  EXPECT_EQ(found, (std::vector<std::string>{"a/b.cpp", "e.cpp", "f.cpp"}));
}

TEST(Sources, LinesAreCountedWithAndWithoutTheLastFeed) {
  EXPECT_EQ(num_lines(""), 0);
  EXPECT_EQ(num_lines("a\nb"), 2);
  EXPECT_EQ(num_lines("a\nb\n"), 2);
}

}  // namespace
}  // namespace emgnn::testing
