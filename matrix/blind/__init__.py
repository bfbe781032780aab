"""Models that were written without a look at this repository, from Paddle's documentation alone.

What the matrix holds is what somebody here thought of. These 931 models were not: tensor programs,
forms of arguments, vision, language, speech and science, each of 5 to 200 operators. Their style is
their authors'.
``python -m matrix.blind.run`` runs them; write further ones in the same way.
"""
