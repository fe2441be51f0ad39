"""One process that takes ten gigabytes as fast as it can."""

blocks = [b"x" * (64 << 20) for _ in range(160)]
print("sated", flush=True)
