"""What is kept between loads: programs that were made, one entry a directory."""
