"""Move the source tree: `python3.13 house/run.py --root /work/main --step all [--commit]`.

Needs Python 3.12 or later (positions inside f-strings) and the `ruff` of the project's environment.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from house import fixes, naming, tables  # noqa: E402
from house.build import Built  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the project, on a clean tree")
    parser.add_argument("--step", action="append", required=True, help=f"all, or some of {', '.join(tables.STEPS)}")
    parser.add_argument("--commit", action="store_true", help="commit each step")
    parser.add_argument(
        "--renames",
        action="store_true",
        help="with --commit: first a commit of renames only, so that git follows them",
    )
    parser.add_argument("--check", action="store_true", help="say what is wrong, write nothing")
    parser.add_argument("--ruff", default=None, help="the ruff to use")
    given = parser.parse_args()
    root = given.root.resolve()
    steps = tables.STEPS if "all" in given.step else tuple(given.step)
    ruff = given.ruff or str(root / ".venv/bin/ruff")
    for step in steps:
        run(root, step, check=given.check, ruff=ruff, renames=given.renames and given.commit)
        if given.commit and not given.check:
            subprocess.run(["git", "add", "-A"], cwd=root, check=True)
            subprocess.run(["git", "commit", "-qm", tables.SUBJECTS[step]], cwd=root, check=True)


def run(root: Path, step: str, *, check: bool, ruff: str, renames: bool = False) -> None:
    if step == "style":
        fixes.apply(root, step)
        return
    if step in ("names", "members", "words"):
        rename_by_tables(root, step, check=check, ruff=ruff)
        return
    chosen = tables.read((step,))
    source = root / "src" / "foveal"
    here = [old for old in chosen.places if (source / f"{old}.py").exists()]
    if not here or len(here) < len(chosen.places) * 0.6:
        sys.exit(f"{step}: {len(here)} of {len(chosen.places)} modules are here; it seems to be done already")
    if not check:
        fixes.before(root, step)
    built = Built(root, chosen)
    others = built.others()
    for line in built.said:
        print(f"{step}: {line}")
    if built.tree.problems:
        print(*sorted(set(built.tree.problems)), sep="\n")
        print(f"{step}: {len(set(built.tree.problems))} problems")
        if not check:
            sys.exit(1)
    if check:
        return
    if renames:
        rename(root, step, built)
    write(root, built, others)
    fixes.apply(root, step)
    tidy(root, ruff)
    print(f"{step}: {len(list(source.rglob('*.py')))} modules")


def rename_by_tables(root: Path, step: str, *, check: bool, ruff: str) -> None:
    """One of the steps that rename; nothing moves."""
    if not check:
        fixes.before(root, step)
    if step == "names":
        built = naming.names(root)
        others = built.others()
        if built.tree.problems:
            print(*sorted(set(built.tree.problems)), sep="\n")
            print(f"{step}: {len(set(built.tree.problems))} problems")
            if not check:
                sys.exit(1)
        if check:
            return
        naming.listed(built)
        write(root, built, others)
    elif check:
        return
    elif step == "members":
        naming.members(root)
    else:
        naming.words(root)
        naming.texts(root)
    fixes.apply(root, step)
    tidy(root, ruff)
    print(f"{step}: done")


def tidy(root: Path, ruff: str) -> None:
    """Sort imports, format, and write the generated parts of the pages anew."""
    where = [
        str(one)
        for one in ("src", "tests", "bench", "docs", "examples", "encoder", "console/tests")
        if (root / one).exists()
    ]
    subprocess.run([ruff, "check", "-q", "--select", "I,F401,F811", "--fix", *where], cwd=root, check=False)
    subprocess.run([ruff, "format", "-q", *where], cwd=root, check=False)
    cog = Path(ruff).with_name("cog")
    if cog.exists():
        pages = [str(one) for one in sorted((root / "docs/reference").glob("*.md"))]
        environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"}
        subprocess.run(
            [str(cog), "-r", "-P", "-c", "-I", ".", *pages, "README.md"],
            cwd=root,
            env=environment,
            check=False,
            stdout=subprocess.DEVNULL,
        )


def rename(root: Path, step: str, built: Built) -> None:
    """Commit the largest part of each new module under its new name, unchanged. The tree does not work between."""
    source = root / "src" / "foveal"
    parts: dict[str, list[Path]] = {}
    for old in built.tree.files:
        path = source / f"{old}.py"
        if path.exists():
            parts.setdefault(built.tree.new(old), []).append(path)
    for new, paths in sorted(parts.items()):
        goal = root / f"{new[1:]}.py" if new.startswith("@") else source / f"{new}.py"
        if new == "delete" or goal.exists():
            continue
        goal.parent.mkdir(parents=True, exist_ok=True)
        largest = max(paths, key=lambda path: path.stat().st_size)
        subprocess.run(["git", "mv", str(largest), str(goal)], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    subject = f"Rename the largest part of each new module ({step})"
    subprocess.run(["git", "commit", "-qm", subject, "--allow-empty"], cwd=root, check=True)


def write(root: Path, built: Built, others: dict[Path, str]) -> None:
    source = root / "src" / "foveal"
    for old in built.gone:
        path = source / f"{old}.py"
        if path.exists():
            path.unlink()
    for new, text in built.made.items():
        path = root / f"{new[1:]}.py" if new.startswith("@") else source / f"{new}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in path.parents:
            if (
                folder != source
                and folder.is_relative_to(source)
                and not (folder / "__init__.py").exists()
                and f"{folder.relative_to(source)}/__init__" not in built.made
            ):
                doc = built.tables.docs.get(f"{folder.relative_to(source)}/__init__", "")
                (folder / "__init__.py").write_text(f'"""{doc}"""\n', encoding="utf-8")
        path.write_text(text, encoding="utf-8")
    for path, text in others.items():
        path.write_text(text, encoding="utf-8")
    for old, new in built.tables.data.items():
        if (root / old).exists():
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / old).rename(root / new)
    for folder in sorted((one for one in source.rglob("*") if one.is_dir()), reverse=True):
        left = [one for one in folder.iterdir() if one.name != "__pycache__"]
        if not left:
            for junk in folder.rglob("*"):
                if junk.is_file():
                    junk.unlink()
            for junk in sorted(folder.rglob("*"), reverse=True):
                junk.rmdir()
            folder.rmdir()


if __name__ == "__main__":
    main()
