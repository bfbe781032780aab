"""What ``compatload check`` finds in real packages, each finding tried on the target."""
