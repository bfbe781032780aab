"""The pages of symptoms whose message stands in what was typed, the longest first."""

import json
import sys

asked = sys.argv[1]
with open("symptoms.json", encoding="utf-8") as file:
    found = [one for one in json.load(file) if one["message"] in asked]
for one in sorted(found, key=lambda one: -len(one["message"])):
    print(f"https://compatload.github.io/compatload/symptoms/{one['id']}/")
