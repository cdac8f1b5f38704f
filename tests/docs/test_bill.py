"""The bill of materials names a licence of each component, and who supplies other systems'."""

import json
from pathlib import Path

import pytest

from docs import bill


def printed(
    folder: Path, capsys: pytest.CaptureFixture[str], *names: str
) -> dict[str, dict[str, object]]:
    """Return the components of a bill, by name: one package is installed, others are locked."""
    kept = {"name": "Here_It.Is", "licenses": [{"license": {"id": "MIT"}}]}
    locked = [
        {"name": name, "bom-ref": name, "externalReferences": []} for name in ("here-it-is", *names)
    ]
    (folder / "here_it.is-1.dist-info").mkdir()
    stated = "Metadata-Version: 2.1\nName: Here_It.Is\nVersion: 1\nAuthor: Ann\n"
    (folder / "here_it.is-1.dist-info" / "METADATA").write_text(stated)
    (folder / "one").write_text(json.dumps({"components": [kept], "dependencies": []}))
    (folder / "two").write_text(json.dumps({"components": locked}))
    bill.main(str(folder / "one"), str(folder / "two"), str(folder))
    found = json.loads(capsys.readouterr().out)
    assert [each["ref"] for each in found["dependencies"]] == [*names]
    return {each["name"]: each for each in found["components"]}


def test_a_package_of_another_system_has_licence_and_supplier(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its metadata is not there; seven components had neither."""
    found = printed(tmp_path, capsys, "pywin32")
    assert found["here-it-is"]["supplier"] == {"name": "Ann"}
    assert found["pywin32"]["licenses"] == [{"license": {"id": "PSF-2.0"}}]
    assert found["pywin32"]["supplier"] == {"name": "Mark Hammond (et al)"}


def test_a_package_without_a_licence_ends_the_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be one more that has none."""
    with pytest.raises(SystemExit, match="new: no licence is known"):
        printed(tmp_path, capsys, "new")
