#!/usr/bin/env bash
# A palette of six colors has five: Perl's Math::Gradient 0.04.
#
# Found with: libmath-gradient-perl 0.04-5 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: `multi_gradient($steps, @values)` is a list of that many numbers from the first value to the last one, as
# its text shows with 10 steps for three values; with fewer steps than values, some of them are left out.
# What happens: how many numbers go between two values is kept as a sum of fractions, and a third three times is a little
# less than one: the last whole step is never taken. For four values, lists of 6, 8, 12, 15, 17 and 20 are one short; for
# six, 9, 12, 13, 18 and 20. Who draws a board of 20 shades by index finds none at the end. For two steps of four values,
# and three of six, it is one number more. Two, three and five values are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libmath-gradient-perl=0.04-5 >download 2>&1 || { cat download; exit 1; }
dpkg -x libmath-gradient-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Math::Gradient "multi_gradient";

my %seen;
for my $count (2 .. 6) {
    for my $steps (2 .. 20) {
        my @shades = multi_gradient($steps, map { 60 * $_ } 0 .. $count - 1);
        push @{ $seen{$count} }, "$steps:" . @shades if @shades != $steps;
    }
}
print "$_ values, steps asked for and got: @{ $seen{$_} }\n" for sort keys %seen;
my $list = join " ", multi_gradient(6, 0, 60, 120, 180);
print "multi_gradient(6, 0, 60, 120, 180) = $list\n";
die if $list ne "0 60 90 120 180" or join(" ", sort keys %seen) ne "4 6";
die if "@{ $seen{4} }" ne "2:3 6:5 8:7 12:11 15:14 17:16 20:19";
die if "@{ $seen{6} }" ne "3:4 9:8 12:11 13:12 18:17 20:19";
PL
dpkg-deb -f libmath-gradient-perl_*.deb Package Version
echo "guess: as many numbers as were asked for"
PERL5LIB=perl/usr/share/perl5 perl see.pl
