# SPDX-License-Identifier: BSD-2-Clause
"""json_check.py SCHEMA [SEEN [all]]: each line of stdin is a JSON object that the schema describes. The part of JSON
Schema that the file uses, and an error for any word beyond it. The fields that were met are added to the file SEEN;
with `all` nothing is read, and it is an error if a field of the schema is not in SEEN."""
import json
import re
import sys

schema = json.load(open(sys.argv[1]))
seen = set()


def fields_of(s, path):
    """Numbers each object of the schema: its id -> where it stands, and all fields."""
    if isinstance(s, dict) and isinstance(s.get('properties'), dict):
        places[id(s)] = path
        fields.update(f'{path}.{k}' for k in s['properties'])
    for k, v in s.items() if isinstance(s, dict) else enumerate(s) if isinstance(s, list) else ():
        fields_of(v, f'{path}/{k}' if k not in ('$defs', 'properties', 'items') else path)


places, fields = {}, set()
fields_of(schema, '')
if sys.argv[3:] == ['all']:
    missing = sorted(fields - set(open(sys.argv[2]).read().split()))
    print(f'{len(fields)} fields')
    sys.exit(f'never met: {" ".join(missing)}' if missing else 0)
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def is_type(v, t):
    if t == 'integer':
        return isinstance(v, int) and not isinstance(v, bool)
    return isinstance(v, TYPES[t])


def fault(v, s):
    """None, or why v is not what s describes."""
    for word, arg in s.items():
        if word == '$ref':
            node = schema
            for part in arg[2:].split('/'):
                node = node[part]
            why = fault(v, node)
        elif word == 'type':
            why = None if is_type(v, arg) else f'{v!r} is no {arg}'
        elif word == 'const':
            why = None if v == arg else f'{v!r} is not {arg!r}'
        elif word == 'enum':
            why = None if v in arg else f'{v!r} is none of {arg}'
        elif word == 'minimum':
            why = f'{v!r} < {arg}' if is_type(v, 'integer') and v < arg else None
        elif word == 'maximum':
            why = f'{v!r} > {arg}' if is_type(v, 'integer') and v > arg else None
        elif word == 'pattern':
            why = f'{v!r} is not {arg}' if isinstance(v, str) and not re.search(arg, v) else None
        elif word == 'required':
            why = next((f'no {k} in {v!r}' for k in arg if isinstance(v, dict) and k not in v), None)
        elif word == 'properties':
            why = next((f'{k}: {w}' for k, p in arg.items() if isinstance(v, dict) and k in v
                        for w in [fault(v[k], p)] if w), None)
        elif word == 'additionalProperties':
            known = s.get('properties', {})
            more = [k for k in v if k not in known] if isinstance(v, dict) else []
            why = (f'unknown {more[0]}' if more and arg is False else
                   next((w for k in more if arg for w in [fault(v[k], arg)] if w), None))
        elif word == 'items':
            why = next((w for e in v if isinstance(v, list) for w in [fault(e, arg)] if w), None)
        elif word in ('oneOf', 'anyOf'):
            faults = [fault(v, a) for a in arg]
            n = faults.count(None)
            why = None if n == 1 or (n and word == 'anyOf') else f'{n} of {word} match: {faults}'
        elif word in ('$schema', 'title', 'description', '$defs'):
            why = None
        else:
            sys.exit(f'{word}: not known to this validator')
        if why:
            return why
    if id(s) in places:
        seen.update(f'{places[id(s)]}.{k}' for k in v if k in s['properties'])
    return None


lines = 0
for line in sys.stdin:
    why = fault(json.loads(line), schema)
    if why:
        sys.exit(f'{line}{why}')
    lines += 1
print(f'{lines} lines are valid')
if not lines:
    sys.exit('no lines')
if len(sys.argv) > 2:
    with open(sys.argv[2], 'a') as f:
        f.write(' '.join(sorted(seen)) + '\n')
