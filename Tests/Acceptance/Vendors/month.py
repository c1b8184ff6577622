#!/usr/bin/env python3
"""A month of the sample apps as their vendors would tell it, against the native files.

    python3 month.py --program PATH [--persons 4000] [--seed 7] [--keep]

`tollgate sample` writes a month of native events. The same events are written a second time as RevenueCat webhooks (all
purchases of two apps, those on Google Play of the other two, exposures, aliases), as App Store notifications (the rest of
the purchases) and as Adapty's paywall visits. Both are ingested, and every report has to be the same, byte for byte.

What the formats cannot carry is taken out of the native events first, and of nothing else: `carried` says what and why, and
LoadServiceFiles.md lists it. The last line is "N passed, M failed"; the exit status is 1 when anything failed.
"""
import argparse
import base64
import csv
import decimal
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

DAY = 86_400_000
FIRST_DAY = "2026-03-01"
AS_OF = "2026-04-01T00:00:00Z"
# Billed by RevenueCat alone; the other two by the App Store where a purchase is of it.
REVENUECAT_APPS = {"techniq", "praxisen"}
BILLING = {"trial_start", "conversion", "renewal", "plan_change", "cancellation", "reactivation", "billing_issue",
           "expiration", "refund"}
ALPHA3 = {"US": "USA", "GB": "GBR", "DE": "DEU", "CA": "CAN", "IN": "IND", "JP": "JPN", "AU": "AUS", "FR": "FRA",
          "BR": "BRA", "NL": "NLD"}
REPORTS = [
    ["funnel"], ["funnel", "--by", "none"], ["funnel", "--by", "variant,country"], ["funnel", "--unit", "view"],
    ["funnel", "--by", "week,store", "--attribution", "first"],
    ["trials"], ["trials", "--by", "plan,store,country"], ["trials", "--by", "day", "--attribution", "all"],
    ["savings"], ["savings", "--by", "none"],
    ["cancellations"], ["cancellations", "--by", "plan,store,country"],
    ["revenue", "--by", "day"], ["revenue", "--by", "week,plan,country", "--mode", "gross"],
    ["mrr", "--by", "week"], ["mrr", "--by", "week", "--movement"],
    ["subscriptions", "--by", "week,plan"], ["subscriptions", "--by", "month", "--movement"],
    ["retention", "--by", "plan"], ["retention", "--by-period", "--by", "plan,store"],
    ["refunds"], ["ltv"], ["experiments"],
]


def millis(text):
    if isinstance(text, int):
        return text
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    since = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since.days * DAY + since.seconds * 1000 + since.microseconds // 1000


def is_of_app_store(event):
    return (event["event"] in BILLING and event["app"] not in REVENUECAT_APPS
            and event.get("store") == "app_store")


class Known:
    """What a vendor's server knows besides the event at hand."""

    def __init__(self, events):
        self.payments = {}
        self.trials = set()
        for event in events:
            if event["event"] in ("conversion", "renewal", "plan_change") and "price" in event:
                self.payments[event.get("transaction_id")] = event
            if event["event"] == "trial_start" and event.get("trial_kind") != "app":
                self.trials.add(event.get("subscription_id"))

    def refund_share(self, refund):
        """Thousandths of a percent of the payment, and its price; None for all of it."""
        payment = self.payments.get(refund.get("transaction_id"))
        if "price" not in refund or payment is None:
            return None
        price, part = decimal.Decimal(str(payment["price"])), decimal.Decimal(str(refund["price"]))
        if part >= price:
            return None
        return int((part / price * 100_000).to_integral_value()), price


def is_free_offer(event):
    return (event["event"] == "conversion" and "offer_type" in event and float(event["price"]) == 0
            and event.get("ownership") != "family_shared")


def carried(event, known):
    """The native events without what no format carries; none where none of it is."""
    event = common(event, known)
    if event is None:
        return []
    if is_of_app_store(event) and is_free_offer(event):
        # The App Store tells a free offer as it does a trial.
        trial = {name: value for name, value in event.items()
                 if name not in ("price", "currency", "expires_at", "offer_type", "offer_code")}
        return [trial | {"event": "trial_start", "event_id": event["event_id"] + "-trial",
                         "trial_ends_at": event["expires_at"]}, event]
    return [event]


