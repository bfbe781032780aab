"""What Paddle's own loaders will do with a saved model, told from the file alone."""

from compatload.checking.native.prediction import Outcome, Prediction, predict

__all__ = ["Outcome", "Prediction", "predict"]
