"""``migrate``: whole trees of models, with all that lies beside them, made ready for a Paddle."""
