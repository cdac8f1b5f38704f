#!/usr/bin/env bash
# 5 and 99 are both among 1 to 10: Perl's Number::Range 0.12.
#
# Found with: libnumber-range-perl 0.12-2 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: its manual says of `inrange` with several numbers: "If in scalar context, it will return a single 1 if all
# are true, or a single 0 if one of them failed."
# What happens: the line that returns 1 stands within the loop, not behind it, so the first number decides and the others
# are never looked at. In list context each number has its answer.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libnumber-range-perl=0.12-2 >download 2>&1 || { cat download; exit 1; }
dpkg -x libnumber-range-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Number::Range;

my $range = Number::Range->new("1..10");
for ([5, 7, 1], [5, 99, 1], [99, 5, 0], [11, 12, 0]) {
    my ($first, $second, $seen) = @$_;
    my $all = $range->inrange($first, $second);
    print "$first, $second: $all - one by one: ", join(" ", $range->inrange($first, $second)), "\n";
    die if $all != $seen;
}
PL
dpkg-deb -f libnumber-range-perl_*.deb Package Version
echo "guess: 1, 0, 0, 0"
PERL5LIB=perl/usr/share/perl5 perl see.pl
