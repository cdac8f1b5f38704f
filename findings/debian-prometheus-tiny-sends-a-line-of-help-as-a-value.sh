#!/usr/bin/env bash
# A help text of two lines, and the page cannot be read: Perl's Prometheus::Tiny 0.010.
#
# Found with: libprometheus-tiny-perl 0.010-1 (Debian 12), prometheus-client 0.26.0 (PyPI) as the reader.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: what a metric is declared with is written as the text format wants it: in a help text a line break is "\n"
# and a backslash "\\", as in its values of labels; and buckets "must appear in increasing numerical order" of "le".
# What happens: the help text is written as it is. Its second line stands there as a value, so a reader refuses the page,
# with all other metrics; "C:\new" is read as "C:", a line break and "ew". The buckets are in the order of their text: 1,
# 10, 2.5.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libprometheus-tiny-perl=0.010-1 >download 2>&1 || { cat download; exit 1; }
dpkg -x libprometheus-tiny-perl_*.deb perl
python3 -m venv env
env/bin/pip install -q prometheus-client==0.26.0 2>/dev/null
cat >page.pl <<'PL'
use strict;
use warnings;
use lib "perl/usr/share/perl5";
use Prometheus::Tiny;

my $page = Prometheus::Tiny->new;
$page->declare("games", help => $ARGV[0] =~ s/LINE/\n/r, type => "counter");
$page->set("games", 7, { path => "C:\\new\nline" });
$page->histogram_observe("seconds", 3);
print $page->format;
PL
cat >see.py <<'PY'
import subprocess

from prometheus_client.parser import text_string_to_metric_families


def read(text: str) -> tuple[object, str]:
    page = subprocess.run(["perl", "page.pl", text], check=True, capture_output=True, text=True).stdout
    try:
        games = next(f for f in text_string_to_metric_families(page) if f.name == "games")
        found: object = (games.documentation, games.samples[0].labels["path"], games.samples[0].value)
    except ValueError as error:
        found = f"ValueError: {error}"
    print(f"{text}: {found}")
    return found, page


label = "C:\\new\nline"
found, page = read("Games that ended.")
assert found == ("Games that ended.", label, 7)
bounds = [line.split('"')[1] for line in page.splitlines() if line.startswith("seconds_bucket")]
print("buckets:", *bounds)
assert bounds[bounds.index("1") :] == ["1", "10", "2.5", "5", "7.5", "+Inf"]
assert read("Games in C:\\new")[0] == ("Games in C:\new", label, 7)
assert read("Games that ended.LINEForfeits count.")[0] == "ValueError: could not convert string to float: 'count.'"
PY
echo "Prometheus::Tiny 0.010; guess: each help text is read as it was given"
env/bin/python see.py
