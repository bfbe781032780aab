"""What operators each Paddle release knows, as data taken from the releases themselves."""
