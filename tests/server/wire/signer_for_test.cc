// The independent SigV4 client of test_s3, compiled into this binary too.
#include "tests/server/s3/support/signer_for_test.cc"
