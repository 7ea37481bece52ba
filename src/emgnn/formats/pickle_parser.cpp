// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/pickle_parser.h>

#include <limits>
#include <map>
#include <utility>

namespace emgnn {
namespace {

constexpr uint32_t kUnset = std::numeric_limits<uint32_t>::max();

enum Opcode : uint8_t {
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kMark = '(',
  kStop = '.',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kAppend = 'a',
  kAppends = 'e',
  kBuild = 'b',
  kGlobal = 'c',
  kBinGet = 'h',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kEmptyTuple = ')',
  kTuple = 't',
  kEmptyList = ']',
  kEmptyDict = '}',
  kSetItems = 'u'
};

// The opcodes that are known and refused, so that the message can say which one it was.
const std::map<uint8_t, std::string_view>& refused_opcodes() {
  static const std::map<uint8_t, std::string_view> names = {{'0', "POP"},
                                                            {'1', "POP_MARK"},
                                                            {'2', "DUP"},
                                                            {'F', "FLOAT"},
                                                            {'G', "BINFLOAT"},
                                                            {'I', "INT"},
                                                            {'L', "LONG"},
                                                            {'P', "PERSID"},
                                                            {'Q', "BINPERSID"},
                                                            {'S', "STRING"},
                                                            {'V', "UNICODE"},
                                                            {'d', "DICT"},
                                                            {'g', "GET"},
                                                            {'i', "INST"},
                                                            {'j', "LONG_BINGET"},
                                                            {'l', "LIST"},
                                                            {'o', "OBJ"},
                                                            {'p', "PUT"},
                                                            {'s', "SETITEM"},
                                                            {0x82, "EXT1"},
                                                            {0x83, "EXT2"},
                                                            {0x84, "EXT4"},
                                                            {0x8a, "LONG1"},
                                                            {0x8b, "LONG4"},
                                                            {0x8c, "SHORT_BINUNICODE"},
                                                            {0x8d, "BINUNICODE8"},
                                                            {0x8e, "BINBYTES8"},
                                                            {0x8f, "EMPTY_SET"},
                                                            {0x90, "ADDITEMS"},
                                                            {0x91, "FROZENSET"},
                                                            {0x92, "NEWOBJ_EX"},
                                                            {0x93, "STACK_GLOBAL"},
                                                            {0x94, "MEMOIZE"},
                                                            {0x95, "FRAME"},
                                                            {0x96, "BYTEARRAY8"},
                                                            {0x97, "NEXT_BUFFER"},
                                                            {0x98, "READONLY_BUFFER"}};
  return names;
}

}  // namespace

PickleParser::PickleParser(std::string_view bytes, std::string file, const PickleLimits& limits)
    : in_(bytes, file), limits_(limits) {
  pickle_.file_ = std::move(file);
}

Pickle PickleParser::run() {
  if (in_.remaining() == 0) in_.fail("the file is empty: expected a pickle");
  if (in_.read<uint8_t>("an opcode") != kProto) in_.fail("expected a pickle of protocol 2 or 3");
  const auto protocol = in_.read<uint8_t>("the protocol");
  if (protocol != 2 && protocol != 3)
    in_.fail(fmt::format("pickle protocol {} is not read, only 2 and 3", protocol));
  while (!stopped_) step(in_.read<uint8_t>("an opcode"));
  if (in_.remaining() != 0)
    in_.fail(fmt::format("{} bytes follow the end of the pickle", in_.remaining()));
  if (stack_.size() != 1 || !marks_.empty()) in_.fail("the pickle ends with an unfinished object");
  pickle_.root_ = stack_.front();
  return std::move(pickle_);
}

void PickleParser::step(uint8_t opcode) {
  switch (opcode) {
    case kStop:
      stopped_ = true;
      return;
    case kMark:
      if (marks_.size() >= limits_.max_nesting) in_.fail("objects are nested too deeply");
      marks_.push_back(stack_.size());
      return;
    case kNone:
      return push({});
    case kNewTrue:
      return push({PickleKind::kBool, 0, 1, {}});
    case kNewFalse:
      return push({PickleKind::kBool, 0, 0, {}});
    case kBinInt:
      return push_int(in_.read<int32_t>("an integer"));
    case kBinInt1:
      return push_int(in_.read<uint8_t>("an integer"));
    case kBinInt2:
      return push_int(in_.read<uint16_t>("an integer"));
    case kShortBinString:
    case kShortBinBytes:
      return push_text(in_.read<uint8_t>("a length"));
    case kBinString:
    case kBinUnicode:
    case kBinBytes:
      return push_text(in_.read<uint32_t>("a length"));
    case kEmptyTuple:
      return push_container(PickleKind::kTuple, {});
    case kTuple1:
      return push_container(PickleKind::kTuple, pop_last(1));
    case kTuple2:
      return push_container(PickleKind::kTuple, pop_last(2));
    case kTuple3:
      return push_container(PickleKind::kTuple, pop_last(3));
    case kTuple:
      return push_container(PickleKind::kTuple, pop_to_mark());
    case kEmptyList:
      return push_container(PickleKind::kList, {});
    case kEmptyDict:
      return push_container(PickleKind::kDict, {});
    case kAppend:
      return append(pop_last(1), PickleKind::kList);
    case kAppends:
      return append(pop_to_mark(), PickleKind::kList);
    case kSetItems:
      return append(pop_to_mark(), PickleKind::kDict);
    case kBinPut:
      return put(in_.read<uint8_t>("a memo slot"));
    case kLongBinPut:
      return put(in_.read<uint32_t>("a memo slot"));
    case kBinGet:
      return get(in_.read<uint8_t>("a memo slot"));
    case kGlobal:
      return global();
    case kReduce:
      return reduce();
    case kNewObj:
      return new_object();
    case kBuild:
      return build();
    default:
      break;
  }
  const auto refused = refused_opcodes().find(opcode);
  in_.fail(
      refused == refused_opcodes().end()
          ? fmt::format("0x{:02x} is not a pickle opcode", opcode)
          : fmt::format("the pickle opcode {} (0x{:02x}) is refused", refused->second, opcode));
}

void PickleParser::push(Object object) {
  if (pickle_.objects_.size() >= limits_.max_values) {
    in_.fail(fmt::format("the pickle holds more than {} objects", limits_.max_values));
  }
  stack_.push_back(static_cast<uint32_t>(pickle_.objects_.size()));
  pickle_.objects_.push_back(object);
}

void PickleParser::push_container(PickleKind kind, std::vector<uint32_t> items) {
  const auto slot = static_cast<uint32_t>(pickle_.items_.size());
  push({kind, slot, 0, {}});
  pickle_.items_.push_back(std::move(items));
}

uint32_t PickleParser::top(std::string_view what) {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) in_.fail(fmt::format("expected {} on the pickle's stack", what));
  return stack_.back();
}

