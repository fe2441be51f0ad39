"""What bisector costs and how often it is right; `make bench` prints it. Not part of the package."""
