"""Burns a processor in C code that holds the interpreter lock."""


def counts_to_infinity() -> int:
    return sum(range(10**12))


counts_to_infinity()
