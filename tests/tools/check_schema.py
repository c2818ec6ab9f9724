"""Validates JSON files against a JSON Schema: check_schema.py SCHEMA FILE..."""

import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
wrong = 0
for path in sys.argv[2:]:
    with open(path) as file:
        for error in validator.iter_errors(json.load(file)):
            print(f"{path}: {error.json_path}: {error.message}", file=sys.stderr)
            wrong += 1
sys.exit(1 if wrong else 0)
