// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/npy.h>

#include <cctype>
#include <charconv>
#include <utility>

#include <emgnn/formats/bytes.h>
#include <emgnn/formats/zip.h>

namespace emgnn {
namespace {

constexpr size_t kMaxHeaderBytes = 64 * 1024;

// The header is a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  struct Header {
    std::string descr;
    std::vector<int64_t> shape;
    bool fortran_order = false;
  };

  Header parse() {
    Header header;
    int seen = 0;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = quoted();
        seen |= 1;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        seen |= 2;
      } else if (key == "shape") {
        header.shape = tuple();
        seen |= 4;
      } else {
        fail("an unknown key");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail("text after its end");
    if (seen != 7) fail("no descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(fmt::format("{}: the .npy header has {}", where_, what));
  }
  void skip_blanks() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())))
      text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("no '{}' where one is expected", c));
  }
  std::string quoted() {
    expect('\'');
    const size_t end = text_.find('\'');
    if (end == std::string_view::npos) fail("an unfinished string");
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(std::string_view(word).size());
      return value;
    }
    fail("no True or False where one is expected");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc{}) fail("no number where one is expected");
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view text_;
  const std::string& where_;
};

// Leaves the reader at the first value.
HeaderParser::Header read_header(ByteReader& in) {
  if (in.take(6, "the .npy signature") != "\x93NUMPY") in.fail("expected a .npy array");
  const auto major = in.read<uint8_t>("the format version");
  in.read<uint8_t>("the format version");
  if (major < 1 || major > 3) in.fail(fmt::format(".npy version {} is not read", major));
  const size_t length = major == 1 ? in.read<uint16_t>("the header's length")
                                   : in.read<uint32_t>("the header's length");
  if (length > kMaxHeaderBytes) in.fail(fmt::format("a header of {} bytes is refused", length));
  return HeaderParser(in.take(length, "the header"), in.file()).parse();
}

// A zero-dimensional byte string, as scipy writes the word "csr".
std::string parse_word(std::string_view bytes, const std::string& where) {
  ByteReader in(bytes, where);
  const auto header = read_header(in);
  if (!header.descr.starts_with("|S") || !header.shape.empty()) in.fail("expected a byte string");
  return std::string(in.take(in.remaining(), "the string"));
}

}  // namespace

NdArray parse_npy(std::string_view bytes, const std::string& where) {
  ByteReader in(bytes, where);
  auto header = read_header(in);
  const auto dtype =
      header.descr.size() > 1
          ? dtype_from_code(std::string_view(header.descr).substr(1), header.descr[0])
          : std::nullopt;
  if (!dtype) in.fail(fmt::format("the dtype {:?} is not read", header.descr.substr(0, 40)));
  const std::string_view data = in.take(in.remaining(), "the values");
  return make_ndarray(*dtype, std::move(header.shape), header.fortran_order, data, where);
}

Npz::Npz(std::string_view bytes, std::string file) : file_(std::move(file)) {
  constexpr std::string_view kSuffix = ".npy";
  const ZipReader zip(bytes, file_);
  for (const std::string& member : zip.names()) {
    if (!member.ends_with(kSuffix)) {
      throw DataError(fmt::format("{}: member {:?} is not a .npy array", file_, member));
    }
    const std::string name = member.substr(0, member.size() - kSuffix.size());
    const auto [kept, is_new] = members_.emplace(name, zip.read(member));
    if (!is_new) throw DataError(fmt::format("{}: member {:?} is there twice", file_, member));
    if (name == "format") {
      format_ = parse_word(kept->second, where(name));
    } else {
      arrays_.emplace(name, parse_npy(kept->second, where(name)));
    }
  }
}

const NdArray& Npz::array(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    throw DataError(fmt::format("{}: no array {:?} in the archive", file_, name));
  return found->second;
}

SparseMatrix sparse_from_npz(const Npz& npz) {
  const std::vector<int32_t> shape = to_int32(npz.array("shape"), npz.where("shape"));
  if (shape.size() != 2)
    throw DataError(fmt::format("{}: expected rows and columns", npz.where("shape")));
  if (npz.format() != "csr" && npz.format() != "csc") {
    throw DataError(fmt::format("{}: expected csr or csc", npz.where("format")));
  }
  SparseMatrix matrix;
  matrix.by_column = npz.format() == "csc";
  matrix.num_rows = shape[0];
  matrix.num_cols = shape[1];
  matrix.indptr = npz.array("indptr");
  matrix.indices = npz.array("indices");
  matrix.data = npz.array("data");
  return matrix;
}

}  // namespace emgnn
