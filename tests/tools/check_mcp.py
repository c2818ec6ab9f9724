"""Checks `ireescope mcp` with the official client of the Model Context Protocol.

    check_mcp.py PART PROGRAM DATA

PART is one of the functions below that are called `check_…`, PROGRAM the ireescope to test, DATA the folder tests/data.
"""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jsonschema
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
PER_REQUEST = "2026-07-28"
TOOLS = ["open", "top", "explain", "sql", "tables", "doctor", "gaps", "compare", "report"]
# Hours of work on any machine.
ENDLESS = (
    "SELECT sum(a.duration_ns % 7 + b.duration_ns % 5 + c.duration_ns % 3) FROM dispatches a, dispatches b, dispatches c, "
    "dispatches d, dispatches e, dispatches f, dispatches g"
)

# A function without inputs, called ten times a run.
RACED = ["--function=first", "--benchmark_min_time=10x"]

program, data = sys.argv[2], Path(sys.argv[3])


@contextlib.contextmanager
def scratch():
    """A folder that the server may use, and a bundle outside of it."""
    with tempfile.TemporaryDirectory() as place:
        place = Path(place).resolve()
        inside = place / "inside"
        (inside / "runs").mkdir(parents=True)
        for name in ["mlp-local-task", "mlp-local-sync", "loop-local-task", "mlp-vulkan"]:
            shutil.copy(data / f"{name}.ireeprof", inside / "runs")
        shutil.copytree(data / "history", inside / "history")
        shutil.copy(data / "mlp-local-task.ireeprof", place / "secret.ireeprof")
        yield inside


@contextlib.asynccontextmanager
async def connected(*arguments, mode="auto", errlog=None):
    server = StdioServerParameters(command=program, args=["mcp", *map(str, arguments)], cwd="/")
    errlog = errlog or open(os.devnull, "w")
    async with Client(stdio_client(server, errlog=errlog), mode=mode) as client:
        yield client


async def answer(client, tool, **arguments):
    """The structured content of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, arguments, text(result))
    assert text(result), f"{tool} says something"
    return result.structured_content


def race(inside):
    """The folder of a race of a program with itself."""
    tools, module = Path(sys.executable).parent, inside / "two.vmfb"
    source = data / "models" / "two.mlir"
    compiled = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"]
    subprocess.run([tools / "iree-compile", *compiled, source, "-o", module], check=True, capture_output=True)
    side = ["iree-benchmark-module", "--device=local-sync", f"--module={module}", *RACED]
    words = ["race", "-o", inside / "race", f"--iree-bin-dir={tools}", "--repeat=2", "--", *side, "--vs", *side]
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return inside / "race"


async def refusal(client, tool, **arguments):
    """The text of a call that fails."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, (tool, arguments, result.structured_content)
    return text(result)


def text(result):
    return "\n".join(block.text for block in result.content)


def ours(*words):
    """What the command line prints."""
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def objects(content):
    """The rows of a reply as objects."""
    names = [column["name"] for column in content["columns"]]
    return [dict(zip(names, row, strict=True)) for row in content["rows"]]


def unnamed(rows):
    """Rows of `top` without the column that repeats the key."""
    return [{key: value for key, value in row.items() if key != "name"} for row in rows]


