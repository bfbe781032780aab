"""PIR programs of Paddle 3.x as programs that Paddle 2.6 reads."""
