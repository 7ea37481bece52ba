// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/distinct_rows.h>

#include <algorithm>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/nested.h>

namespace emgnn {

namespace {
constexpr int64_t kGrain = 128;  // rows
}  // namespace

void DistinctRows::apply(int64_t width, const float* in, float* out) const {
  // Two lists per row, the second of which is empty.
  std::vector<int32_t> starts, length, none(self.size(), 0);
  starts.reserve(2 * self.size() + 1);
  length.reserve(self.size());
  for (size_t k = 0; k < self.size(); ++k) {
    starts.push_back(start[k]);
    starts.push_back(start[k + 1]);
    length.push_back(start[k + 1] - start[k]);
  }
  starts.push_back(start.back());
  const kernels::NestedCounts counts{length.data(), none.data()};
  kernels::nested_spmm(
      {static_cast<int32_t>(num_rows()), static_cast<int32_t>(num_inputs()), starts.data(),
       col.data(), val.empty() ? nullptr : val.data()},
      {.width = width, .counts = &counts, .row_factor = factor.data(), .in = in, .out = out});
}

Csr DistinctRows::transposed() const {
  Csr out{.num_rows = static_cast<int32_t>(num_inputs()),
          .num_cols = static_cast<int32_t>(num_rows())};
  out.rowptr.assign(input_nodes.size() + 1, 0);
  out.col.resize(col.size());
  out.val.resize(col.size());
  for (const int32_t j : col) ++out.rowptr[static_cast<size_t>(j) + 1];
  for (size_t j = 1; j < out.rowptr.size(); ++j) out.rowptr[j] += out.rowptr[j - 1];
  std::vector<int32_t> next(out.rowptr.begin(), out.rowptr.end() - 1);
  for (size_t k = 0; k < self.size(); ++k) {
    for (auto e = static_cast<size_t>(start[k]); e < static_cast<size_t>(start[k + 1]); ++e) {
      const auto at = static_cast<size_t>(next[static_cast<size_t>(col[e])]++);
      out.col[at] = static_cast<int32_t>(k);
      out.val[at] = val.empty() ? factor[k] : factor[k] * val[e];
    }
  }
  return out;
}

void DistinctRows::spread(int64_t width, const float* h, float* out) const {
  parallel_for(static_cast<int64_t>(place.size()), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::copy_n(h + place[static_cast<size_t>(i)] * width, width, out + i * width);
  });
}

// The rows of one output row are written by one thread, graph after graph.
void DistinctRows::gather(int64_t width, const float* grad_out, float* grad_h) const {
  std::fill_n(grad_h, num_rows() * width, 0.0F);
  const int64_t outputs = num_outputs();
  parallel_for(outputs, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t g = 0; g < num_graphs; ++g) {
      for (int64_t i = g * outputs + begin; i < g * outputs + end; ++i) {
        float* sum = grad_h + place[static_cast<size_t>(i)] * width;
        const float* from = grad_out + i * width;
        for (int64_t j = 0; j < width; ++j) sum[j] += from[j];
      }
    }
  });
}

c10::intrusive_ptr<DistinctRows> distinct_rows(const Propagation& hop, bool one_input) {
  const auto* source = dynamic_cast<const SharesRows*>(&hop);
  return source == nullptr ? c10::intrusive_ptr<DistinctRows>() : source->distinct_rows(one_input);
}

}  // namespace emgnn
