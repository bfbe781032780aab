"""Models that nobody thought of: drawn from Paddle's own signatures, saved, loaded, compared.

``python -m matrix.generate`` runs it. Where what is:

- ``description``: what a drawn model is, as data; its name tells all of it
- ``functions``, ``arguments``, ``recipes``: Paddle's functions, and values for what they take
- ``making``: which functions make which operators
- ``dresses``: what stands around a call
- ``ways``: how it is saved
- ``layers``: the layer of a description
- ``drawing``: one number of a seed, drawn and saved; runs inside a Paddle
- ``structure``: which programs are the same
- ``searching``: saves and loads by the thousand
- ``causes``: whose failure it is
- ``shrinking``: the least model that fails alike
- ``reach``, ``coverage``, ``report``: what could be tried, what was, and what came of it
"""