def alike(rows, others):
    """Whether rows are the same in any order."""
    return sorted(map(json.dumps, rows)) == sorted(map(json.dumps, others))


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def check_versions():
    """Every version that both sides know is agreed on."""
    for version in HANDSHAKES + ["1999-01-01"]:
        with scratch() as inside:
            server = subprocess.Popen(
                [program, "mcp", inside], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
            server.stdin.flush()
            result = json.loads(server.stdout.readline())["result"]
            expected = version if version in HANDSHAKES else HANDSHAKES[-1]
            assert result["protocolVersion"] == expected, result
            assert result["serverInfo"]["name"] == "ireescope"
            # It ends when the client closes its side.
            server.stdin.close()
            assert server.wait(timeout=10) == 0
            assert server.stdout.read() == ""

    async def modes():
        with scratch() as inside:
            for mode, expected in [("legacy", HANDSHAKES[-1]), ("auto", PER_REQUEST), (PER_REQUEST, PER_REQUEST)]:
                async with connected(inside, mode=mode) as client:
                    assert client.protocol_version == expected, (mode, client.protocol_version)
                    tools = (await client.list_tools()).tools
                    assert [tool.name for tool in tools] == TOOLS
                    found = await answer(client, "open", bundles=["runs/mlp-local-task.ireeprof"])
                    assert found["kind"] == "bundles"

    asyncio.run(modes())


def check_answers():
    """Every tool answers as the command line does, and as its schema says."""

    async def all_tools(inside):
        task, sync = (inside / "runs" / f"mlp-local-{name}.ireeprof" for name in ("task", "sync"))
        async with connected(inside) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            bytes_ = len(json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.values()], separators=(",", ":")))
            assert bytes_ / 4 <= 2000, f"{bytes_} bytes of tools"
            called = set()

            async def ask(tool, **arguments):
                called.add(tool)
                jsonschema.validate(arguments, tools[tool].input_schema)
                content = await answer(client, tool, **arguments)
                jsonschema.validate(content, tools[tool].output_schema)
                return content

            # open
            found = objects((await ask("open"))["found"])
            assert {(Path(row["path"]).name, row["kind"]) for row in found} == {
                ("mlp-local-task.ireeprof", "bundle"),
                ("mlp-local-sync.ireeprof", "bundle"),
                ("loop-local-task.ireeprof", "bundle"),
                ("mlp-vulkan.ireeprof", "bundle"),
                ("history", "history"),
            }, found
            opened = await ask("open", bundles=["runs"])
            assert opened["kind"] == "bundles" and len(opened["bundles"]["rows"]) == 4
            health = lines(ours("sql", "--format=jsonl", "-c", "SELECT * FROM report.capture_health", inside / "runs"))
            assert alike(objects(opened["bundles"]), health)
            calls = lines(ours("sql", "--format=jsonl", "-c", "SELECT * FROM report.invocation_reading", inside / "runs"))
            assert alike(objects(opened["calls"]), calls)
            assert (await ask("open", bundles=["history"]))["kind"] == "history"
            named = await ask("open", bundles=[f"x={task}", "y=runs/mlp-local-sync.ireeprof"])
            assert [row["bundle"] for row in objects(named["bundles"])] == ["x", "y"]
            assert named["paths"]["x"] == str(task)

            # tables
            relations = {name: kind for name, kind, _ in (await ask("tables"))["relations"]}
            assert relations["dispatches"] == "view" and relations["dispatch_events"] == "table"
            columns = (await ask("tables", name="dispatches"))["columns"]
            duration = next(column for column in columns if column["name"] == "duration_ns")
            assert duration["unit"] == "ns" and duration["doc"], duration
            assert all(name.startswith("report.") for name, _, _ in (await ask("tables", name="report.*"))["relations"])
            assert "did you mean dispatches" in await refusal(client, "tables", name="dispatchs")

            # sql
            query = "SELECT key, count(*) AS n, sum(duration_ns) AS total_ns FROM dispatches GROUP BY key ORDER BY key"
            content = await ask("sql", bundles=[str(task)], query=query)
            assert objects(content) == lines(ours("sql", "--format=jsonl", "-c", query, task))
            typed = await ask("sql", bundles=[str(task)], query="SELECT * FROM dispatches ORDER BY event_id, start_ns LIMIT 5")
            assert objects(typed) == lines(ours("sql", "--format=jsonl", "-c", "SELECT * FROM dispatches ORDER BY event_id, start_ns LIMIT 5", task))
            units = {column["name"]: column.get("unit") for column in typed["columns"]}
            assert units["duration_ns"] == "ns" and units["key"] is None, units
            strange = "SELECT 'NaN'::DOUBLE AS a, NULL AS b, 18446744073709551615 AS c, 'ä\"\n' AS d, [1, 2] AS e"
            content = await ask("sql", bundles=[str(task)], query=strange)
            assert content["rows"] == [["NaN", None, "18446744073709551615", 'ä"\n', [1, 2]]], content

            # top
            content = await ask("top", bundles=[str(task)])
            assert objects(content) == unnamed(lines(ours("top", "--format=jsonl", task)))
            assert {column["name"]: column.get("unit") for column in content["columns"]}["total_ns"] == "ns"
            assert {row["timing_source"] for row in objects(content)} == {"host"}
            by_op = await ask("top", bundles=["runs/mlp-*.ireeprof"], by="op", sort="mean", warmup="keep", filter="*matmul*")
            words = ["--by=op", "--sort=mean", "--warmup=keep", "--filter=*matmul*", *sorted((inside / "runs").glob("mlp-*"))]
            assert objects(by_op) == unnamed(lines(ours("top", "--format=jsonl", *words)))
            assert len((await ask("top", bundles=[str(task)], limit=1))["rows"]) == 1

            # explain
            content = await ask("explain", bundles=[str(task)])
            bottlenecks = lines(ours("sql", "--format=jsonl", "-c", "SELECT * FROM report.explain_bottleneck", task))
            assert alike(objects(content["bottlenecks"]), bottlenecks) and bottlenecks
            # The evidence is a query that runs.
            assert (await ask("sql", bundles=[str(task)], query=bottlenecks[0]["evidence"]))["rows"]

            # doctor and gaps
            findings = objects(await ask("doctor", bundles=["runs"]))
            printed = lines(ours("doctor", "--format=jsonl", inside / "runs"))
            assert [(row["bundle"], row["finding"], row["what"]) for row in findings] == [
                (row["bundle"], row["finding"], row["what"]) for row in printed
            ]
            gaps = objects(await ask("gaps", bundles=[str(task)], questions=["kernel-time", "memory"]))
            printed = lines(ours("gaps", "--format=jsonl", "--for=kernel-time,memory", task))
            assert [(row["question"], row["answerable"]) for row in gaps] == [
                (row["question"], row["answerable"]) for row in printed
            ]
            assert "there are" in await refusal(client, "gaps", bundles=[str(task)], questions=["nosuch"])

            # compare
            content = await ask("compare", base=["runs/mlp-local-task.ireeprof"], new=[str(task)])
            assert content["verdict"] == "same" and content["total"]["clock"] == "host", content["total"]
            other = await ask("compare", base=[str(task)], new=["runs/loop-local-task.ireeprof"])
            printed = json.loads(ours("compare", "--format=json", f"base={task}", f"new={inside / 'runs/loop-local-task.ireeprof'}"))
            total = next(row for row in printed if row["matched_by"] == "total")
            for name in ("base_ns", "new_ns", "delta_ns", "ratio", "ratio_low", "ratio_high", "reason"):
                assert other["total"][name] == total[name], (name, other["total"], total)
            assert objects(other) == [row for row in printed if row["matched_by"] != "total"]
            assert other["verdict"] == total["verdict"]
            # The capture set of a race has both sides.
            folder = race(inside)
            raced = await ask("compare", base=[str(folder)])
            total = next(row for row in json.loads(ours("compare", "--format=json", folder)) if row["matched_by"] == "total")
            for name in ("base_ns", "new_ns", "ratio", "ratio_low", "ratio_high", "reason"):
                assert raced["total"][name] == total[name], (name, raced["total"], total)
            assert (raced["total"]["base_runs"], raced["total"]["new_runs"], raced["verdict"]) == (2, 2, total["verdict"])
            assert "give `new`, or one folder" in await refusal(client, "compare", base=[str(folder), str(task)])
            assert "is one side" in await refusal(client, "compare", base=[str(task)])

            # report
            content = await ask("report", output="page.html", bundles=[str(task)])
            page = inside / "page.html"
            assert content["path"] == str(page) and page.stat().st_size == content["bytes"]
            assert page.read_text().lstrip().lower().startswith("<!doctype html>")
            assert page.stat().st_mode & 0o777 & ~0o644 == 0, oct(page.stat().st_mode)
            await ask("report", output=str(inside / "runs/change.html"), base=str(task), new=str(sync))
            await ask("report", output="history.html", bundles=["history"])
            assert called == set(TOOLS), called

            # resources
            uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
            assert uris == [f"ireescope://{name}" for name in ("cookbook", "sql", "tables", "reference")], uris
            for uri in uris:
                assert len((await client.read_resource(uri)).contents[0].text) > 1000, uri
            docs = data.parent.parent / "docs"
            assert (await client.read_resource("ireescope://cookbook")).contents[0].text == (docs / "cookbook.md").read_text()
            assert (await client.read_resource("ireescope://reference")).contents[0].text == (docs / "tables.md").read_text()
            assert "duration_ns" in (await client.read_resource("ireescope://tables/dispatches")).contents[0].text
            templates = (await client.list_resource_templates()).resource_templates
            assert [template.uri_template for template in templates] == ["ireescope://tables/{name}"]
            for wrong in ("ireescope://nosuch", "file:///etc/passwd", "ireescope://tables/../sql"):
                try:
                    await client.read_resource(wrong)
                except MCPError:
                    continue
                raise AssertionError(f"{wrong} is no resource")

            # What JSON does not have, or its readers round, is text; NULL differs from it.
            odd = "SELECT 9007199254740993, -9007199254740993, 9007199254740992, arrow_cast('18446744073709551615', 'UInt64'), 'NaN'::double, '-Infinity'::double, NULL::double, [9007199254740993]"
            [row] = (await ask("sql", bundles=[str(task)], query=odd))["rows"]
            assert row == ["9007199254740993", "-9007199254740993", 2**53, "18446744073709551615", "NaN", "-Infinity", None, ["9007199254740993"]], row
            # Arguments say the same in another type.
            for limit in ("2", 2.0, 2):
                content = await answer(client, "top", bundles=str(task), limit=limit)
                assert len(content["rows"]) == 2 and "limit, filter, bundles" in content["cut"], content
            assert "invalid type" in await refusal(client, "top", bundles=[str(task)], limit=2.5)
            for tool in ("open", "top", "explain", "doctor", "gaps"):
                result = await client.call_tool(tool, {"bundles": [str(task), str(sync), str(folder)]})
                assert len(result.model_dump_json()) < 60_000, tool
            many = await client.call_tool("sql", {"bundles": [str(task)], "query": "SELECT a.*, b.* FROM dispatches a, dispatches b"})
            assert len(many.model_dump_json()) < 60_000 and "OFFSET in the query" in many.structured_content["cut"], many.structured_content["cut"]

            # Mistakes are told to the agent.
            assert "nosuch" in await refusal(client, "sql", bundles=[str(task)], query="SELECT nosuch FROM dispatches")
            assert "unknown field `bundle`" in await refusal(client, "top", bundle=[str(task)])
            assert "missing field `query`" in await refusal(client, "sql", bundles=[str(task)])
            assert "one of function, shape" in await refusal(client, "top", bundles=[str(task)], by="color")
            assert "there are 4 functions" in text(await client.call_tool("top", {"bundles": [str(task)], "filter": "nosuch"}))

    with scratch() as inside:
        asyncio.run(all_tools(inside))


