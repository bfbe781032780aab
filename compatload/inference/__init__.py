"""``safe_load(inference_only=True)``: a pool of predictors behind the jit layer's calls."""