def common(event, known):
    """The native event without what no format carries; None where none of it is."""
    kind = event["event"]
    if kind not in BILLING | {"exposure", "paywall_impression", "identify"}:
        return None                                   # of what is used in the app only clients tell
    if event.get("trial_kind") == "app":
        return None                                   # no store sells the app's own trial
    event = dict(event)
    ts = millis(event["ts"])
    # Which device, version and channel a webhook is of it does not say, and the family of plans nobody does.
    for name in ("app_version", "properties", "tier", "received_at"):
        event.pop(name, None)
    if kind == "paywall_impression":
        # Adapty's visits have no prices; in a test the paywall's name is the variant.
        for name in [name for name in event if name.startswith("price_")] + ["currency", "offering"]:
            event.pop(name, None)
        if "experiment" in event:
            event["paywall"] = event["variant"]
    if kind == "exposure":
        for name in ("platform", "store", "country"):
            event.pop(name, None)
    if kind in BILLING:
        # Billing knows no paywall.
        for name in ("experiment", "variant", "paywall", "entry_point"):
            event.pop(name, None)
        if is_of_app_store(event):
            # Whether it is an iPhone or a Mac, tax, commission and why auto-renew was turned off the App Store does not say.
            for name in ("platform", "tax_percentage", "commission_percentage"):
                event.pop(name, None)
            if kind == "cancellation":
                event.pop("reason", None)
            if kind == "conversion" and event.get("transaction_id") != event.get("subscription_id") \
                    and event.get("subscription_id") not in known.trials:
                event["event"] = "renewal"            # of a trial that is in no file
            if kind == "refund":
                share = known.refund_share(event)
                event.pop("price", None)
                if share:                             # told as a share
                    event["price"] = str((share[1] * share[0] / 100_000).quantize(
                        decimal.Decimal("0.000001"), decimal.ROUND_HALF_EVEN))
                else:
                    event.pop("currency", None)
        else:
            if event.get("offer_type") == "win_back":
                event.pop("offer_type")               # RevenueCat has no field for it
            if kind == "billing_issue":
                event["ts"] = ts - ts % 60_000        # told twice, so read to the minute
    return event


def revenuecat(event, known):
    """Webhooks, as bodies."""
    kind, ts = event["event"], millis(event["ts"])
    received = millis(event.get("received_at", ts))
    body = {
        "id": event["event_id"], "event_timestamp_ms": ts, "app_id": event["app"], "app_user_id": event["user_id"],
        "environment": event.get("environment", "production").upper(),
    }
    if kind == "exposure":
        body |= {"type": "EXPERIMENT_ENROLLMENT", "experiment_id": event["experiment"],
                 "experiment_variant": event["variant"], "enrolled_at_ms": ts}
        return [body]
    if kind == "identify":
        return [body | {"type": "SUBSCRIBER_ALIAS", "aliases": [event["user_id"], event["previous_user_id"]]}]
    body |= {
        "original_app_user_id": event["user_id"], "aliases": [event["user_id"]], "store": event["store"].upper(),
        "country_code": event.get("country"), "product_id": event.get("product_id"), "period_type": "NORMAL",
        "original_transaction_id": event.get("subscription_id"), "transaction_id": event.get("transaction_id"),
        "is_family_share": event.get("ownership") == "family_shared", "entitlement_ids": ["pro"],
        "offer_code": event.get("offer_code"),
        "expiration_at_ms": millis(event["expires_at"]) if "expires_at" in event else None,
    }
    money = {"currency": event.get("currency"), "price_in_purchased_currency": float(event.get("price", 0)),
             "tax_percentage": event.get("tax_percentage"), "commission_percentage": event.get("commission_percentage")}
    if kind == "trial_start":
        ends = millis(event["trial_ends_at"]) if "trial_ends_at" in event else ts + event["trial_days"] * DAY
        return [body | {"type": "INITIAL_PURCHASE", "period_type": "TRIAL", "event_timestamp_ms": received,
                        "purchased_at_ms": ts, "expiration_at_ms": ends, "price_in_purchased_currency": 0.0}]
    if kind in ("conversion", "renewal"):
        of_trial = kind == "conversion" and event.get("subscription_id") in known.trials
        kinds = {"conversion": "RENEWAL" if of_trial else "INITIAL_PURCHASE", "renewal": "RENEWAL"}
        return [body | money | {
            "type": "NON_RENEWING_PURCHASE" if event["plan"] == "lifetime" else kinds[kind],
            "is_trial_conversion": of_trial, "event_timestamp_ms": received, "purchased_at_ms": ts}]
    if kind == "plan_change":
        change = body | {"type": "PRODUCT_CHANGE", "product_id": event.get("previous_product_id", event["product_id"]),
                         "new_product_id": event["product_id"], "price_in_purchased_currency": 0.0}
        if "price" not in event:
            return [change]
        return [change, body | money | {"type": "RENEWAL", "id": event["event_id"] + "-paid", "purchased_at_ms": ts}]
    reasons = {"voluntary": "UNSUBSCRIBE", "billing": "BILLING_ERROR", "price_increase": "PRICE_INCREASE"}
    reason = reasons.get(event.get("reason", "voluntary"), "UNKNOWN")
    if kind == "cancellation":
        return [body | {"type": "CANCELLATION", "cancel_reason": reason}]
    if kind == "reactivation":
        return [body | {"type": "UNCANCELLATION"}]
    if kind == "billing_issue":
        return [body | {"type": "BILLING_ISSUE", "grace_period_expiration_at_ms":
                        millis(event["grace_ends_at"]) if "grace_ends_at" in event else None},
                # The same failed charge, told again.
                body | {"type": "CANCELLATION", "cancel_reason": "BILLING_ERROR", "id": event["event_id"] + "-again"}]
    if kind == "expiration":
        return [body | {"type": "EXPIRATION", "expiration_reason": reason, "expiration_at_ms": ts,
                        "event_timestamp_ms": received}]
    if kind == "refund":
        return [body | {"type": "CANCELLATION", "cancel_reason": "CUSTOMER_SUPPORT", "currency": event.get("currency"),
                        "price_in_purchased_currency": -float(event.get("price", 0))}]
    raise ValueError(kind)


