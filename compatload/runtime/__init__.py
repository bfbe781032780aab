"""What is installed here: Paddle, its IR mode, the CPU, the accelerators. Imports no paddle."""
