"""The matrix on this machine: saved networks, loaded and run by Paddle alone and by compatload."""
