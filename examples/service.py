"""MODELS=ocr=models/ocr,tags=models/tags uvicorn service:app --workers 2"""

import os
from contextlib import asynccontextmanager
from typing import Annotated

import numpy as np
from fastapi import Body, FastAPI

from compatload import ModelHandle

models: dict[str, ModelHandle] = {}


@asynccontextmanager
async def lifespan(app: FastAPI):
    for name, path in (pair.split("=") for pair in os.environ["MODELS"].split(",")):
        models[name] = ModelHandle(path, name=name, watch=float(os.environ.get("WATCH", 1)))
    yield
    for model in models.values():
        model.close()


app = FastAPI(lifespan=lifespan)


@app.post("/models/{name}")
def predict(name: str, inputs: Annotated[list, Body()], dtype: str = "float32"):
    outputs = models[name](*(np.asarray(value, dtype) for value in inputs))
    return [out.numpy().tolist() for out in (outputs if isinstance(outputs, list) else [outputs])]
