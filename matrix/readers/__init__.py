"""Converted programs, read by others that read legacy programs only: OpenVINO and paddle2onnx."""
