"""Calls `tollgate mcp` by the official client in both modes, and by hand with broken lines."""

import argparse
import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
from mcp import Client, MCPError, StdioServerParameters

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
    ("report", {"name": "trials", "define": "adapty", "app": "steps"}),
    ("why", {"report": "funnel", "column": "paid_rate", "last": "28d", "app": "steps"}),
    # The calls that the prompt of the weekly review names.
    *[
        ("report", {"name": name, "from": "last week", "to": "last week", "compare": "previous", "app": "steps"})
        for name in ("funnel", "trials", "revenue", "cancellations", "refunds")
    ],
    ("why", {"report": "funnel", "column": "paid_rate", "from": "2026-02-16", "to": "2026-02-23", "app": "steps"}),
    ("report", {"name": "experiments"}),
    ("experiment", {"name": "steps_yearly_anchor"}),
    ("explain", {"report": "funnel", "app": "steps", "key": {"variant": "anchor"}, "column": "paid_users", "limit": 5}),
    ("report", {"view": "germany"}),
    ("report", {"view": "week", "limit": 2, "columns": ["gross"]}),
    ("definition", {"rule": "3.1"}),
    ("definition", {"rule": "2.10"}),
    ("health", {"limit": 5}),
    ("reconcile", {"app": "steps"}),
    ("reconcile", {"app": "steps", "vendor": "adapty", "metric": "mrr", "vendor_value": "1841.7"}),
    ("reconcile", {"app": "steps", "vendor": "revenuecat", "metric": "new_trials", "where": ["country=DE"]}),
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
    # No trial of coach is introductory, and 70 days of data are too few for 95 days and for a year.
    ("report", {"name": "funnel", "app": "coach", "columns": ["trial_to_paid_rate"]}, "no_denominator"),
    ("report", {"name": "ltv", "app": "steps", "columns": ["ltv_person_365"]}, "not_matured"),
    ("report", {"name": "cancellations", "app": "steps", "columns": ["cancelled_95_rate"]}, "not_matured"),
    ("why", {"report": "funnel", "column": "paid_rate", "app": "steps", "from": "2026-03-09", "to": "2026-03-16"}, "not_matured"),
    # An app without trials.
    ("report", {"name": "trials", "app": "praxisen"}, "no_such_data"),
    ("report", {"name": "funnel", "app": "steps", "last": "28d", "compare": "country=XX"}, "unknown_value"),
    ("explain", {"report": "funnel", "app": "steps", "key": {"variant": "anchr"}, "column": "paid_users"}, "unknown_value"),
    ("report", {"view": "germeny"}, "unknown_value"),
    ("report", {"view": "germany", "by": "country"}, "ambiguous"),
]
VIEWS = """views:
  germany: {report: funnel, app: steps, by: variant, where: {country: DE}, from: last 28 days, note: The new paywall?}
  week: {report: revenue, from: last full week}
"""
PLAN = """experiment: steps_yearly_anchor
app: steps
hypothesis: An anchor sells more yearly plans.
primary: paid
"""
PROMPTS = {
    "weekly_review": [{}, {"app": "steps"}],
    "readout": [{"experiment": "steps_yearly_anchor"}, {"experiment": "steps_yearly_anchor", "app": "steps"}],
    "why_did_it_move": [
        {"number": "paid_rate"},
        {"number": "paid_rate", "report": "funnel", "app": "steps", "from": "2026-03-02", "to": "2026-03-09"},
    ],
}
faults = []


def check(is_right, what):
    if not is_right:
        faults.append(what)


async def code_of(call):
    """The code of the error that a request ends with; none for an answer."""
    try:
        await call
    except MCPError as error:
        return error.code
    return None


async def resources(client, mode, names, known):
    """Reads everything that there is to read, and what there is not."""
    listed = (await client.list_resources()).resources
    uris = [str(resource.uri) for resource in listed]
    check(len(set(uris)) == len(uris), f"{mode}: a resource is listed twice")
    texts = {}
    for uri in uris:
        contents = (await client.read_resource(uri)).contents
        check(len(contents) == 1 and str(contents[0].uri) == uri, f"{mode}: {uri}: {contents}")
        texts[uri] = contents[0].text
    for uri, text in texts.items():
        if not uri.startswith("tollgate://plans/"):
            check(isinstance(json.loads(text), dict), f"{mode}: {uri} is not an object")
    check(texts.get("tollgate://plans/steps_yearly_anchor") == PLAN, f"{mode}: the plan is not its file")
    for name in known:
        check(f"tollgate://reports/{name}" in texts, f"{mode}: report {name} is not a resource")
    funnel = json.loads(texts["tollgate://reports/funnel"])
    jsonschema.Draft202012Validator.check_schema(funnel["options"])
    templates = [template.uri_template for template in (await client.list_resource_templates()).resource_templates]
    for family in ("definitions", "reports", "plans"):
        check(any(template.startswith(f"tollgate://{family}/{{") for template in templates), f"{mode}: {templates}")
    # SEP-2164: -32602 from 2026-07-28 on, -32002 before.
    expected = -32002 if mode == "legacy" else -32602
    for uri in ("tollgate://definitions/99.9", "tollgate://reports/none", "tollgate://plans/none", "file:///etc/passwd"):
        code = await code_of(client.read_resource(uri))
        check(code == expected, f"{mode}: {uri}: code {code}")
    rules = {uri.rsplit("/", 1)[1] for uri in uris if uri.startswith("tollgate://definitions/")}
    listed = (await client.list_prompts()).prompts
    check({prompt.name for prompt in listed} == set(PROMPTS), f"{mode}: prompts are {listed}")
    for prompt in listed:
        for arguments in PROMPTS[prompt.name]:
            messages = (await client.get_prompt(prompt.name, arguments)).messages
            text = messages[0].content.text
            for value in arguments.values():
                check(f'"{value}"' in text, f"{mode}: {prompt.name} does not say {value}")
                text = text.replace(f'"{value}"', "")
            named = set(re.findall("`([^`]+)`", text))
            check(named and named <= names | known, f"{mode}: {prompt.name} names {named - names - known}")
            numbers = set(re.findall(r"D?\d+\.\d+", text))
            check(numbers and numbers <= rules, f"{mode}: {prompt.name} has {numbers - rules}")
            check(not re.search(r"\d", re.sub(r"D?\d+\.\d+|^\d\. ", "", text, flags=re.M)), f"{mode}: {prompt.name} has numbers")
    code = await code_of(client.get_prompt("none_such", {}))
    check(code == -32602, f"{mode}: an unknown prompt has code {code}")
    code = await code_of(client.get_prompt("readout", {}))
    check(code == -32602, f"{mode}: a missing argument has code {code}")
    return len(uris)


