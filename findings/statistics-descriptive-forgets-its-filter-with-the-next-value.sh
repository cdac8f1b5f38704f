#!/usr/bin/env bash
# With the next value the filter for outliers is gone, and no data are left: Perl's Statistics::Descriptive 3.0800.
#
# Found with: libstatistics-descriptive-perl 3.0800-1, liblist-moreutils-perl 0.430-2, libexporter-tiny-perl 1.006000-1
# (Debian 12), Perl 5.36; the source of 3.0801 (July 2023) does the same.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: `set_outlier_filter` says how outliers are found, as `set_smoother` says how to smooth; values may be
# added before and after it, and `get_data_without_outliers` looks at all that are there.
# What happens: `add_data` deletes what it has computed, and takes for that each key it does not know, the filter and the
# smoother among them. That is so from the second call on: set before the first values, both stay. The next question is
# answered by an empty list and, on standard error, "Outliers filter not defined".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libstatistics-descriptive-perl=3.0800-1 liblist-moreutils-perl=0.430-2 \
  libexporter-tiny-perl=1.006000-1 >download 2>&1 || { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" perl; done
cat >see.pl <<'PL'
use strict;
use warnings;
use Statistics::Descriptive;

my @said;
local $SIG{__WARN__} = sub { push @said, $_[0] =~ s/\n.*//sr };
my $times = Statistics::Descriptive::Full->new;
my $filter = sub { my ($all, $value) = @_; abs($value - $all->mean) > 2 * $all->standard_deviation };

sub kept { join " ", $times->get_data_without_outliers }
$times->set_outlier_filter($filter);
$times->add_data(20, 21, 19, 22, 20, 900);
print "set before the first values: ", kept(), "\n";
$times->add_data(21);
print "one value later: ", kept() || "none", "; @said\n";
die if kept() ne "" or $said[0] ne "Outliers filter not defined";
$times->set_outlier_filter($filter);
print "set once more: ", kept(), "\n";
die if kept() ne "20 21 19 22 20 21";
$times->set_smoother({method => "exponential", coeff => 0.5});
die if not defined $times->get_smoothed_data;
$times->add_data(20);
@said = ();
die if defined $times->get_smoothed_data;
print "the smoother, one value later: @said\n";
PL
dpkg-deb -f libstatistics-descriptive-perl_*.deb Package Version
echo "guess: 20 21 19 22 20, and from then on the same and 21"
PERL5LIB=perl/usr/share/perl5 perl see.pl
