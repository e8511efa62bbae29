"""The training text: what people say to each other, and what words mean."""

import json
import random
import re
import zipfile
from typing import Any

from sources import CHAT_FILE, WORDNET_FILES

LONGEST_TURN = 80


def turns(chat: zipfile.ZipFile) -> list[str]:
    """What one person said before the other answered, four words or more."""
    conversations: dict[str, Any] = json.loads(chat.read(CHAT_FILE))
    found: list[str] = []
    for conversation in conversations.values():
        for messages in conversation["messages"]:
            words = " ".join(message["text"].strip() for message in messages).split()
            if len(words) >= 4:
                found.append(" ".join(words[:LONGEST_TURN]))
    return list(dict.fromkeys(found))


def entry(line: str) -> tuple[str, list[str]]:
    """A line of WordNet as "words: definition", and its example sentences of three words or more.

    >>> entry('0001 00 v 02 jog 0 trot 1 000 | run slowly; "he jogs daily before work"')
    ('jog, trot: run slowly', ['he jogs daily before work'])
    """
    head, gloss = line.split(" | ", 1)
    fields = head.split()
    count = int(fields[3], 16)
    lemmas = [re.sub(r"\(\w+\)$", "", word.replace("_", " ")) for word in fields[4 : 4 + 2 * count : 2]]
    definition = re.sub(r';?\s*"[^"]*"', "", gloss).strip(" ;\n")
    examples = [said for said in re.findall(r'"([^"]+)"', gloss) if len(said.split()) >= 3]
    return f"{', '.join(lemmas)}: {definition}", examples


def meanings(wordnet: zipfile.ZipFile) -> list[str]:
    """Every definition and every example sentence of WordNet."""
    definitions: list[str] = []
    examples: list[str] = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in wordnet.read(f"{WORDNET_FILES}{part}").decode("latin-1").splitlines():
            # The licence stands at the head of each file, set in by two spaces.
            if not line.startswith("  "):
                definition, said = entry(line)
                definitions.append(definition)
                examples += said
    return definitions + list(dict.fromkeys(examples))


def sentences(chat: zipfile.ZipFile, wordnet: zipfile.ZipFile, *, count: int) -> list[str]:
    """A fixed random choice of `count` texts out of both."""
    pool = turns(chat) + meanings(wordnet)
    random.Random(0).shuffle(pool)
    return pool[:count]
