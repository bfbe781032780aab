"""What a saved network depends on: an edit of its file must have it saved again."""

from __future__ import annotations

from matrix.environments import ensure
from matrix.saved_zoo import networks
from matrix.versions import entries
from matrix.zoo import FAMILIES


def test_every_network_is_known_by_the_file_that_it_stands_in() -> None:
    entry = next(entry for entry in entries() if entry.id == "3.3.1")
    listing = networks({entry.id: ensure(entry)})
    assert {about["file"] for about in listing.values()} == {
        f"matrix/zoo/{family}.py" for family in FAMILIES
    }
    assert listing["empty_slice"]["file"] == "matrix/zoo/onednn.py"
    assert listing["resnet18"]["file"] == "matrix/zoo/models.py"
