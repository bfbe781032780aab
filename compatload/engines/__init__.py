"""Other engines than Paddle that run its saved models: what they take, and how they are asked."""
