#include <algorithm>
#include <map>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "tests/server/s3/support/signer.h"

namespace mote::s3::test {

namespace {

std::string digest(const EVP_MD* kind, std::string_view text) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(out.data()), &size, kind,
             nullptr);
  out.resize(size);
  return out;
}

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

std::string hmac(std::string_view key, std::string_view text) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(out.data()), &size);
  out.resize(size);
  return out;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Tests send targets that are encoded already: sorting is all that is left to do.
std::string canonical_query(std::string_view query) {
  std::vector<std::string> parts;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    std::string part(query.substr(0, end));
    if (part.find('=') == std::string::npos) {
      part.push_back('=');
    }
    parts.push_back(std::move(part));
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
  }
  // By name, then by value: "select" comes before "select-type".
  const auto split = [](const std::string& part) {
    const std::size_t equals = part.find('=');
    return std::pair(part.substr(0, equals), part.substr(equals + 1));
  };
  std::sort(parts.begin(), parts.end(),
            [&split](const std::string& a, const std::string& b) { return split(a) < split(b); });
  std::string out;
  for (const std::string& part : parts) {
    out.append(out.empty() ? "" : "&").append(part);
  }
  return out;
}

std::string encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' ||
        c == '~') {
      out.push_back(c);
    } else {
      std::string digits = hex(std::string_view(&c, 1));
      std::transform(digits.begin(), digits.end(), digits.begin(),
                     [](unsigned char d) { return static_cast<char>(std::toupper(d)); });
      out.append("%").append(digits);
    }
  }
  return out;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  return hex(digest(EVP_sha256(), text));
}
std::string md5_hex(std::string_view text) {
  return hex(digest(EVP_md5(), text));
}

std::string md5_base64(std::string_view text) {
  const std::string bytes = digest(EVP_md5(), text);
  std::string out(24, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

Request& Request::with(std::string name, std::string value) {
  headers.emplace_back(std::move(name), std::move(value));
  return *this;
}

std::string Request::header(std::string_view wanted) const {
  for (const auto& [name, value] : headers) {
    if (lower(name) == wanted) {
      return value;
    }
  }
  return {};
}

Signer::Signer(Credentials credentials, std::string amz_date, std::string region)
    : credentials_(std::move(credentials)),
      amz_date_(std::move(amz_date)),
      region_(std::move(region)) {}

std::string Signer::scope() const {
  return amz_date_.substr(0, 8) + "/" + region_ + "/s3/aws4_request";
}

std::string Signer::signature(std::string_view string_to_sign) const {
  std::string key = hmac("AWS4" + credentials_.secret_key, amz_date_.substr(0, 8));
  key = hmac(key, region_);
  key = hmac(key, "s3");
  key = hmac(key, "aws4_request");
  return hex(hmac(key, string_to_sign));
}

std::string Signer::sign_with_hash(Request& request, const std::string& payload_hash) const {
  request.with("x-amz-date", amz_date_);
  std::multimap<std::string, std::string> sorted;
  for (const auto& [name, value] : request.headers) {
    sorted.emplace(lower(name), value);
  }
  std::string lines;
  std::string names;
  std::string last;
  for (const auto& [name, value] : sorted) {
    if (name == last) {
      lines.insert(lines.size() - 1, "," + value);
      continue;
    }
    lines.append(name).append(":").append(value).append("\n");
    names.append(names.empty() ? "" : ";").append(name);
    last = name;
  }
  const std::size_t mark = request.target.find('?');
  const std::string path = request.target.substr(0, mark);
  const std::string query = mark == std::string::npos ? "" : request.target.substr(mark + 1);
  const std::string canonical = request.method + "\n" + path + "\n" + canonical_query(query) +
                                "\n" + lines + "\n" + names + "\n" + payload_hash;
  const std::string made =
      signature("AWS4-HMAC-SHA256\n" + amz_date_ + "\n" + scope() + "\n" + sha256_hex(canonical));
  request.with("Authorization", "AWS4-HMAC-SHA256 Credential=" + credentials_.access_key + "/" +
                                    scope() + ", SignedHeaders=" + names + ", Signature=" + made);
  return made;
}

void Signer::sign(Request& request) const {
  std::string hash = request.header("x-amz-content-sha256");
  if (hash.empty()) {
    hash = sha256_hex(request.body);
    request.with("x-amz-content-sha256", hash);
  }
  sign_with_hash(request, hash);
}

void Signer::presign(Request& request, int expires_seconds) const {
  std::string& target = request.target;
  target.append(target.find('?') == std::string::npos ? "?" : "&");
  target.append("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=")
      .append(encode(credentials_.access_key + "/" + scope()))
      .append("&X-Amz-Date=" + amz_date_ + "&X-Amz-Expires=" + std::to_string(expires_seconds))
      .append("&X-Amz-SignedHeaders=host");
  const std::size_t mark = target.find('?');
  const std::string canonical = request.method + "\n" + target.substr(0, mark) + "\n" +
                                canonical_query(target.substr(mark + 1)) +
                                "\nhost:" + request.header("host") + "\n\nhost\nUNSIGNED-PAYLOAD";
  target.append("&X-Amz-Signature=" + signature("AWS4-HMAC-SHA256\n" + amz_date_ + "\n" + scope() +
                                                "\n" + sha256_hex(canonical)));
}

void Signer::sign_chunked(Request& request, std::size_t chunk_bytes) const {
  const std::string mode = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
  const std::string payload = std::move(request.body);
  request.with("x-amz-content-sha256", mode)
      .with("x-amz-decoded-content-length", std::to_string(payload.size()));
  std::string previous = sign_with_hash(request, mode);
  std::string encoded;
  for (std::size_t at = 0;; at += chunk_bytes) {
    const std::string chunk = at < payload.size() ? payload.substr(at, chunk_bytes) : "";
    previous = signature("AWS4-HMAC-SHA256-PAYLOAD\n" + amz_date_ + "\n" + scope() + "\n" +
                         previous + "\n" + sha256_hex("") + "\n" + sha256_hex(chunk));
    char size[20];
    std::snprintf(size, sizeof size, "%zx", chunk.size());
    encoded.append(size).append(";chunk-signature=" + previous + "\r\n" + chunk + "\r\n");
    if (chunk.empty()) {
      break;
    }
  }
  request.body = std::move(encoded);
}

}  // namespace mote::s3::test