def check_limits():
    """Replies are cut and say so; what takes long is stopped, and hinders nothing else."""

    async def sizes(inside):
        bundles = [str(inside / "runs/loop-local-task.ireeprof")]
        async with connected("--row-limit=5", "--byte-limit=4kB", inside) as client:
            content = await answer(client, "sql", bundles=bundles, query="SELECT event_id FROM dispatches")
            assert len(content["rows"]) == 5 and "at most 5" in content["cut"], content
            content = await answer(client, "sql", bundles=bundles, query="SELECT event_id FROM dispatches", max_rows=2)
            assert len(content["rows"]) == 2 and "at most 2" in content["cut"], content
            content = await answer(client, "sql", bundles=bundles, query="SELECT event_id FROM dispatches", max_rows=10**6)
            assert len(content["rows"]) == 5, "the limit of the server stays"
            content = await answer(client, "sql", bundles=bundles, query="SELECT event_id FROM dispatches LIMIT 5")
            assert len(content["rows"]) == 5 and "cut" not in content, "nothing is left out"
            content = await answer(client, "sql", bundles=bundles, query="SELECT repeat('x', 1500) FROM dispatches")
            assert 1 <= len(content["rows"]) <= 2 and "4000" in content["cut"], content
            content = await answer(client, "sql", bundles=bundles, query="SELECT repeat('x', 5000)")
            assert content["rows"] == [] and "the next one has 5005 bytes" in content["cut"], content
            for tool in ("open", "top", "explain", "doctor", "gaps"):
                result = await client.call_tool(tool, {"bundles": bundles})
                assert not result.is_error and len(json.dumps(result.structured_content)) < 6000, tool

    async def times(inside):
        bundles = [str(inside / "runs/mlp-local-task.ireeprof")]
        async with connected("--call-timeout=2s", inside) as client:
            begun = time.monotonic()
            slow = asyncio.create_task(refusal(client, "sql", bundles=bundles, query=ENDLESS))
            await asyncio.sleep(0.3)
            assert (await answer(client, "top", bundles=bundles))["rows"], "others are answered meanwhile"
            assert time.monotonic() - begun < 1.9
            assert "stopped after 2s" in await slow
            assert time.monotonic() - begun < 5

    async def cancelled(inside):
        bundles = [str(inside / "runs/mlp-local-task.ireeprof")]
        with tempfile.NamedTemporaryFile("w+") as errors:
            async with connected(inside, errlog=errors) as client:
                # More than run at once.
                slow = [
                    asyncio.create_task(client.call_tool("sql", {"bundles": bundles, "query": ENDLESS})) for _ in range(12)
                ]
                await asyncio.sleep(1)
                for task in slow:
                    task.cancel()
                await asyncio.gather(*slow, return_exceptions=True)
                begun = time.monotonic()
                assert (await answer(client, "top", bundles=bundles))["rows"]
                assert time.monotonic() - begun < 20, "cancelled calls give their places back"
            assert Path(errors.name).read_text().count('word="cancelled"') == 12

    with scratch() as inside:
        asyncio.run(sizes(inside))
        asyncio.run(times(inside))
        asyncio.run(cancelled(inside))


