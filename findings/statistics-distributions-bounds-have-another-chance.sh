#!/usr/bin/env bash
# A bound for one in a million is exceeded by 1.3 in a million: Student's t of Perl's Statistics::Distributions 1.02.
#
# Found with: libstatistics-distributions-perl 1.02-1.1 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: `tdistr(n, p)` is the value that is exceeded with probability p, `tprob(n, x)` that probability, so one
# undoes the other; its text says "5 significant digits" of both. Tables of Student's t have 7.173 for 4 degrees and
# 0.001.
# What happens: a series gives a first value, and steps of Newton make it exact; but these are taken if n is small beside
# log10(p) ** 2, when p has been replaced by 1 - p, whose logarithm is about 0. So from 4 degrees on nothing is refined.
# Where there are many degrees, or p is 0.05, the series is good; with few and a small p it is too low: of 4 degrees by
# 0.2 % for 0.001, by 7 % for a millionth. `udistr` is a polynomial that is good down to p = 1e-6; then it climbs away,
# 11.0 for 1e-10 in place of 6.36. `tprob` and `uprob` find the level that such a bound has.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libstatistics-distributions-perl=1.02-1.1 >download 2>&1 || { cat download; exit 1; }
dpkg -x libstatistics-distributions-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Statistics::Distributions qw(tdistr tprob udistr uprob);

for (
    [3, 1e-6, 103.3, "1.0e-06"],
    [4, 1e-3, 7.1592, "1.0e-03"],
    [4, 1e-6, 38.789, "1.3e-06"],
    [5, 1e-5, 15.383, "1.1e-05"],
) {
    my ($degrees, $chance, $seen, $level) = @$_;
    my $bound = tdistr($degrees, $chance);
    my $back = sprintf "%.5g", tprob($degrees, $bound);
    print "t, $degrees degrees, $chance: bound $bound, which is exceeded with $back\n";
    die if abs($bound - $seen) > 0.001 * $seen or sprintf("%.1e", $back) ne $level;
}
for ([1e-5, 4.2649], [1e-10, 11.01]) {
    my ($chance, $seen) = @$_;
    my $bound = udistr($chance);
    printf "normal, %g: bound %s, which is exceeded with %.3g\n", $chance, $bound, uprob($bound);
    die if abs($bound - $seen) > 0.001;
}
PL
dpkg-deb -f libstatistics-distributions-perl_*.deb Package Version
echo "guess: the probability that was given, to 5 digits"
PERL5LIB=perl/usr/share/perl5 perl see.pl
