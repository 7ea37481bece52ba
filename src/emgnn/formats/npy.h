// SPDX-License-Identifier: Apache-2.0
// Numpy's .npy arrays and .npz archives of them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <emgnn/formats/ndarray.h>

namespace emgnn {

// Versions 1 to 3, the dtypes of ndarray.h. The result looks into `bytes`.
NdArray parse_npy(std::string_view bytes, const std::string& where);

// The arrays of one archive, by name without ".npy".
class Npz {
 public:
  Npz(std::string_view bytes, std::string file);

  bool has(const std::string& name) const { return arrays_.contains(name); }
  const NdArray& array(const std::string& name) const;  // DataError when there is none
  const std::string& format() const {
    return format_;
  }  // scipy's word for the kind of sparse matrix, or empty
  std::string where(const std::string& name) const { return file_ + ": " + name; }

 private:
  std::string file_;
  std::map<std::string, std::string> members_;  // the bytes that the arrays look into
  std::map<std::string, NdArray> arrays_;
  std::string format_;
};

// A scipy.sparse.save_npz archive (format csr or csc), or DataError.
SparseMatrix sparse_from_npz(const Npz& npz);

}  // namespace emgnn
