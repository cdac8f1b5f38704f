#!/usr/bin/env bash
# An observation that weighs nothing decides the line: Perl's Statistics::Regression 0.53.
#
# Found with: libstatistics-regression-perl 0.53+ds-2 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: `include` takes an optional weight, and what weighs 0 changes nothing, as what weighs a millionth changes
# next to nothing. Its code has a line for a weight of 0, which returns before the fit is changed.
# What happens: a weight that is missing is found by its truth, and 0 is false in Perl: an observation of weight 0 weighs
# 1. Weights that fade to nothing therefore end at the largest: here the slope is 1 without the point, 1.00 with a
# weight of a millionth, and 9.1 with a weight of 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libstatistics-regression-perl=0.53+ds-2 >download 2>&1 || { cat download; exit 1; }
dpkg -x libstatistics-regression-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Statistics::Regression;

sub slope {
    my $weight = shift;
    my $line = Statistics::Regression->new("line", ["const", "x"]);
    $line->include($_, [1, $_]) for 0 .. 2;
    $line->include(30, [1, 3], $weight) if defined $weight;
    return sprintf "%.2f", ($line->theta)[1];
}

my @slopes = map { slope($_) } undef, 1e-6, 0, 1;
print "slope without the point $slopes[0]; with weight 0.000001 $slopes[1], weight 0 $slopes[2], weight 1 $slopes[3]\n";
die if "@slopes" ne "1.00 1.00 9.10 9.10";
PL
dpkg-deb -f libstatistics-regression-perl_*.deb Package Version
echo "guess: the slope with weight 0 is the one without the point, 1.00"
PERL5LIB=perl/usr/share/perl5 perl see.pl
