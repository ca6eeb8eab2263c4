"""Prints what Python's own `random` draws, for the tests of `python_random`.

    python3 make_vectors.py > python_random.txt      the vectors that are kept
    python3 make_vectors.py DRAWS < SEEDS            other seeds, one a line, in hexadecimal

One line for a seed and a kind of draw, each time from a fresh seed:
    seed TAB kind TAB CRC-32 of all draws TAB the first draws
Runs on Python 3.8 and later.
"""

import binascii
import random
import sys

SEEDS = [0, 1, 4, -4, 42, 500, 2**32, 2**64 + 1, 10**40]
DRAWS = 1000
SHOWN = 20


def word(numbers):
    return "-".join(map(str, numbers))


def shuffled(i):
    deck = list(range(1, i % 60 + 2))
    random.shuffle(deck)
    return word(deck)


def mixed(i):
    """A program that draws in every way, one after the other."""
    way = i % 6
    if way == 0:
        return random.randrange(1, 7)
    if way == 1:
        return int(random.random() * 2**53)
    if way == 2:
        return random.choice("abcdef")
    if way == 3:
        return random.getrandbits(33)
    if way == 4:
        return word(random.sample(range(30), 3))
    return shuffled(i)


# i counts the draws of a stream from 0.
KINDS = {
    "random": lambda i: int(random.random() * 2**53),
    "getrandbits(1..100)": lambda i: random.getrandbits(i % 100 + 1),
    "randrange(1,7)": lambda i: random.randrange(1, 7),
    "randint(0,9)": lambda i: random.randint(0, 9),
    "randint(1,1..1000)": lambda i: random.randint(1, i + 1),
    "randint(-20,20)": lambda i: random.randint(-20, 20),
    "randint(1,2**31)": lambda i: random.randint(1, 2**31),
    "randrange(2**32)": lambda i: random.randrange(2**32),
    "randint(-2**63,2**63-1)": lambda i: random.randint(-(2**63), 2**63 - 1),
    "randrange(10**40)": lambda i: random.randrange(10**40),
    "randrange(-50,50,7)": lambda i: random.randrange(-50, 50, 7),
    "randrange(9,-9,-2)": lambda i: random.randrange(9, -9, -2),
    "choice of six": lambda i: random.choice("abcdef"),
    "sample of 1 from 6": lambda i: word(random.sample(range(1, 7), 1)),
    "sample of 5 from 60": lambda i: word(random.sample(range(60), 5)),
    "sample of 10 from 60": lambda i: word(random.sample(range(60), 10)),
    "sample of 0..29 from up to 148": lambda i: word(
        random.sample(range(i % 30 + i * 7 % 120), i % 30)
    ),
    # Either side of the sizes at which Python changes its way of sampling.
    "sample of 5 or 6 around 21 and 85": lambda i: word(
        random.sample(range([21, 22, 85, 86][i % 4]), [5, 5, 6, 6][i % 4])
    ),
    "shuffle of 1..60": shuffled,
    "mixed": mixed,
}


def main():
    if len(sys.argv) > 1:
        draws = int(sys.argv[1])
        seeds = [int(line, 16) for line in sys.stdin]
    else:
        draws = DRAWS
        seeds = SEEDS
    for seed in seeds:
        for kind, draw in KINDS.items():
            random.seed(seed)
            drawn = [str(draw(i)) for i in range(draws)]
            digest = binascii.crc32(" ".join(drawn).encode()) & 0xFFFFFFFF
            print("%x\t%s\t%08x\t%s" % (seed, kind, digest, " ".join(drawn[:SHOWN])))


main()
