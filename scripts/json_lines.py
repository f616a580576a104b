"""JSON as in committed files, one field or list item on each line: json_lines.py FILE ... rewrites files so."""

import json
import pathlib
import sys


def brief(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def field(value):
    if not isinstance(value, list) or not value or not isinstance(value[0], (dict, list)):
        return brief(value)
    return "[\n" + ",\n".join(f"  {brief(item)}" for item in value) + "\n ]"


def written(document):
    return "{\n" + ",\n".join(f' "{key}": {field(value)}' for key, value in document.items()) + "\n}\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = pathlib.Path(name)
        file.write_text(written(json.loads(file.read_text())))
