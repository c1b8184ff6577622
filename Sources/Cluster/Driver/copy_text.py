"""Text that Spark and workers, or the caller, exchange: COPY text of PostgreSQL, and literals of SQL."""

#: Columns that have nothing to escape.
PLAIN = ("bytes", "raw_base64")
#: Of rows that TRANSFORM sends and takes.
FORMAT = r"ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LINES TERMINATED BY '\n' NULL DEFINED AS '\\N'"


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def escaped(column):
    """COPY text of a column: `\\`, tab, line feed and carriage return; NULL is the format's own."""
    special = " OR ".join(f"contains({column}, {c})" for c in (r"'\\'", r"'\t'", r"'\n'", r"'\r'"))
    text = column
    for raw, code in ((r"'\\'", r"'\\\\'"), (r"'\t'", r"'\\t'"), (r"'\n'", r"'\\n'"), (r"'\r'", r"'\\r'")):
        text = f"replace({text}, {raw}, {code})"
    return f"if({special}, {text}, {column})"


def text_columns(columns):
    """COPY text of columns, which have names and types."""
    return [escaped(c) if t == "STRING" and c not in PLAIN else f"CAST({c} AS STRING)" for c, t in columns]


def escaped_json(column):
    """The same of canonical JSON, whose only special character is the backslash: looking for others takes longer."""
    return rf"replace({column}, '\\', '\\\\')"


def unescaped(column):
    """A column as it was; NUL, which no event has, stands for the backslash meanwhile."""
    text = column
    for code, raw in (
        (r"'\\\\'", r"'\0'"), (r"'\\t'", r"'\t'"), (r"'\\n'", r"'\n'"), (r"'\\r'", r"'\r'"), (r"'\0'", r"'\\'"),
    ):
        text = f"replace({text}, {code}, {raw})"
    return f"if(contains({column}, '\\\\'), {text}, {column})"


def copy_line(cells):
    """A row of COPY text of columns that are escaped."""
    return "concat_ws('\\t', " + ", ".join(f"coalesce({cell}, '\\\\N')" for cell in cells) + ")"


def one_line_base64(column):
    """Spark breaks lines as mail does."""
    return f"replace(base64({column}), '\\r\\n', '')"