async def by_client(program, store, mode):
    folder = pathlib.Path(store).parent
    server = StdioServerParameters(command=program, args=["mcp", "--store", store, "--plans", str(folder / "plans")])
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
            if result.is_error:
                continue
            check(json.loads(result.content[0].text) == content, f"{mode}: {name}: text and content differ")
            if arguments.get("compare") or name == "why":
                # A side that a row does not have is not a denominator of 0.
                reasons = [column["reason"] or "" for column in content["columns"]]
                check(not [r for r in reasons if "denominator" in r], f"{mode}: {name} {arguments}: {reasons}")
            if "receipt" in content:
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
        catalog = (await client.call_tool("catalog", {})).structured_content
        check([view["name"] for view in catalog["views"]] == ["germany", "week"], f"{mode}: views {catalog['views']}")
        read = await resources(client, mode, names, {report["name"] for report in catalog["reports"]})
    return receipts, read


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
    check(codes == [-32700, -32700, -32700, -32602], f"by hand: codes {codes}")
    found = {a["id"]: a for a in answers if a.get("id") is not None}
    for name, code in [("m", -32601), ("v", -32022), ("e", -32602), ("t", -32602)]:
        check(found[name].get("error", {}).get("code") == code, f"by hand: {name}: {found[name]}")
    check("2026-07-28" in found["v"]["error"].get("data", {}).get("supported", []), f"by hand: {found['v']}")
    check(found["a"].get("result", {}).get("isError"), f"by hand: huge arguments: {str(found['a'])[:300]}")
    check(found["p"].get("result") == {}, f"by hand: ping: {found['p']}")
    for number in (1, 2):
        check(not found[number].get("result", {}).get("isError", True), f"by hand: call {number}")
    check(3 not in found, "by hand: a cancelled call is answered")
    # Calls that wait do not keep a ping or a cancellation waiting; the last of them is cancelled before it begins.
    lines = [call(number, "why", {"report": "funnel", "column": "paid_rate", "last": "56d"}) for number in range(1, 9)]
    lines.append(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}}))
    lines.append(json.dumps({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
    done = subprocess.run([program, "mcp", "--store", store], input="\n".join(lines), capture_output=True, text=True, timeout=120)
    ids = [json.loads(line)["id"] for line in done.stdout.splitlines()]
    check(ids[:1] == ["p"], f"by hand: a ping waits for calls: {ids}")
    check(sorted(map(str, ids)) == [*map(str, range(1, 8)), "p"], f"by hand: answers to {ids}")
    # Without a revision in the request: another version is answered with one that the server has.
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2099-01-01", "capabilities": {}}}
    done = subprocess.run([program, "mcp", "--store", store], input=json.dumps(hello), capture_output=True, text=True, timeout=60)
    check(json.loads(done.stdout)["result"]["protocolVersion"] == "2025-11-25", f"by hand: {done.stdout[:300]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/demo.db"
        for words in (["ingest", "SampleData/events"], ["rates", "import", "SampleData/rates.csv"]):
            subprocess.run([program, *words, "--store", store, "--quiet"], check=True, cwd=ROOT)
        (pathlib.Path(folder) / "views.yaml").write_text(VIEWS)
        (pathlib.Path(folder) / "plans").mkdir()
        (pathlib.Path(folder) / "plans" / "anchor.yaml").write_text(PLAN)
        receipts = []
        read = 0
        for mode in ("auto", "legacy"):
            found, count = asyncio.run(by_client(program, store, mode))
            receipts += found
            read += count
        for receipt in receipts:
            text = json.dumps(receipt)
            done = subprocess.run([program, "verify", "-", "--store", store], input=text, capture_output=True, text=True)
            check(done.returncode == 0, f"verify: {receipt['command']}: {done.stdout}{done.stderr}")
        by_hand(program, store)
        print(f"agents: {2 * len(CALLS)} calls, {2 * len(REFUSALS)} refusals, {read} resources, "
              f"{2 * sum(map(len, PROMPTS.values()))} prompts, {len(receipts)} receipts, {len(faults)} faults")
    for fault in faults:
        print(f"  {fault}"[:600])
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
