// SPDX-License-Identifier: Apache-2.0
// A vector of numbers that may also lie in somebody else's memory, such as a mapped file, which it
// keeps alive. Whoever writes to such an array gets a copy of its own first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace emgnn {

template <class T>
class Array {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  Array() = default;
  Array(std::vector<T> values) : own_(std::move(values)) { look(); }  // NOLINT: as a vector is
  Array(std::initializer_list<T> values) : own_(values) { look(); }
  explicit Array(size_t size, T value = {}) : own_(size, value) { look(); }
  template <std::input_iterator It>
  Array(It first, It last) : own_(first, last) {
    look();
  }
  Array(const Array& other) : own_(other.own_), owner_(other.owner_) { look_at(other); }
  Array(Array&& other) noexcept : own_(std::move(other.own_)), owner_(std::move(other.owner_)) {
    look_at(other);
    other.own_.clear();
    other.owner_ = nullptr;
    other.look();
  }
  Array& operator=(Array other) noexcept {
    std::swap(own_, other.own_);
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() = default;

  // Numbers that live as long as `owner`.
  static Array of(std::span<const T> values, std::shared_ptr<const void> owner) {
    Array out;
    out.owner_ = std::move(owner);
    out.data_ = values.data();
    out.size_ = values.size();
    return out;
  }
  bool borrowed() const { return owner_ != nullptr; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T* cbegin() const { return begin(); }
  const T* cend() const { return end(); }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }  // NOLINT: as a vector does

  T* data() { return mine().data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  T& operator[](size_t i) { return mine()[i]; }
  T& front() { return mine().front(); }
  T& back() { return mine().back(); }

  void push_back(T value) {
    mine().push_back(value);
    look();
  }
  void reserve(size_t size) {
    mine().reserve(size);
    look();
  }
  void resize(size_t size, T value = {}) {
    mine().resize(size, value);
    look();
  }
  void assign(size_t size, T value) { *this = Array(size, value); }
  template <std::input_iterator It>
  void assign(It first, It last) {
    *this = Array(first, last);
  }
  template <class It>
  void insert(const T* at, It first, It last) {
    const ptrdiff_t place = at - std::as_const(*this).data();
    std::vector<T>& values = mine();
    values.insert(values.begin() + place, first, last);
    look();
  }
  void clear() { *this = Array(); }
  void shrink_to_fit() {
    mine().shrink_to_fit();
    look();
  }
  std::vector<T> to_vector() const { return {begin(), end()}; }

  friend bool operator==(const Array& a, const Array& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const Array& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<T>& mine() {
    if (owner_) {
      own_.assign(data_, data_ + size_);
      owner_ = nullptr;
      look();
    }
    return own_;
  }
  void look() {
    data_ = own_.data();
    size_ = own_.size();
  }
  void look_at(const Array& other) {
    if (!owner_) return look();
    data_ = other.data_;
    size_ = other.size_;
  }

  std::vector<T> own_;
  std::shared_ptr<const void> owner_;  // null: own_ is all
  const T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace emgnn
