"""Paddle on x86 CPUs that nobody has at hand, under Debian's QEMU."""
