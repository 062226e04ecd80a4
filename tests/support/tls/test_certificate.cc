#include "tests/support/tls/test_certificate.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace mote::test {

namespace {

template <auto kFree>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using File = std::unique_ptr<std::FILE, Freed<std::fclose>>;

constexpr long kHour = 3600;

Certificate make_certificate(EVP_PKEY* key) {
  static int serial = 0;
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kHour);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  const auto* const common = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

std::string sha256_of(X509* certificate) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), reinterpret_cast<unsigned char*>(out.data()), &size);
  out.resize(size);
  return out;
}

}  // namespace

TestCertificate::TestCertificate() {
  std::string name = (std::filesystem::temp_directory_path() / "mote-tls-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
  renew();
}

TestCertificate::~TestCertificate() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void TestCertificate::renew(bool certificate, bool key) {
  const Key made(EVP_EC_gen("P-256"));
  const Certificate signed_by_it = make_certificate(made.get());
  if (certificate) {
    const File out(std::fopen(this->certificate().c_str(), "w"));
    PEM_write_X509(out.get(), signed_by_it.get());
    fingerprint_ = sha256_of(signed_by_it.get());
  }
  if (key) {
    const File out(std::fopen(this->key().c_str(), "w"));
    PEM_write_PrivateKey(out.get(), made.get(), nullptr, nullptr, 0, nullptr, nullptr);
  }
}

}  // namespace mote::test
