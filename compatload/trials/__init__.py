"""Child processes for what may crash, hang, or print without end."""
