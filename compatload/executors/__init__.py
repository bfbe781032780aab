"""Where work is carried out: this process, others of this machine, or a cluster's."""
