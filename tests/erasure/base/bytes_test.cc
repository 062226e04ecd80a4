#include "erasure/base/bytes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/buffer.h"
#include "erasure/base/byte_io.h"

namespace mote {
namespace {

TEST_CASE("byte io: what was written is read back") {
  std::string out;
  ByteWriter writer(out);
  writer.put<std::uint8_t>(0xab);
  writer.put<std::uint16_t>(0x1234);
  writer.put<std::uint32_t>(0xdeadbeef);
  writer.put<std::int64_t>(-2);
  writer.put_sized("key");
  writer.put_bytes(as_bytes("raw"));
  CHECK(writer.position() == 1 + 2 + 4 + 8 + 4 + 3 + 3);
  ByteReader reader(as_bytes(out));
  CHECK(reader.take<std::uint8_t>() == 0xab);
  CHECK(reader.take<std::uint16_t>() == 0x1234);
  CHECK(reader.take<std::uint32_t>() == 0xdeadbeef);
  CHECK(reader.take<std::int64_t>() == -2);
  CHECK(reader.take_sized_string() == "key");
  CHECK(reader.remaining() == 3);
  CHECK_FALSE(reader.done());
  CHECK(as_text(reader.take_bytes(3)) == "raw");
  CHECK(reader.done());
}

TEST_CASE("byte io: integers are little-endian on disk") {
  std::string out;
  ByteWriter(out).put<std::uint32_t>(0x01020304);
  CHECK(out == "\x04\x03\x02\x01");
}

TEST_CASE("byte reader: a short input fails at every cut, and stays failed") {
  std::string whole;
  ByteWriter writer(whole);
  writer.put<std::uint64_t>(1);
  writer.put_sized("payload");
  writer.put<std::uint32_t>(2);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    ByteReader reader(as_bytes(whole).first(length));
    reader.take<std::uint64_t>();
    reader.take_sized();
    CHECK(reader.take<std::uint32_t>() == 0);
    CHECK_FALSE(reader.ok());
    CHECK_FALSE(reader.done());
    CHECK(reader.take<std::uint8_t>() == 0);
    CHECK(reader.take_bytes(0).empty());
    CHECK_FALSE(reader.ok());
  }
}

TEST_CASE("byte reader: a length beyond the input is refused, also the largest") {
  for (const std::uint32_t length : {4U, 1000U, std::numeric_limits<std::uint32_t>::max()}) {
    std::string in;
    ByteWriter writer(in);
    writer.put(length);
    writer.put_bytes(as_bytes("abc"));
    ByteReader reader(as_bytes(in));
    CHECK(reader.take_sized().empty());
    CHECK_FALSE(reader.ok());
    CHECK(reader.remaining() == 0);
  }
  ByteReader reader({});
  CHECK(reader.done());
  CHECK(reader.take_bytes(std::numeric_limits<std::size_t>::max()).empty());
  CHECK_FALSE(reader.ok());
}

TEST_CASE("big endian: bytewise order is numeric order") {
  const std::vector<std::uint64_t> numbers{
      0, 1, 255, 256, 0x7fffffffffffffff, 0x8000000000000000, ~0ULL};
  std::vector<std::string> encoded;
  for (const std::uint64_t number : numbers) {
    std::string text;
    append_big_endian(text, number);
    CHECK(text.size() == 8);
    CHECK(read_big_endian<std::uint64_t>(text) == number);
    encoded.push_back(text);
  }
  CHECK(std::is_sorted(encoded.begin(), encoded.end()));
  std::string two;
  append_big_endian<std::uint16_t>(two, 0x0102);
  CHECK(two == "\x01\x02");
  CHECK(read_big_endian<std::uint16_t>("\x01") == 1);  // a short input reads what is there
}

TEST_CASE("buffer: is aligned, sized as asked, and shrinks without moving") {
  for (const std::size_t size : {1U, 63U, 64U, 4096U, 100'001U}) {
    Buffer buffer(size);
    CHECK(buffer.size() == size);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % Buffer::kAlignment == 0);
    std::fill(buffer.span().begin(), buffer.span().end(), std::byte{1});
    const std::byte* before = buffer.data();
    buffer.shrink(size / 2);
    CHECK(buffer.view().size() == size / 2);
    CHECK(buffer.data() == before);
  }
  CHECK(Buffer().empty());
  CHECK(Buffer(0).data() == nullptr);
}

TEST_CASE("slice: keeps its bytes alive, also a part of it") {
  Slice part;
  {
    Buffer buffer(5);
    std::copy_n(as_bytes("hello").begin(), 5, buffer.data());
    const Slice whole = std::move(buffer).share();
    CHECK(as_text(whole.bytes) == "hello");
    part = whole.sub(1, 3);
  }
  CHECK(as_text(part.bytes) == "ell");
  CHECK(part.size() == 3);
  std::string text = "copied";
  const Slice copy = Slice::copy(as_bytes(text));
  text[0] = 'X';
  CHECK(as_text(copy.bytes) == "copied");
  CHECK(as_text(Slice::own(std::string(100, 'o')).bytes) == std::string(100, 'o'));
}

}  // namespace
}  // namespace mote
