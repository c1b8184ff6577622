"""Calls `tollgate mcp` by the official client in both modes, and by hand with broken lines."""

import argparse
import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
from mcp import Client, StdioServerParameters

ROOT = pathlib.Path(__file__).resolve().parents[3]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS = [
    ("catalog", {}),
    ("report", {"name": "funnel", "app": "steps", "by": ["variant"]}),
    ("report", {"name": "revenue", "app": ["steps", "coach"], "by": "month", "limit": 3}),
    ("report", {"name": "trials", "where": ["country=US"], "as_of": "2026-03-01T00:00:00Z"}),
    ("report", {"name": "funnel", "compare": "previous", "last": "28d"}),
    ("report", {"name": "mrr", "movement": True, "by": "month"}),
    ("why", {"report": "funnel", "column": "paid_rate", "last": "28d", "app": "steps"}),
    ("experiment", {"name": "steps_yearly_anchor"}),
    ("explain", {"report": "funnel", "app": "steps", "key": {"variant": "anchor"}, "column": "paid_users", "limit": 5}),
    ("definition", {"rule": "3.1"}),
    ("health", {"limit": 5}),
    ("reconcile", {"app": "steps"}),
    ("reconcile", {"app": "steps", "vendor": "adapty", "metric": "mrr", "vendor_value": "1841.7"}),
]
REFUSALS = [
    ("report", {"name": "funnel", "app": "stepz"}, "unknown_app"),
    ("report", {"name": "funnels"}, "unknown_report"),
    ("report", {"name": "funnel", "by": "colour"}, "unknown_dimension"),
    ("report", {"name": "funnel", "where": "country=XX"}, "unknown_value"),
    ("report", {"name": "funnel", "columns": ["colour"]}, "unknown_column"),
    ("report", {"name": "funnel", "from": "1999-01-01", "to": "1999-02-01"}, "out_of_range"),
    ("report", {"name": "funnel", "limit": 501}, "too_many_rows"),
    ("report", {"name": "revenue", "currency": "XTS"}, "missing_rates"),
    ("report", {"name": "funnel", "colour": "red"}, "out_of_range"),
    ("experiment", {"name": "none_such"}, "unknown_value"),
    ("explain", {"report": "funnel", "key": {"variant": "anchor"}, "column": "colour"}, "unknown_column"),
    ("definition", {"rule": "99"}, "unknown_value"),
]
faults = []


def check(is_right, what):
    if not is_right:
        faults.append(what)


async def by_client(program, store, mode):
    server = StdioServerParameters(command=program, args=["mcp", "--store", store])
    receipts = []
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        names = {tool.name for tool in tools}
        check({name for name, _ in CALLS} | {"verify"} == names, f"{mode}: tools are {sorted(names)}")
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        inputs = {tool.name: tool.input_schema for tool in tools}
        for name, arguments in CALLS:
            jsonschema.validate(arguments, inputs[name], jsonschema.Draft202012Validator)
            result = await client.call_tool(name, arguments)
            check(not result.is_error, f"{mode}: {name} {arguments}: {result.content}")
            content = result.structured_content
            check(json.loads(result.content[0].text) == content, f"{mode}: {name}: text and content differ")
            if not result.is_error and "receipt" in content:
                receipts.append(content["receipt"])
                numbers = [value for row in content["rows"] for value in row.values() if isinstance(value, (int, float))]
                check(not [n for n in numbers if not isinstance(n, bool)], f"{mode}: {name} has numbers that are not texts")
        for name, arguments, code in REFUSALS:
            result = await client.call_tool(name, arguments)
            content = result.structured_content
            check(result.is_error and content["code"] == code, f"{mode}: {name} {arguments}: {content}")
            if result.is_error and content["try"] is not None:
                again = await client.call_tool(name, content["try"])
                check(not again.is_error, f"{mode}: {name} {arguments}: try {content['try']} gives {again.content}")
        verified = await client.call_tool("verify", {"receipt": receipts[0]})
        check(verified.structured_content["verdict"] == "same", f"{mode}: verify says {verified.structured_content}")
    return receipts


def by_hand(program, store):
    def call(number, name, arguments):
        params = {"name": name, "arguments": arguments, "_meta": META}
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    other = dict(META, **{"io.modelcontextprotocol/protocolVersion": "1999-01-01"})
    lines = [
        "{not json", "[]", "\xff", "x" * (1 << 20) + "y",
        json.dumps({"jsonrpc": "2.0", "id": "m", "method": "no/such", "params": {"_meta": META}}),
        json.dumps({"jsonrpc": "2.0", "id": "v", "method": "tools/list", "params": {"_meta": other}}),
        json.dumps({"jsonrpc": "2.0", "id": "e", "method": "tools/list", "params": {}}),
        call("t", "no_such", {}), call("a", "report", {"name": "funnel", "where": "country=" + "x," * 100_000}),
        call(1, "report", {"name": "ltv"}), call(2, "report", {"name": "funnel"}), call(3, "catalog", {}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}),
        json.dumps({"jsonrpc": "2.0", "id": "p", "method": "ping"}),
    ]
    text = b"\n".join(line.encode("latin-1") for line in lines) + b"\n"
    done = subprocess.run([program, "mcp", "--store", store], input=text, capture_output=True, timeout=60)
    check(done.returncode == 0, f"by hand: status {done.returncode}, {done.stderr[:300]}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    codes = sorted(a["error"]["code"] for a in answers if a.get("id") is None)
    check(codes == [-32700, -32700, -32700, -32600], f"by hand: codes {codes}")
    found = {a["id"]: a for a in answers if a.get("id") is not None}
    for name, code in [("m", -32601), ("v", -32022), ("e", -32602), ("t", -32602)]:
        check(found[name].get("error", {}).get("code") == code, f"by hand: {name}: {found[name]}")
    check("2026-07-28" in found["v"]["error"].get("data", {}).get("supported", []), f"by hand: {found['v']}")
    check(found["a"].get("result", {}).get("isError"), f"by hand: huge arguments: {str(found['a'])[:300]}")
    check(found["p"].get("result") == {}, f"by hand: ping: {found['p']}")
    for number in (1, 2):
        check(not found[number].get("result", {}).get("isError", True), f"by hand: call {number}")
    check(3 not in found, "by hand: a cancelled call is answered")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/demo.db"
        for words in (["ingest", "SampleData/events"], ["rates", "import", "SampleData/rates.csv"]):
            subprocess.run([program, *words, "--store", store, "--quiet"], check=True, cwd=ROOT)
        receipts = []
        for mode in ("auto", "legacy"):
            receipts += asyncio.run(by_client(program, store, mode))
        for receipt in receipts:
            text = json.dumps(receipt)
            done = subprocess.run([program, "verify", "-", "--store", store], input=text, capture_output=True, text=True)
            check(done.returncode == 0, f"verify: {receipt['command']}: {done.stdout}{done.stderr}")
        by_hand(program, store)
        print(f"agents: {2 * len(CALLS)} calls, {2 * len(REFUSALS)} refusals, {len(receipts)} receipts, {len(faults)} faults")
    for fault in faults:
        print(f"  {fault}"[:600])
    sys.exit(1 if faults else 0)


main()
