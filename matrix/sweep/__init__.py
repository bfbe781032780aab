"""Every producer before every reader: what predictors make of it, held against ``check``.

Passes of Paddle look at two or three operators beside each other. So each operator that makes a
value meets each that reads it, alone and with the value as an output as well: some 2,000 layers,
which are saved by one release and loaded by another, by Paddle's own predictor and by compatload's.
"""
