#!/usr/bin/env bash
# From the 1st to the 10th and from the 12th on, and nothing is between them: Perl's Date::Range 1.41.
#
# Found with: libdate-range-perl 1.41-4, libdate-simple-perl 3.0300-3+b3 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: `gap` is "a new range representing the gap between two other ranges", and `abuts` says whether they "are
# contiguous - i.e. there is no gap between them, but they do not overlap". Both ends belong to a range, so one day is a
# range (of length 1), and the 11th is one here.
# What happens: a gap whose first day is its last one is taken for none (`return if $start >= $end`). So two ranges with a
# day between them abut, as those without one; what is free for a day is not found. From two days on it is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libdate-range-perl=1.41-4 libdate-simple-perl=3.0300-3+b3 >download 2>&1 || { cat download; exit 1; }
for package in ./*.deb; do dpkg -x "$package" perl; done
cat >see.pl <<'PL'
use strict;
use warnings;
use Date::Range;
use Date::Simple qw(date);

my $range = sub { Date::Range->new(map { date("2026-01-$_") } @_) };
print "the 11th alone: ", $range->("11", "11")->length, " day\n";
for (["11", "none", 1], ["12", "none", 1], ["13", "2026-01-11 to 2026-01-12", ""]) {
    my ($day, $seen, $abuts) = @$_;
    my ($first, $second) = ($range->("01", "10"), $range->($day, "20"));
    my $gap = $first->gap($second);
    my $found = $gap ? join " to ", $gap->start, $gap->end : "none";
    print "1 to 10 and $day to 20: gap: $found; abuts: ", $first->abuts($second) ? "yes" : "no", "\n";
    die if $found ne $seen or $first->abuts($second) ne $abuts;
}
PL
dpkg-deb -f libdate-range-perl_*.deb Package Version
echo "guess: none, yes; 2026-01-11 to 2026-01-11, no; 2026-01-11 to 2026-01-12, no"
PERL5LIB=perl/usr/share/perl5:$(echo perl/usr/lib/*/perl5/5.36) perl see.pl
