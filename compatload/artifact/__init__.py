"""What is on disk: read without Paddle, without running a pickle, without trusting a byte."""
