#include "server/http/form_parser.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace mote::http {

namespace {

/// What a body was made of, as one text: "[name|filename]content;" for each part, then "end",
/// "failed" or "more".
std::string parse_in_pieces(const std::string& body, std::size_t piece, std::string_view boundary) {
  FormParser parser(boundary);
  std::string out;
  std::string_view rest = body;
  while (!rest.empty()) {
    // Each piece in memory of its own, so that a view that lives too long is seen by the
    // sanitizers.
    const std::string copy(rest.substr(0, piece));
    rest.remove_prefix(copy.size());
    ByteView input = as_bytes(copy);
    while (true) {
      const FormParser::Event event = parser.next(input);
      if (event == FormParser::Event::part) {
        out += "[" + parser.name() + "|" + parser.filename().value_or("-") + "]";
      } else if (event == FormParser::Event::data) {
        CHECK_FALSE(parser.data().empty());
        out += as_text(parser.data());
      } else if (event == FormParser::Event::part_end) {
        out += ";";
      } else if (event == FormParser::Event::failed) {
        return out + "failed";
      } else if (event == FormParser::Event::end) {
        return out + "end";
      } else {
        break;
      }
    }
    CHECK(input.empty());
  }
  return out + "more";
}

/// The same for every way of cutting the body into equal pieces.
std::string parse(const std::string& body, std::string_view boundary = "B") {
  const std::string whole = parse_in_pieces(body, body.size(), boundary);
  for (std::size_t piece = 1; piece < std::min<std::size_t>(body.size(), 90); ++piece) {
    CAPTURE(piece);
    CHECK(parse_in_pieces(body, piece, boundary) == whole);
  }
  return whole;
}

std::string part(const std::string& disposition, const std::string& content) {
  return "--B\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
}

}  // namespace

TEST_CASE("form: fields, a file, an epilogue") {
  CHECK(parse(part("name=\"key\"", "a/b") + part("name=file; filename=\"x.txt\"", "data") +
              "--B--\r\nepilogue") == "[key|-]a/b;[file|x.txt]data;end");
  CHECK(parse("preamble\r\n" + part("name=\"a\"", "") + "--B--") == "[a|-];end");
  CHECK(parse("--B--\r\n") == "end");
  CHECK(parse("\r\n--B  \t\r\nContent-Type: "
              "x/y\r\ncontent-DISPOSITION:form-data;name=a\r\n\r\nv\r\n--B--") == "[a|-]v;end");
}

TEST_CASE("form: content that looks like a delimiter is content") {
  for (const char* content : {"\r", "\r\n", "\r\n\r\n", "\r\n-", "\r\n--", "\r\n--A", "\r\r\n--A\r",
                              "--B", "\n--B", "\r\n-\r\n--A", "\r\n\r\r\n--", "x\r\n--\r\n--"}) {
    CAPTURE(content);
    CHECK(parse(part("name=f", content) + "--B--") == "[f|-]" + std::string(content) + ";end");
  }
  // Boundaries with hyphens at their ends, as curl and browsers make them.
  const std::string body =
      "------x\r\nContent-Disposition: form-data; name=f\r\n\r\n\r\n-----x\r\n------x--\r\n";
  CHECK(parse(body, "----x") == "[f|-]\r\n-----x;end");
}

TEST_CASE("form: a large part goes through without being kept") {
  std::string content;
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    content.push_back(static_cast<char>(i * 2654435761U >> 24U));
  }
  const std::string body = part("name=file; filename=f", content) + "--B--\r\n";
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{4096}, std::size_t{65'536}}) {
    CHECK(parse_in_pieces(body, piece, "B") == "[file|f]" + content + ";end");
  }
}

TEST_CASE("form: names and file names in every spelling") {
  CHECK(parse(part(R"(name="a\"b\\c"; filename="C:\dir\x.txt")", "") + "--B--") ==
        R"([a"b\c|C:\dir\x.txt];end)");
  CHECK(parse(part("filename=\"only\"; NAME=file;", "x") + "--B--") == "[file|only]x;end");
}

TEST_CASE("form: what is not well-formed fails, and what ends early never ends") {
  for (const char* body :
       {"--B\r\n\r\nno name\r\n--B--", "--Bx\r\n",
        "--B\r\nContent-Disposition: attachment; name=a\r\n\r\n",
        "--B\r\nContent-Disposition: form-data\r\n\r\n", "--B\r\nno colon\r\n\r\n",
        "--B\r\nContent-Disposition: form-data; name=\"open\r\n\r\n",
        "--B\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n",
        "--B\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n",
        "--B\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; "
        "name=b\r\n\r\n"}) {
    CAPTURE(body);
    CHECK(parse(body) == "failed");
  }
  CHECK(parse("--B\r\nX: " + std::string(FormParser::kPartHeadBytesMax, 'x')) == "failed");
  CHECK(parse(part("name=a", "b")) == "[a|-]bmore");
  CHECK(parse("nothing of the kind") == "more");
}

TEST_CASE("form: boundaries") {
  CHECK(form_boundary("multipart/form-data; boundary=abc") == "abc");
  CHECK(form_boundary("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"a b:c\"") == "a b:c");
  for (const char* type :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=a", "",
        "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=\"a",
        "multipart/form-data; boundary=a\\b", "multipart/form-data boundary=a"}) {
    CAPTURE(type);
    CHECK_FALSE(form_boundary(type).has_value());
  }
  CHECK(form_boundary("multipart/form-data; boundary=" + std::string(70, 'b')).has_value());
  CHECK_FALSE(form_boundary("multipart/form-data; boundary=" + std::string(71, 'b')).has_value());
}

}  // namespace mote::http
