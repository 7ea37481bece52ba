// SPDX-License-Identifier: Apache-2.0
// The classes a pickle may name, each with the one way of building it that numpy and scipy write.
#include <utility>

#include <emgnn/formats/pickle_parser.h>

namespace emgnn {
namespace {

enum Class : int64_t {
  kCsrMatrix,
  kCscMatrix,
  kReconstruct,
  kNdArrayClass,
  kDTypeClass,
  kDefaultDict,
  kListClass
};

struct KnownClass {
  std::string_view module, name;
  Class id;
};

constexpr KnownClass kKnownClasses[] = {
    {"scipy.sparse.csr", "csr_matrix", kCsrMatrix},
    {"scipy.sparse.csc", "csc_matrix", kCscMatrix},
    {"numpy.core.multiarray", "_reconstruct", kReconstruct},
    {"numpy", "ndarray", kNdArrayClass},
    {"numpy", "dtype", kDTypeClass},
    {"collections", "defaultdict", kDefaultDict},
    {"__builtin__", "list", kListClass},
    {"builtins", "list", kListClass},
};

}  // namespace

void PickleParser::global() {
  const std::string_view module = in_.take_line("a module name");
  const std::string_view name = in_.take_line("a class name");
  for (const KnownClass& known : kKnownClasses) {
    if (known.module == module && known.name == name)
      return push({PickleKind::kClass, 0, known.id, name});
  }
  in_.fail(fmt::format("the class {:?} is refused",
                       fmt::format("{}.{}", module.substr(0, 80), name.substr(0, 80))));
}

const std::vector<uint32_t>& PickleParser::tuple(const Object& object, size_t size,
                                                 std::string_view what) const {
  if (object.kind != PickleKind::kTuple || pickle_.items_[object.slot].size() != size) {
    in_.fail(fmt::format("expected a tuple of {} as {}", size, what));
  }
  return pickle_.items_[object.slot];
}

bool PickleParser::boolean(uint32_t id, std::string_view what) const {
  const Object& found = object(id);
  if (found.kind == PickleKind::kInt && (found.integer == 0 || found.integer == 1))
    return found.integer == 1;
  return typed(id, PickleKind::kBool, what).integer != 0;
}

// callable, arguments -> object, in its state before BUILD
void PickleParser::reduce() {
  const Object arguments = object(pop("arguments"));
  const Object callable = typed(pop("a callable"), PickleKind::kClass, "to call");
  switch (callable.integer) {
    case kDTypeClass: {  // dtype('i4', 0, 1)
      const auto& args = tuple(arguments, 3, "the arguments of dtype");
      return push(
          {PickleKind::kDType, 0, 0, typed(args[0], PickleKind::kText, "as a dtype's code").text});
    }
    case kReconstruct: {  // _reconstruct(ndarray, (0,), b'b'); BUILD brings shape, type and bytes
      const auto& args = tuple(arguments, 3, "the arguments of _reconstruct");
      if (typed(args[0], PickleKind::kClass, "to reconstruct").integer != kNdArrayClass) {
        in_.fail("only numpy.ndarray may be reconstructed");
      }
      const auto slot = static_cast<uint32_t>(pickle_.arrays_.size());
      pickle_.arrays_.emplace_back().shape = {0};
      return push({PickleKind::kArray, slot, 0, {}});
    }
    case kDefaultDict: {  // defaultdict(list)
      const auto& args = tuple(arguments, 1, "the arguments of defaultdict");
      if (typed(args[0], PickleKind::kClass, "as a defaultdict's default").integer != kListClass) {
        in_.fail("expected defaultdict(list)");
      }
      return push_container(PickleKind::kDict, {});
    }
    default:
      in_.fail(fmt::format("calling '{}' is refused", callable.text));
  }
}

void PickleParser::new_object() {
  tuple(object(pop("arguments")), 0, "the arguments of a new object");
  const Object cls = typed(pop("a class"), PickleKind::kClass, "to make an object of");
  if (cls.integer != kCsrMatrix && cls.integer != kCscMatrix) {
    in_.fail(fmt::format("an object of class '{}' is refused", cls.text));
  }
  const auto slot = static_cast<uint32_t>(pickle_.sparse_.size());
  SparseMatrix& matrix = pickle_.sparse_.emplace_back();
  matrix.by_column = cls.integer == kCscMatrix;
  matrix.indptr.shape = matrix.indices.shape = matrix.data.shape = {0};
  push({PickleKind::kSparse, slot, 0, {}});
}

void PickleParser::build() {
  const Object state = object(pop("a state"));
  Object& target = pickle_.objects_[top("an object to build")];
  switch (target.kind) {
    case PickleKind::kDType:
      return build_dtype(target, state);
    case PickleKind::kArray:
      return build_array(target, state);
    case PickleKind::kSparse:
      return build_sparse(target, state);
    default:
      in_.fail(fmt::format("setting the state of {} is refused", name_of(target.kind)));
  }
}

// (3, '<', None, None, None, -1, -1, 0)
void PickleParser::build_dtype(Object& dtype, const Object& state) {
  const auto& items = tuple(state, 8, "the state of a dtype");
  const std::string_view order = typed(items[1], PickleKind::kText, "as a byte order").text;
  const auto known = order.size() == 1 ? dtype_from_code(dtype.text, order[0]) : std::nullopt;
  for (const size_t structured : {2, 3, 4})
    typed(items[structured], PickleKind::kNone, "in a plain dtype");
  if (!known)
    in_.fail(fmt::format("the dtype {:?} is not read",
                         fmt::format("{}{}", order.substr(0, 8), dtype.text.substr(0, 20))));
  dtype.slot = 1;
  dtype.integer = static_cast<int64_t>(*known);
}

// (1, shape, dtype, column-major?, bytes)
void PickleParser::build_array(Object& array, const Object& state) {
  const auto& items = tuple(state, 5, "the state of an array");
  std::vector<int64_t> shape;
  for (const uint32_t id : pickle_.items_[typed(items[1], PickleKind::kTuple, "as a shape").slot]) {
    shape.push_back(typed(id, PickleKind::kInt, "in a shape").integer);
  }
  const Object& dtype = typed(items[2], PickleKind::kDType, "of an array");
  if (dtype.slot != 1) in_.fail("a dtype without its byte order");
  const std::string_view bytes = typed(items[4], PickleKind::kText, "as an array's bytes").text;
  pickle_.arrays_[array.slot] = make_ndarray(static_cast<DType>(dtype.integer), std::move(shape),
                                             boolean(items[3], "as an array's order"), bytes,
                                             fmt::format("{}: byte {}", in_.file(), in_.offset()));
}

void PickleParser::build_sparse(Object& sparse, const Object& state) {
  if (state.kind != PickleKind::kDict) in_.fail("expected a dict as the state of a sparse matrix");
  SparseMatrix& matrix = pickle_.sparse_[sparse.slot];
  const std::vector<uint32_t>& items = pickle_.items_[state.slot];
  size_t num_parts = 0;
  for (size_t i = 0; i < items.size(); i += 2) {
    const std::string_view key = typed(items[i], PickleKind::kText, "as an attribute's name").text;
    if (key == "_shape") {
      const auto& shape = tuple(object(items[i + 1]), 2, "the shape of a sparse matrix");
      matrix.num_rows = typed(shape[0], PickleKind::kInt, "in a shape").integer;
      matrix.num_cols = typed(shape[1], PickleKind::kInt, "in a shape").integer;
    } else if (key == "indptr" || key == "indices" || key == "data") {
      const Object& part = typed(items[i + 1], PickleKind::kArray, "in a sparse matrix");
      (key == "indptr" ? matrix.indptr
       : key == "data" ? matrix.data
                       : matrix.indices) = pickle_.arrays_[part.slot];
    } else {
      continue;  // format, maxprint, has_sorted_indices: nothing that is not known already
    }
    ++num_parts;
  }
  if (num_parts != 4)
    in_.fail("expected _shape, indptr, indices and data, once each, in a sparse matrix");
}

}  // namespace emgnn
