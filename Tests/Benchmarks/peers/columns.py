"""The fields of an event that a peer keeps: those that occur in the data, so that no peer pays for empty ones."""

TEXTS = ["event_id", "event", "app", "user_id", "platform", "store", "country", "app_version", "entry_point",
         "experiment", "variant", "paywall", "tier", "currency", "product_id", "plan", "subscription_id",
         "transaction_id", "trial_kind", "reason"]
INSTANTS = ["ts", "received_at", "expires_at"]
MONEY = ["price", "price_monthly", "price_yearly"]
NUMBERS = []
INTEGERS = ["trial_days"]
OBJECTS = ["properties"]

# What `tollgate sample` has beyond the plain generator.
SAMPLE = {"TEXTS": ["environment", "previous_user_id", "offering", "previous_product_id", "ownership", "offer_type",
                    "offer_code", "limit_name"],
          "INSTANTS": ["trial_ends_at", "grace_ends_at"], "MONEY": ["price_lifetime"],
          "NUMBERS": ["tax_percentage", "commission_percentage", "limit", "used"], "INTEGERS": [], "OBJECTS": []}


def kinds(data):
    """By kind ("TEXTS", ...) the fields of `data`, "plain" or "sample"."""
    own = {"TEXTS": TEXTS, "INSTANTS": INSTANTS, "MONEY": MONEY, "NUMBERS": NUMBERS, "INTEGERS": INTEGERS,
           "OBJECTS": OBJECTS}
    return {kind: fields + (SAMPLE[kind] if data == "sample" else []) for kind, fields in own.items()}


def typed(data, types):
    """Field to type, by `types` from kind to the peer's name of it."""
    return {field: types[kind] for kind, fields in kinds(data).items() for field in fields}
