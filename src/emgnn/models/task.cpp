// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/task.h>

#include <ATen/ATen.h>

#include <emgnn/base/error.h>

namespace emgnn {

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& label) {
  EMGNN_DCHECK(logits.dim() == 3 && logits.size(1) == label.size(0));
  const at::Tensor log_prob = at::log_softmax(logits.to(at::kDouble), 2);
  const at::Tensor index = label.view({1, -1, 1}).expand({logits.size(0), -1, 1});
  return log_prob.gather(2, index).mean({1, 2}).neg();
}

at::Tensor gather_labels(std::span<const int32_t> label, std::span<const int32_t> rows) {
  at::Tensor out = at::empty({static_cast<int64_t>(rows.size())}, at::kLong);
  int64_t* data = out.data_ptr<int64_t>();
  for (size_t i = 0; i < rows.size(); ++i) data[i] = label[static_cast<size_t>(rows[i])];
  return out;
}

Scores classification_scores(const at::Tensor& log_prob, const at::Tensor& label) {
  const int64_t num_rows = log_prob.size(0), num_classes = log_prob.size(1);
  const auto lp = log_prob.accessor<double, 2>();
  const auto y = label.accessor<int64_t, 1>();
  std::vector<int64_t> hit(static_cast<size_t>(num_classes)), predicted(hit), actual(hit);
  Scores scores;
  int64_t correct = 0;
  for (int64_t i = 0; i < num_rows; ++i) {
    int64_t best = 0;
    for (int64_t c = 1; c < num_classes; ++c) {
      if (lp[i][c] > lp[i][best]) best = c;
    }
    ++predicted[static_cast<size_t>(best)];
    ++actual[static_cast<size_t>(y[i])];
    if (best == y[i]) {
      ++hit[static_cast<size_t>(best)];
      ++correct;
    }
    scores.loss -= lp[i][y[i]];
  }
  scores.loss /= static_cast<double>(num_rows);
  scores.accuracy = scores.micro_f1 = static_cast<double>(correct) / static_cast<double>(num_rows);
  for (size_t c = 0; c < hit.size(); ++c) {
    // 2TP + FP + FN = predicted + actual
    const auto denominator = static_cast<double>(predicted[c] + actual[c]);
    if (denominator > 0) scores.macro_f1 += 2.0 * static_cast<double>(hit[c]) / denominator;
  }
  scores.macro_f1 /= static_cast<double>(num_classes);
  return scores;
}

}  // namespace emgnn
