#!/usr/bin/env bash
# The variance of a slope through 300 points is a hundred times too small: Perl's Statistics::LineFit 0.06.
#
# Found with: libstatistics-linefit-perl 0.07-3 (Debian 12; the module in it says 0.06), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: `varianceOfEstimates` has the variances of intercept and slope, which is said in its text; the square root
# of the second is the slope's standard error, by which `tStatistics` divides the slope: both name one error. And
# `setData` leaves the weights as they are: its text says that they are copied before they are scaled.
# What happens: each point's own squared residual is taken for its variance, so points that happen to lie close to the
# line count as nearly without error, and the closest ones decide. Lines with known noise, drawn 200 times, have slopes
# that scatter as `tStatistics` says; by `varianceOfEstimates` they would scatter a tenth of it. And the weights are
# scaled to a mean of 1 in the caller's own array, and copied afterwards: 1, 2, 1 reads 0.75, 1.5, 0.75.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libstatistics-linefit-perl=0.07-3 >download 2>&1 || { cat download; exit 1; }
dpkg -x libstatistics-linefit-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Statistics::LineFit;

srand(1);
my @x = (1 .. 300);
my (@slopes, $claimed, $by_t);
for (1 .. 200) {
    my @y = map { 3 + 0.5 * $_ + 10 * noise() } @x;
    my $fit = Statistics::LineFit->new;
    $fit->setData(\@x, \@y) or die;
    my $slope = ($fit->coefficients)[1];
    push @slopes, $slope;
    $claimed += ($fit->varianceOfEstimates)[1] / 200;
    $by_t += ($slope / ($fit->tStatistics)[1]) ** 2 / 200;
}
my ($sum, $squares) = (0, 0);
$sum += $_ / 200 for @slopes;
$squares += ($_ - $sum) ** 2 / 199 for @slopes;
printf "variance of 200 slopes %.2g, by tStatistics %.2g, by varianceOfEstimates %.2g\n", $squares, $by_t, $claimed;
die if abs($by_t / $squares - 1) > 0.4 or $claimed > $squares / 100;

my @weights = (1, 2, 1);
Statistics::LineFit->new->setData([1, 2, 3], [1, 2, 4], \@weights) or die;
print "weights 1 2 1 after setData: @weights\n";
die if "@weights" ne "0.75 1.5 0.75";

# Twelve uniform numbers less six: mean 0, variance 1.
sub noise { my $sum = -6; $sum += rand for 1 .. 12; return $sum }
PL
dpkg-deb -f libstatistics-linefit-perl_*.deb Package Version
echo "guess: three times the same variance, and weights as they were"
PERL5LIB=perl/usr/share/perl5 perl see.pl
