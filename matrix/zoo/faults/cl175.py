"""Types that the handles of a predictor do not take or give."""

from matrix.zoo.registry import ROWS, Family

family = Family("handles")
family.op("given_in_bfloat16", lambda x: x.astype("bfloat16"), ROWS)
