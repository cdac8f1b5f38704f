#!/usr/bin/env bash
# With 6 to 11 numbers the Shapiro-Wilk test has the chances of another formula: Perl's Statistics::Normality 0.01.
#
# Found with: libstatistics-normality-perl 0.01-2 with libstatistics-distributions-perl 1.02-1.1 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: `shapiro_wilk_test` takes 6 numbers or more, as its text says; of samples that are normal one in twenty
# has a chance below 0.05, one in a hundred one below 0.01. And the list that is tested is looked at.
# What happens: W is right, but its chance is computed as Royston (1992) does it from 12 numbers on; for fewer he has
# another transformation, which is missing. Of 6 numbers one in 300 has a chance below 0.01; 8 scores of a bot of which
# one is far away have 0.0005 where SciPy 1.17.1 has 0.00006. With 20 numbers the level is right. And the list is sorted in
# the caller's own array: scores by round are in no order of rounds any more.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libstatistics-normality-perl=0.01-2 libstatistics-distributions-perl=1.02-1.1 >download 2>&1 ||
  { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" perl; done
cat >see.pl <<'PL'
use strict;
use warnings;
use Statistics::Normality "shapiro_wilk_test";

srand(4);
for my $size (6, 20) {
    my $few = 0;
    for (1 .. 10_000) {
        my @sample = map { sprintf "%.6f", normal() } 1 .. $size;
        $few += shapiro_wilk_test(\@sample) < 0.01;
    }
    printf "%d normal numbers, 10,000 times: %.4f are below 0.01\n", $size, $few / 10_000;
    die if $size == 6 ? $few > 60 : abs($few - 100) > 40;
}
my @scores = (24, 25, 22, 26, 48, 23, 25, 24);
my $chance = sprintf "%.4f", scalar shapiro_wilk_test(\@scores);
print "24 25 22 26 48 23 25 24: $chance\n";
die if $chance ne "0.0005";
print "the scores after the test: @scores\n";
die if "@scores" ne "22 23 24 24 25 25 26 48";

sub normal { return sqrt(-2 * log(1 - rand)) * cos(2 * atan2(0, -1) * rand) }
PL
dpkg-deb -f libstatistics-normality-perl_*.deb Package Version
echo "guess: 0.0100 twice, and scores in their order"
PERL5LIB=perl/usr/share/perl5 perl see.pl
