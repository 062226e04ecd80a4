#include "erasure/log/log_format.h"

#include <doctest/doctest.h>

#include "tests/erasure/log/log_support.h"

namespace mote::erasure {
namespace {

std::string hex(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::byte b : bytes) {
    out += kDigits[std::to_integer<unsigned>(b) >> 4];
    out += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

TEST_CASE("log format: the segment header keeps its bytes, twice in its page") {
  SegmentHeader header;
  header.flags = kSegmentBeginsLog;
  header.ordinal = 3;
  header.generation = 0x1122334455667788;
  header.segment_bytes = kSegmentBytesDefault;
  header.predecessor_end = 0x5000;
  header.predecessor_checksum = 0xAABBCCDDEEFF0011;
  header.drive_uuid[15] = std::byte{0x42};
  const std::string page = encode_segment_page(header);
  REQUIRE(page.size() == kLogPageBytes);
  // clang-format off
  CHECK(hex(as_bytes(page).first(80)) ==
        "6d6f74654c4f470a"                    // magic
        "0100" "5800" "00000000"              // version, header bytes, features
        "01000000" "00000000"                 // flags, reserved
        "0300000000000000"                    // ordinal
        "8877665544332211"                    // generation
        "0000000100000000"                    // segment bytes
        "0050000000000000"                    // predecessor's end
        "1100ffeeddccbbaa"                    // predecessor's checksum
        "00000000000000000000000000000042");  // drive
  // clang-format on
  CHECK(hex(as_bytes(page).subspan(80, 8)) == "332f37c3a8098252");
  CHECK(page.substr(kSegmentHeaderCopy, sizeof header) == page.substr(0, sizeof header));
  SegmentHeader read;
  std::memcpy(&read, page.data(), sizeof read);
  CHECK(is_sealed(read));
  read.flags = 0;
  CHECK_FALSE(is_sealed(read));
}

TEST_CASE("log format: a group keeps its bytes") {
  GroupPlace place;
  place.generation = 0x0102030405060708;
  place.offset = kLogPageBytes;
  place.ordinal = 5;
  place.first_ordinal = 4;
  place.previous = 0x99;
  place.decided = {2, 7};
  const std::vector<Entry> restated = {{EntryKind::promise, {3, 0}, {}}};
  const std::vector<Entry> entries = {{EntryKind::commit, {2, 8}, as_bytes("hello")}};
  std::string out;
  const std::uint64_t checksum = encode_group(place, restated, entries, out);
  REQUIRE(out.size() == kLogPageBytes);
  // clang-format off
  CHECK(hex(as_bytes(out).first(72)) ==
        "41475250" "02000000"  // magic, entries
        "0807060504030201"     // generation
        "0010000000000000"     // offset
        "4800000000000000"     // body bytes
        "0700000000000000"     // decided.n
        "02000000" "00000000"  // decided.epoch, reserved
        "0500000000000000"     // ordinal
        "0400000000000000"     // oldest ordinal that counts
        "9900000000000000");   // checksum of the group before
  CHECK(hex(as_bytes(out).subspan(72, 16)) == "ce2009e7740919e2db909a1b03d25a8a");
  CHECK(hex(as_bytes(out).subspan(88, 24)) ==
        "03" "01" "0000" "03000000" "0000000000000000" "00000000" "00000000");
  CHECK(hex(as_bytes(out).subspan(120, 24)) ==
        "01" "00" "0000" "02000000" "0800000000000000" "05000000" "00000000");
  CHECK(hex(as_bytes(out).subspan(144, 16)) == "21e41b065145e945" "68656c6c6f000000");
  // clang-format on
  GroupHeader header;
  std::memcpy(&header, out.data(), sizeof header);
  CHECK(header.checksum == checksum);
  CHECK(is_group_header(header, place.generation, place.offset));
  CHECK_FALSE(is_group_header(header, place.generation + 1, place.offset));
  CHECK_FALSE(is_group_header(header, place.generation, place.offset + kLogPageBytes));
}

TEST_CASE("log format: sizes of groups") {
  const std::vector<Entry> none;
  CHECK(group_bytes(none) == kLogPageBytes);
  const std::size_t fits = kLogPageBytes - sizeof(GroupHeader) - sizeof(EntryHeader);
  const std::string payload(fits + 1, 'x');
  const std::vector<Entry> one = {{EntryKind::commit, {1, 2}, as_bytes(payload).first(fits)}};
  CHECK(group_bytes(one) == kLogPageBytes);
  const std::vector<Entry> more = {{EntryKind::commit, {1, 2}, as_bytes(payload)}};
  CHECK(group_bytes(more) == 2 * kLogPageBytes);
}

}  // namespace
}  // namespace mote::erasure
