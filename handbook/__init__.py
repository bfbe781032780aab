"""The documentation site: what is written by script is written here, when the site is built."""
