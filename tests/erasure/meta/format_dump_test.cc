#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "erasure/meta/record_codec.h"
#include "tests/support/check_result.h"

namespace mote::erasure {
namespace {

// The example of erasure/FORMAT.md "A worked record".
std::string example_row() {
  ObjectRecord record;
  record.layout.geometry = {4, 2};
  record.layout.start = 1;
  record.bytes = 10;
  record.modified_ms = 1'796'083'200'000;
  static constexpr std::array<unsigned char, 16> kMd5{0x78, 0x1e, 0x5e, 0x24, 0x5d, 0x69,
                                                      0xb5, 0x66, 0x97, 0x9b, 0x86, 0xe2,
                                                      0x8d, 0x23, 0xf2, 0xc7};
  std::memcpy(record.etag.md5.data(), kMd5.data(), kMd5.size());
  record.checksum.kind = ChecksumKind::crc32;
  record.checksum.value = "\xa6\x84\xc7\xc6";
  record.attributes.headers = "Content-Type: text/plain\r\n";
  Extent extent;
  extent.bytes = 10;
  record.extents.push_back(extent);
  const std::string shard = "678";
  LocalPart local;
  local.shard_index = 2;
  local.extents.push_back({payload_sum(as_bytes(shard)), {}, 0, {}});
  return encode_record(record, local, {3, 99}) + shard;
}

std::string hex_dump(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t line = 0; line < bytes.size(); line += 16) {
    for (const int shift : {12, 8, 4, 0}) {
      text.push_back(kDigits[line >> shift & 15U]);
    }
    text += " ";
    for (std::size_t i = line; i < std::min(line + 16, bytes.size()); ++i) {
      const auto value = static_cast<unsigned char>(bytes[i]);
      text += i == line + 8 ? "  " : " ";
      text.push_back(kDigits[value >> 4]);
      text.push_back(kDigits[value & 15U]);
    }
    text += "\n";
  }
  return text;
}

std::string dump_in_document() {
  const std::filesystem::path root = std::filesystem::path(__FILE__).parent_path() / "../../..";
  std::ifstream file(root / "erasure/FORMAT.md");
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const std::string fence = "```hexdump\n";
  const std::size_t begin = document.find(fence);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = document.find("```", begin + fence.size());
  REQUIRE(end != std::string::npos);
  return document.substr(begin + fence.size(), end - begin - fence.size());
}

TEST_CASE("FORMAT.md: the worked record is what the encoder writes and the decoder reads") {
  const std::string row = example_row();
  const std::string expected = hex_dump(row);
  INFO("the encoder writes:\n" << expected);
  CHECK(dump_in_document() == expected);
  const auto decoded = decode_record(as_bytes(row));
  REQUIRE_OK(decoded);
  CHECK_OK(verify_shard(decoded->payload, 3, binding({3, 99}, 2), decoded->local.extents[0].sum));
}

}  // namespace
}  // namespace mote::erasure
