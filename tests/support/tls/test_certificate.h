#pragma once

#include <filesystem>
#include <string>

namespace mote::test {

/// A fresh self-signed certificate for "localhost" with its key, as PEM files in a directory that
/// goes with it.
class TestCertificate {
 public:
  TestCertificate();
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  [[nodiscard]] std::string certificate() const { return (folder_ / "cert.pem").string(); }
  [[nodiscard]] std::string key() const { return (folder_ / "key.pem").string(); }
  /// Replaces both files by a new pair, or only one of them.
  void renew(bool certificate = true, bool key = true);
  /// SHA-256 of the certificate in use when it was made or renewed last.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  std::filesystem::path folder_;
  std::string fingerprint_;
};

}  // namespace mote::test
