"""The ends of generated names."""

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and nothing that looks like one: what comes out is no word and misread by nobody."""
_LENGTH = 5


def ending_from(seed: str) -> str:
    """Five characters that follow from the seed: as unique as it is, within fourteen million."""
    number = 0
    for character in seed:
        number = (number * 1_000_003 + ord(character)) % len(_LETTERS) ** _LENGTH
    ending = ""
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_LETTERS))
        ending += _LETTERS[digit]
    return ending
