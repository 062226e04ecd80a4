# interpreter: venv-fs
"""pyarrow's S3FileSystem (the C++ SDK): directories as markers, streams, random access, moves, Parquet."""
import os

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from harness import ACCESS, SECRET, Server

with Server() as server:
    fs = pafs.S3FileSystem(access_key=ACCESS, secret_key=SECRET, endpoint_override=server.endpoint.split("//")[1], scheme="http",
                           region="us-east-1", allow_bucket_creation=True, allow_bucket_deletion=True)
    fs.create_dir("arrow/a/b")
    assert fs.get_file_info("arrow/a/b").type == pafs.FileType.Directory
    assert fs.get_file_info("arrow/none").type == pafs.FileType.NotFound
    for size in (0, 1, 300_000, 12 << 20):
        body = os.urandom(size)
        with fs.open_output_stream(f"arrow/a/{size}") as out:
            out.write(body)
        with fs.open_input_stream(f"arrow/a/{size}") as back:
            assert back.read() == body
        with fs.open_input_file(f"arrow/a/{size}") as file:
            assert file.size() == size and file.read_at(min(100, size), size // 2)[:5] == body[size // 2:size // 2 + 5]
    table = pa.table({"n": list(range(10_000)), "text": [str(i) for i in range(10_000)]})
    pq.write_table(table, "arrow/t.parquet", filesystem=fs)
    assert pq.read_table("arrow/t.parquet", filesystem=fs, columns=["n"]).column("n").to_pylist() == list(range(10_000))
    fs.copy_file("arrow/a/1", "arrow/copied")
    fs.move("arrow/copied", "arrow/moved")
    names = {info.path for info in fs.get_file_info(pafs.FileSelector("arrow", recursive=True)) if info.is_file}
    assert names == {"arrow/moved", "arrow/t.parquet"} | {f"arrow/a/{n}" for n in (0, 1, 300_000, 12 << 20)}, names
    fs.delete_dir_contents("arrow/a")
    fs.delete_file("arrow/moved")
    fs.delete_dir("arrow")
    assert fs.get_file_info("arrow").type == pafs.FileType.NotFound
    try:
        fs.open_input_stream("nobucket/none")
        raise AssertionError("opened what is not there")
    except FileNotFoundError:
        pass
