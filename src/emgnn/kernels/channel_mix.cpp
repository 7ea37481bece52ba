// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/channel_mix.h>

#include <algorithm>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

namespace {

// Rows whose shared gradients are summed together: a function of the shape alone.
int64_t rows_per_chunk(const ChannelMix& mix) {
  return std::max<int64_t>(32, (mix.num_rows + 63) / 64);
}

// body(chunk, rows, scratch), with the rows of scratch that the range kernels ask for.
template <class Body>
void for_chunks(const ChannelMix& mix, int64_t scratch_rows, const Body& body) {
  constexpr int64_t kGrain = 1 << 14;  // numbers of the channels
  const int64_t chunk = rows_per_chunk(mix), count = (mix.num_rows + chunk - 1) / chunk;
  const int64_t numbers = chunk * mix.num_graphs * mix.width * mix.num_channels;
  parallel_for(
      count, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, numbers)),
      [&](int64_t begin, int64_t end) {
        std::vector<float> scratch(static_cast<size_t>(scratch_rows * mix.width));
        for (int64_t c = begin; c < end; ++c)
          body(c, Range{c * chunk, std::min(mix.num_rows, (c + 1) * chunk)}, scratch.data());
      });
}

void check(const ChannelMix& mix) {
  EMGNN_DCHECK(mix.num_channels == (mix.around == nullptr ? 3 : 4));
  EMGNN_DCHECK(mix.width > 0);
}

}  // namespace

void channel_mix(const ChannelMix& mix, float* out) {
  check(mix);
  const auto kernel = range_kernels().channel_mix;
  for_chunks(mix, kMixScratchRows,
             [&](int64_t, Range rows, float* scratch) { kernel(mix, scratch, out, rows); });
}

void channel_mix_backward(const ChannelMix& mix, const float* grad_out,
                          const ChannelMixGrads& grads) {
  check(mix);
  const auto kernel = range_kernels().channel_mix_backward;
  const int64_t scores = mix.num_channels * mix.width, offsets = mix.num_channels,
                mixings = offsets * offsets, shared = scores + offsets + mixings;
  const int64_t count = (mix.num_rows + rows_per_chunk(mix) - 1) / rows_per_chunk(mix);
  std::vector<float> partial(static_cast<size_t>(count * shared), 0.0F);
  for_chunks(mix, kMixScratchRows + mix.num_channels, [&](int64_t c, Range rows, float* scratch) {
    ChannelMixGrads own = grads;
    own.score = partial.data() + c * shared;
    own.offset = own.score + scores;
    own.mixing = own.offset + offsets;
    kernel(mix, scratch, grad_out, own, rows);
  });
  const auto add = [&](int64_t first, int64_t size, float* sum) {
    for (int64_t j = 0; j < size; ++j) {
      double total = 0.0;
      for (int64_t c = 0; c < count; ++c)
        total += partial[static_cast<size_t>(c * shared + first + j)];
      sum[j] = static_cast<float>(total);
    }
  };
  add(0, scores, grads.score);
  add(scores, offsets, grads.offset);
  add(scores + offsets, mixings, grads.mixing);
}

}  // namespace emgnn::kernels
