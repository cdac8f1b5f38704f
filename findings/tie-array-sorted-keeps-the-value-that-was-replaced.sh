#!/usr/bin/env bash
# A score that is corrected in a sorted list stands there twice: Perl's Tie::Array::Sorted 1.41.
#
# Found with: libtie-array-sorted-perl 1.41-5 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: `$list[0] = 6` replaces a value; its text says that a direct store takes the original one out and puts
# the new one in its place by order, and that this is "the right thing". So the list keeps its length.
# What happens: zero elements are taken out. The old value stays, the new one is added, and each correction makes the
# list one longer. So does the lazy form of the same package.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libtie-array-sorted-perl=1.41-5 >download 2>&1 || { cat download; exit 1; }
dpkg -x libtie-array-sorted-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Tie::Array::Sorted;
use Tie::Array::Sorted::Lazy;

for my $class ("Tie::Array::Sorted", "Tie::Array::Sorted::Lazy") {
    tie my @scores, $class, sub { $_[0] <=> $_[1] };
    push @scores, 10, 4, 7;
    $scores[0] = 6;
    print "$class: 4 7 10, whose first becomes 6: @scores\n";
    die if "@scores" ne "4 6 7 10";
}
PL
dpkg-deb -f libtie-array-sorted-perl_*.deb Package Version
echo "guess: 6 7 10 twice"
PERL5LIB=perl/usr/share/perl5 perl see.pl