uint32_t PickleParser::pop(std::string_view what) {
  const uint32_t id = top(what);
  stack_.pop_back();
  return id;
}

std::vector<uint32_t> PickleParser::pop_last(size_t n) {
  std::vector<uint32_t> items(n);
  for (size_t i = n; i-- > 0;) items[i] = pop("an item");
  return items;
}

std::vector<uint32_t> PickleParser::pop_to_mark() {
  if (marks_.empty()) in_.fail("expected a mark on the pickle's stack");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<uint32_t> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleParser::put(size_t slot) {
  const uint32_t id = top("an object to remember");
  if (slot >= limits_.max_memo) in_.fail(fmt::format("memo slot {} is out of bounds", slot));
  if (slot >= memo_.size()) memo_.resize(slot + 1, kUnset);
  memo_[slot] = id;
}

void PickleParser::get(size_t slot) {
  if (slot >= memo_.size() || memo_[slot] == kUnset)
    in_.fail(fmt::format("memo slot {} is empty", slot));
  if (++num_references_ > limits_.max_values) in_.fail("the pickle holds too many references");
  stack_.push_back(memo_[slot]);
}

void PickleParser::append(const std::vector<uint32_t>& values, PickleKind kind) {
  const Object& target = typed(top("a container"), kind, "to add items to");
  if (kind == PickleKind::kDict && values.size() % 2 != 0) in_.fail("a key of a dict has no value");
  std::vector<uint32_t>& items = pickle_.items_[target.slot];
  items.insert(items.end(), values.begin(), values.end());
}

const PickleParser::Object& PickleParser::typed(uint32_t id, PickleKind kind,
                                                std::string_view what) const {
  const Object& found = object(id);
  if (found.kind != kind) {
    in_.fail(fmt::format("expected {} {}, found {}", name_of(kind), what, name_of(found.kind)));
  }
  return found;
}

}  // namespace emgnn