def check_paths():
    """Nothing outside of the folders is read or written."""

    async def refused(inside):
        outside, task = inside.parent / "secret.ireeprof", inside / "runs/mlp-local-task.ireeprof"
        (inside / "link.ireeprof").symlink_to(outside)
        (inside / "up").symlink_to(inside.parent)
        (inside / "fine.ireeprof").symlink_to(task)
        (inside / "links").mkdir()
        (inside / "links/link.ireeprof").symlink_to(outside)
        # Manifests and datasets may name anything.
        (inside / "set").mkdir()
        lists = {"questions": [], "asked": [], "got": [], "refused": [], "counters": []}
        run = {"name": "r", "outcome": "captured", "bundle": "../../secret.ireeprof", **lists}
        manifest = {"format": "ireescope-capture-set", "schema_version": 1, "ireescope_version": "0.1.0", "runs": [run]}
        (inside / "set/manifest.json").write_text(json.dumps(manifest))
        ours("export", "--format=parquet", "-o", inside / "dataset", task)
        shutil.copytree(inside / "dataset", inside / "stray", symlinks=True)
        part = next(path for path in sorted((inside / "stray").rglob("*.parquet")))
        shutil.copy(part, inside.parent / "secret.parquet")
        part.unlink()
        part.symlink_to(inside.parent / "secret.parquet")
        async with connected(inside) as client:
            for fine in (str(task), "runs/mlp-local-task.ireeprof", "fine.ireeprof", "runs", "runs/*.ireeprof", "dataset",
                         "runs/../runs/mlp-local-task.ireeprof", "x=runs/mlp-local-task.ireeprof", f"x={task}", "**/mlp-local-t*.ireeprof"):
                await answer(client, "open", bundles=[fine])
                await answer(client, "sql", bundles=[fine], query="SELECT count(*) FROM dispatches")
            for argument, said in [
                (str(outside), "is not below"),
                ("../secret.ireeprof", "is not below"),
                ("runs/../../secret.ireeprof", "is not below"),
                ("../nosuch.ireeprof", "is not below"),
                ("/nosuch", "is not below"),
                ("link.ireeprof", "is not below"),
                ("up/secret.ireeprof", "is not below"),
                (f"x={outside}", "is not below"),
                ("x=link.ireeprof", "is not below"),
                ("../*.ireeprof", "is not below"),
                (f"{inside.parent}/*.ireeprof", "is not below"),
                ("*/../../*.ireeprof", "`..` cannot follow"),
                ("li*.ireeprof", "leads outside"),
                ("links/*", "leads outside"),
                ("links", "leads outside"),
                ("set", "leads outside"),
                ("stray", "leads outside"),
                ("nosuch.ireeprof", "nothing at"),
                ("-", "nothing at"),
                ("s3://bucket/x.ireeprof", "is an address"),
                ("x=s3://bucket/x.ireeprof", "is an address"),
                ("", "leads outside"),
                (".", "leads outside"),
            ]:
                for tool, more in [
                    ("open", {}), ("top", {}), ("explain", {}), ("doctor", {}), ("gaps", {}),
                    ("sql", {"query": "SELECT 1"}), ("report", {"output": "new.html"}),
                ]:
                    text = await refusal(client, tool, bundles=[argument], **more)
                    assert said in text, (tool, argument, text)
                for sides in ({"base": [argument], "new": [str(task)]}, {"base": [str(task)], "new": [argument]}):
                    text = await refusal(client, "compare", **sides)
                    assert said in text, (argument, text)
                for sides in ({"base": argument, "new": str(task)}, {"base": str(task), "new": argument}):
                    text = await refusal(client, "report", output="new.html", **sides)
                    # Sides of a page are files or capture sets.
                    assert said in text or (argument in ("links", "", ".") and "requires a file" in text), (argument, text)
            assert not (inside / "new.html").exists()
            # SQL opens no files and changes nothing.
            for query in (
                f"SELECT * FROM '{outside}'",
                "SELECT * FROM '/etc/passwd'",
                f"COPY (SELECT 1) TO '{inside / 'x.csv'}'",
                f"CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{part}'",
                "CREATE VIEW v AS SELECT 1",
                "CREATE TABLE t AS SELECT 1",
                "SET datafusion.execution.batch_size = 1",
                "DROP VIEW dispatches",
            ):
                await refusal(client, "sql", bundles=[str(task)], query=query)
            assert not (inside / "x.csv").exists()
            # Reports are new files.
            (inside / "there.html").write_text("mine")
            (inside / "dangling.html").symlink_to(inside.parent / "made.html")
            for output, said in [
                ("there.html", "exists already"),
                ("dangling.html", "exists already"),
                ("page.txt", "must end with .html"),
                ("page", "must end with .html"),
                (".html", "must end with .html"),
                ("nosuch/page.html", "does not exist"),
                ("../page.html", "is not below"),
                ("up/page.html", "is not below"),
                ("/tmp/page.html", "is not below"),
                (str(inside.parent / "page.html"), "is not below"),
                ("runs/", "has no name"),
            ]:
                text = await refusal(client, "report", bundles=[str(task)], output=output)
                assert said in text, (output, text)
            assert (inside / "there.html").read_text() == "mine"
            left = {path.name for path in inside.parent.iterdir()}
            assert left == {"inside", "secret.ireeprof", "secret.parquet"}, left

    with scratch() as inside:
        asyncio.run(refused(inside))
    done = subprocess.run([program, "mcp", "/nosuch"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 3 and done.stdout == "" and "/nosuch" in done.stderr, done


def check_streams():
    """Standard output has messages only, standard error a line for each call."""
    with scratch() as inside:
        shutil.copy(data / "killed.ireeprof", inside)
        requests = [
            {"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}},
            {"method": "tools/call", "params": {"name": "open", "arguments": {"bundles": ["killed.ireeprof"]}}},
            {"method": "tools/call", "params": {"name": "sql", "arguments": {"bundles": ["runs"], "query": "SELECT\nnosuch"}}},
            {"method": "tools/call", "params": {"name": "nosuch", "arguments": {}}},
        ]
        server = subprocess.Popen([program, "mcp", inside], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        answers = []
        for number, request in enumerate(requests):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, **request}) + "\n")
            server.stdin.flush()
            answers.append(json.loads(server.stdout.readline()))
            if number == 0:
                server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        output, errors = server.communicate()
        assert output == "" and [answer["id"] for answer in answers] == [0, 1, 2, 3]
        assert "notes" in answers[1]["result"]["structuredContent"], "the file has no end, which is said"
        assert answers[2]["result"]["isError"] and "error" in answers[3]
        said = errors.splitlines()
        expected = ['answered tool="open"', 'there is no column nosuch tool="sql"', "there is no tool nosuch"]
        assert len(said) == 3 and all(part in line for part, line in zip(expected, said)), errors


globals()[f"check_{sys.argv[1]}"]()
