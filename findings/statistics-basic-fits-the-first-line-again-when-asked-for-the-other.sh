#!/usr/bin/env bash
# Of two vectors the line of y over x is also that of x over y: Perl's Statistics::Basic 1.6611.
#
# Found with: libstatistics-basic-perl 1.6611-3, libnumber-format-perl 1.75-3 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: `leastsquarefit($x, $y)` is the line that gives y for an x, `leastsquarefit($y, $x)` the one that gives x
# for a y. They are different lines (each has the least squares of its own side), whatever was asked for before.
# What happens: a fit that lives is remembered in both vectors under the other one's number, as a covariance is, for
# which the order is all the same. The second question finds the first answer: `y_given_x` of it takes an x for a y. Once
# the first object is gone, or with copies of the vectors, the second answer is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libstatistics-basic-perl=1.6611-3 libnumber-format-perl=1.75-3 >download 2>&1 ||
  { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" perl; done
cat >see.pl <<'PL'
use strict;
use warnings;
use Statistics::Basic qw(vector leastsquarefit);

my @thought = (1, 2, 3, 4);      # seconds a move
my @rating = (10, 20, 30, 50);

sub slope { my ($alpha, $beta) = shift->query; sprintf "%.4f", $beta }
my ($x, $y) = (vector(@thought), vector(@rating));
my $alone = slope(leastsquarefit($y, $x));
my $first = leastsquarefit($x, $y);
my $second = leastsquarefit($y, $x);
my $copies = leastsquarefit($y->copy, $x->copy);
print "rating over seconds: ", slope($first), "\n";
print "seconds over rating: $alone before that, ", slope($second), " after it, ", slope($copies), " with copies\n";
print "seconds of a rating of 30: ", $second->y_given_x(30), "; with copies ", $copies->y_given_x(30), "\n";
die if $alone ne "0.0743" or slope($copies) ne $alone or slope($second) ne "13.0000" or $second->y_given_x(30) != 385;
PL
dpkg-deb -f libstatistics-basic-perl_*.deb Package Version
echo "guess: 13 and, in all three cases, 0.0743"
PERL5LIB=perl/usr/share/perl5 perl see.pl
