"""What one run of the tests takes of a large sweep: a sample that changes with the commit.

tests/run gives the scripts --sample SEED, the commit's hash; `make sweep` gives none, and neither need who calls a script
by hand: then everything is taken. A case is chosen by a hash of the seed and its own name, so that the same seed takes the
same cases whatever else there is."""

import hashlib


def add_option(parser):
    parser.add_argument("--sample", metavar="SEED", default="", help="take a sample, the same one for the same seed")


class Sample:
    def __init__(self, seed):
        self.seed, self.taken, self.left = seed, 0, 0

    def number(self, *what):
        return int.from_bytes(hashlib.sha256(repr((self.seed, what)).encode()).digest()[:8], "little")

    def ranked(self, name, choices):
        """The choices in an order of their own for each name; as they are when everything is taken."""
        return sorted(choices, key=lambda c: self.number(name, c)) if self.seed else list(choices)

    def pick(self, name, choices, n=1, always=()):
        """n of the choices, in their own order, and those of them that are named in always."""
        choices = list(choices)
        if not self.seed:
            chosen = choices
        else:
            first = self.ranked(name, choices)[:n]
            chosen = [c for c in choices if c in first or c in always]
        self.taken, self.left = self.taken + len(chosen), self.left + len(choices) - len(chosen)
        return chosen

    def takes(self, name, one_in, always=False):
        """Whether a case is among one in so many."""
        chosen = not self.seed or always or self.number(name) % one_in == 0
        self.taken, self.left = self.taken + chosen, self.left + (not chosen)
        return chosen

    def report(self, title, what):
        if self.left:
            print(
                "left out %s: %d of %d %s (sample %s; make sweep takes all)"
                % (title, self.left, self.taken + self.left, what, self.seed[:12]),
                flush=True,
            )