def signed(payload):
    """A text as the App Store signs it; nobody checks the signature without --verify."""
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    return ".".join([part(b'{"alg":"ES256","x5c":[]}'), part(json.dumps(payload).encode()), part(b"signature")])


def app_store(event, known):
    """Notifications, as bodies."""
    kind, ts = event["event"], millis(event["ts"])
    received = millis(event.get("received_at", ts))
    subscription = event.get("subscription_id")
    transaction = {
        "transactionId": event.get("transaction_id", subscription), "originalTransactionId": subscription,
        "bundleId": event["app"], "productId": event.get("product_id"), "appAccountToken": event["user_id"],
        "type": "Auto-Renewable Subscription", "storefront": ALPHA3[event["country"]], "quantity": 1,
        "inAppOwnershipType": "FAMILY_SHARED" if event.get("ownership") == "family_shared" else "PURCHASED",
        "environment": event.get("environment", "production").capitalize(), "signedDate": received,
        "transactionReason": "PURCHASE", "purchaseDate": ts,
    }
    if "expires_at" in event:
        transaction["expiresDate"] = millis(event["expires_at"])
    if "price" in event and kind != "refund":
        transaction |= {"price": int(decimal.Decimal(str(event["price"])) * 1000), "currency": event["currency"]}
    if "offer_type" in event:
        transaction["offerType"] = {"introductory": 1, "promotional": 2, "offer_code": 3, "win_back": 4}[event["offer_type"]]
    if is_free_offer(event):
        transaction["offerDiscountType"] = "FREE_TRIAL"
    if "offer_code" in event:
        transaction["offerIdentifier"] = event["offer_code"]
    renewal = {"originalTransactionId": subscription, "autoRenewProductId": event.get("product_id"), "autoRenewStatus": 1}
    subtype, signed_date = None, ts
    if kind == "trial_start":
        note, subtype, signed_date = "SUBSCRIBED", "INITIAL_BUY", received
        ends = millis(event["trial_ends_at"]) if "trial_ends_at" in event else ts + event["trial_days"] * DAY
        transaction |= {"offerType": 1, "offerDiscountType": "FREE_TRIAL", "price": 0, "currency": "USD", "expiresDate": ends}
    elif kind == "conversion" and event["plan"] == "lifetime":
        note, signed_date = "ONE_TIME_CHARGE", received
        transaction["type"] = "Non-Consumable"
    elif kind == "conversion" and event["transaction_id"] == subscription:
        note, subtype, signed_date = "SUBSCRIBED", "INITIAL_BUY", received
    elif kind in ("conversion", "renewal"):
        note, signed_date = "DID_RENEW", received
        transaction["transactionReason"] = "RENEWAL"
    elif kind == "plan_change":
        note, subtype = "DID_CHANGE_RENEWAL_PREF", "UPGRADE" if "price" in event else "DOWNGRADE"
        if "price" not in event:
            transaction["productId"] = event.get("previous_product_id", event["product_id"])
        else:
            transaction["transactionReason"] = "RENEWAL"
    elif kind in ("cancellation", "reactivation"):
        note = "DID_CHANGE_RENEWAL_STATUS"
        subtype = "AUTO_RENEW_DISABLED" if kind == "cancellation" else "AUTO_RENEW_ENABLED"
    elif kind == "billing_issue":
        note, subtype = "DID_FAIL_TO_RENEW", "GRACE_PERIOD"
        if "grace_ends_at" in event:
            renewal["gracePeriodExpiresDate"] = millis(event["grace_ends_at"])
    elif kind == "expiration":
        note, signed_date = "EXPIRED", received
        subtype = {"voluntary": "VOLUNTARY", "billing": "BILLING_RETRY", "price_increase": "PRICE_INCREASE"}.get(
            event.get("reason"))
        transaction["expiresDate"] = ts
    elif kind == "refund":
        note, signed_date = "REFUND", received
        transaction |= {"revocationDate": ts, "revocationReason": 0}
        share = known.refund_share(event)
        if share:
            transaction |= {"revocationType": "REFUND_PRORATED", "revocationPercentage": share[0],
                            "price": int(share[1] * 1000), "currency": event["currency"]}
    else:
        raise ValueError(kind)
    payload = {
        "notificationType": note, "notificationUUID": event["event_id"], "version": "2.0", "signedDate": signed_date,
        "data": {"bundleId": event["app"], "environment": transaction["environment"],
                 "signedTransactionInfo": signed(transaction), "signedRenewalInfo": signed(renewal)},
    }
    if subtype:
        payload["subtype"] = subtype
    return [{"signedPayload": signed(payload)}]


