"""The journal of a campaign keeps what is whole, and says what is not."""

from pathlib import Path

import pytest

from mancala.engine.campaign.journal import (
    NAME,
    CampaignJournal,
    DirectoryBusyError,
    Proven,
    Split,
    line,
    read,
)

CAMPAIGN = 0x1234
ENTRIES: list[Proven | Split] = [
    Proven("<2,0,0,1,2,2,1>", -4, 2, 17, 0.5),
    Split("<2,0,0,2,2,2,2>", 2, {0: 1.5, 1: -0.25}, 90, 0.125, tried=False),
]


def test_entries_come_back(tmp_path: Path) -> None:
    """What was added is there when the journal is opened again."""
    journal = CampaignJournal(tmp_path, CAMPAIGN)
    for entry in ENTRIES:
        journal.add(entry)
    journal.close()
    again = CampaignJournal(tmp_path, CAMPAIGN)
    assert again.entries == ENTRIES
    assert (again.cut, again.damaged) == (0, [])
    again.close()


def test_a_partial_line_is_cut_off_wherever_it_ends(tmp_path: Path) -> None:
    """However much of the last line was written, the lines before it stay and it is removed."""
    whole, last = (line(entry, CAMPAIGN) for entry in ENTRIES)
    for length in range(1, len(last)):
        (tmp_path / NAME).write_bytes(whole + last[:length])
        journal = CampaignJournal(tmp_path, CAMPAIGN)
        assert journal.entries == ENTRIES[:1]
        assert journal.cut == length
        journal.add(ENTRIES[1])
        journal.close()
        assert (tmp_path / NAME).read_bytes() == whole + last


def test_any_changed_byte_is_found() -> None:
    """A line with one byte changed is reported as damaged, and the others are read."""
    content = bytearray(b"".join(line(entry, CAMPAIGN) for entry in ENTRIES))
    end = content.index(b"\n")
    for at in range(end):
        content[at] ^= 1
        assert read(bytes(content), CAMPAIGN)[0][-1] == ENTRIES[1]
        assert 1 in read(bytes(content), CAMPAIGN)[1]
        content[at] ^= 1


def test_lines_of_another_campaign_are_damaged() -> None:
    """What was proven for other rules is not taken over."""
    assert read(line(ENTRIES[0], CAMPAIGN + 1), CAMPAIGN) == ([], [1])


def test_two_processes_never_share_a_journal(tmp_path: Path) -> None:
    """A journal that is open elsewhere cannot be opened."""
    journal = CampaignJournal(tmp_path, CAMPAIGN)
    with pytest.raises(DirectoryBusyError):
        CampaignJournal(tmp_path, CAMPAIGN)
    journal.close()
    CampaignJournal(tmp_path, CAMPAIGN).close()
