#!/usr/bin/env bash
# Five wins in ten games are chance with a probability of 1.48: Perl's Math::NumberCruncher 5.00, `SignSignificance`.
#
# Found with: libmath-numbercruncher-perl 5.00-14 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: `SignSignificance($trials, $hits, $probability)` is "the probability of how likely it is that your data
# is due to chance", the sign test: the chance of as many hits or more, 0.62 for 5 of 10, at most 1 and larger for fewer
# hits.
# What happens: the loop from the hits to the trials adds the chance of exactly these hits each time, instead of that of
# its own number. For 5 of 10 that is six times the chance of 5. No hit in ten has less to do with chance than five; and
# 15 of 20 are 0.089, where the tail of the distribution is 0.021: what is significant at 5 % is not, and nothing is
# said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libmath-numbercruncher-perl=5.00-14 >download 2>&1 || { cat download; exit 1; }
dpkg -x libmath-numbercruncher-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Math::NumberCruncher;

sub chance { my ($trials, $hits) = @_; Math::NumberCruncher::Binomial($trials, $hits, 0.5) }

for ([10, 5, "1.477"], [10, 0, "0.011"], [20, 15, "0.089"], [10, 10, "0.001"]) {
    my ($trials, $hits, $seen) = @$_;
    my $tail = 0;
    $tail += chance($trials, $_) for $hits .. $trials;
    my $found = sprintf "%.3f", Math::NumberCruncher::SignSignificance($trials, $hits, 0.5);
    printf "$hits of $trials: guess %.3f, its answer %s\n", $tail, $found;
    die if $found ne $seen;
}
PL
dpkg-deb -f libmath-numbercruncher-perl_*.deb Package Version
PERL5LIB=perl/usr/share/perl5 perl see.pl
