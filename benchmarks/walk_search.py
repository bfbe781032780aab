"""The symptom pages whose message shares most words with what was typed, as a search has them."""

import json
import re
import sys


def words(text: str) -> set:
    return set(re.findall(r"[a-z_]{3,}", text.lower()))


asked = words(sys.argv[1])
with open("symptoms.json", encoding="utf-8") as file:
    found = json.load(file)
found.sort(key=lambda one: len(asked & words(one["message"])) / len(words(one["message"]) | asked))
for one in found[:-3:-1]:
    print(f"symptoms/{one['id']}/  {one['message']}")