VISIT = ["profile_id", "customer_user_id", "store", "store_country", "environment", "paywall_showed_at", "developer_id",
         "paywall_name", "ab_test_name"]


def visit(event):
    """A row of Adapty's export of paywall visits."""
    seconds, rest = divmod(millis(event["ts"]), 1000)
    at = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{rest:03d}000+0000"
    return [event["user_id"], "", event["store"], event.get("country", ""),
            event.get("environment", "production").capitalize(), at, event["entry_point"],
            event["variant"] if "experiment" in event else event.get("paywall", ""), event.get("experiment", "")]


def render(events, folder):
    """The events as the vendors' files: one a vendor and app."""
    known = Known(events)
    out = {}
    for event in events:
        if not carried(event, known):
            continue
        if event["event"] == "paywall_impression":
            out.setdefault((event["app"], "visits.csv"), []).append(visit(event))
        elif is_of_app_store(event):
            out.setdefault((event["app"], "notifications.jsonl"), []).extend(app_store(event, known))
        else:
            out.setdefault((event["app"], "webhooks.jsonl"), []).extend(
                {"api_version": "1.0", "event": body} for body in revenuecat(event, known))
    for (app, name), rows in out.items():
        os.makedirs(os.path.join(folder, app), exist_ok=True)
        with open(os.path.join(folder, app, name), "w", newline="") as file:
            if name.endswith(".csv"):
                csv.writer(file, lineterminator="\n").writerows([VISIT] + rows)
            else:
                file.writelines(json.dumps(row) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--persons", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tollgate-month-")
    program = os.path.abspath(arguments.program)

    def run(*words):
        result = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{' '.join(words)}: status {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    run("sample", "--output", "sample", "--persons", str(arguments.persons), "--seed", str(arguments.seed),
        "--first-day", FIRST_DAY, "--days", "31", "--quiet")
    paths = sorted(glob.glob(os.path.join(folder, "sample", "**", "*.zst"), recursive=True))
    text = subprocess.run(["zstd", "-dcq", *paths], capture_output=True, text=True, check=True).stdout
    events = [json.loads(line) for line in text.splitlines()]
    known = Known(events)
    kept = [part for event in events for part in carried(event, known)]
    with open(os.path.join(folder, "carried.jsonl"), "w") as file:
        file.writelines(json.dumps(event) + "\n" for event in kept)
    render(events, os.path.join(folder, "vendors"))
    run("ingest", "--store", "native.db", "--strict", "carried.jsonl")
    for app in sorted(os.listdir(os.path.join(folder, "vendors"))):
        summary = json.loads(
            run("ingest", "--store", "vendors.db", "--format", "json", "--app", app, f"vendors/{app}"))
        # A failed charge that is told twice with a grace period is a conflict that the adapter settles.
        if set(summary["quarantined"]) - {"conflict"}:
            sys.exit(f"{app}: quarantined {summary['quarantined']}")
    names = [line.split(",")[1] for line in run("experiments", "--store", "native.db", "--format", "csv").splitlines()[1:]]
    passed = failed = 0
    for words in REPORTS + [["experiment", name] for name in names]:
        both = [run(*words, "--as-of", AS_OF, "--format", "csv", "--store", store) for store in ("native.db", "vendors.db")]
        if both[0] == both[1] and len(both[0].splitlines()) > 1:
            passed += 1
            continue
        failed += 1
        print(f"{' '.join(words)}: {'no rows' if both[0] == both[1] else 'differs'}")
        lines = [one.splitlines() for one in both]
        for native, vendors in zip(*lines):
            if native != vendors:
                print(f"  native  {native}\n  vendors {vendors}")
                break
        else:
            print(f"  {len(lines[0])} lines native, {len(lines[1])} of vendors")
    print(f"{len(events)} events, {len(kept)} carried")
    if arguments.keep or failed:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
