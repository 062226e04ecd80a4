#!/usr/bin/env python3
"""Every rule of tidy.py finds what it is for, and nothing in a clean file."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tidy  # noqa: E402


def findings(path, text, others=None):
    texts = {path: text, **(others or {})}
    return tidy.check(list(texts), texts.__getitem__)


class Tidy(unittest.TestCase):
    def test_clean_file(self):
        self.assertEqual(findings("erasure/set/a.cc", '#include "erasure/drive/drive.h"\n'), [])

    def test_upward_include(self):
        self.assertIn("may not see erasure/set", findings("erasure/drive/a.cc", '#include "erasure/set/b.h"\n')[0])

    def test_engine_never_sees_the_server(self):
        self.assertIn("may not see server/http", findings("erasure/set/a.cc", '#include "server/http/head.h"\n')[0])

    def test_metacache_sees_the_store_interface_only(self):
        self.assertEqual(findings("metacache/a.cc", '#include "erasure/store.h"\n'), [])
        self.assertNotEqual(findings("metacache/a.cc", '#include "erasure/erasure_store.h"\n'), [])

    def test_beast_stays_in_net(self):
        self.assertNotEqual(findings("server/s3/a.cc", "#include <boost/beast/http.hpp>\n"), [])

    def test_size(self):
        self.assertIn("cut it", findings("erasure/set/a.cc", "\n" * 601)[0])

    def test_pragma_once(self):
        self.assertIn("#pragma once", findings("erasure/set/a.h", "int x;\n")[0])

    def test_banned_tokens(self):
        for text in ("std::cout << 1;", "int x = rand();", "using namespace std;", "std::this_thread::sleep_for(1s);",
                     "auto f = [x]() -> Async<int> {", "std::chrono::system_clock::now()", "// TODO later"):
            self.assertEqual(len(findings("server/s3/a.cc", text)), 1, text)

    def test_broken_link(self):
        self.assertIn("broken link", findings("README.md", "[x](no/such/file.md)")[0])

    def test_uncited_invariant(self):
        doc = {"erasure/INVARIANTS.md": "## INV-3 Bitrot\n"}
        self.assertIn("INV-3", findings("tests/a_test.cc", "// nothing", doc)[0])
        self.assertEqual(findings("tests/a_test.cc", "// INV-3", doc), [])


if __name__ == "__main__":
    unittest.main()
