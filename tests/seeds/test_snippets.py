"""The comparison of the tests with the documents finds what is missing and what was changed."""

from pathlib import Path

from tests.seeds.snippets import differences

DOCUMENT = """
A call, and a command:

```python
from theirs import Memory

memory = Memory()
memory.write("Tea at four.")  # remembered
print(memory.read("tea"))
```

```bash
npm install

npm start
```

```rust
pub async fn store_goal(&self, goal: &Goal) -> Result<()>;
```

```
any drawing
```
"""


def test_what_no_test_has_and_what_a_test_changed_are_named(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(DOCUMENT)
    test = tmp_path / "test_one.py"
    snippet = DOCUMENT.split("```python")[1].split("```")[0]
    commands = ["npm install && npm start", "store_goal"]
    test.write_text(f"SNIPPET = {snippet.replace('theirs', 'foveal')!r}\nCOMMANDS = {commands!r}\n")
    assert differences(tmp_path, tmp_path) == []
    test.write_text(f"SNIPPET = {snippet.replace('at four', 'at five')!r}\nCOMMANDS = {commands[1:]!r}\n")
    line = 'memory.write("Tea at {}.")  # remembered'
    assert differences(tmp_path, tmp_path) == [
        "one.txt:12: no test has 'npm install && npm start'",
        f"one.txt:4: no test has {line.format('four')!r}",
        f"test_one.py: no document has {line.format('five')!r}",
    ]
