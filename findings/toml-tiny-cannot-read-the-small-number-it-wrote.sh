#!/usr/bin/env bash
# A chance of one in ten million is written as TOML allows, and then cannot be read: Perl's TOML::Tiny 0.15.
#
# Found with: libtoml-tiny-perl 0.15-1 (Debian 12), Perl 5.36; its source of June 2026 (after 0.22) has the same pattern.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: what `to_toml` writes, `from_toml` reads back. And it reads what TOML 1.0 allows, which has "1e06" among
# its examples of floats: "an exponent part [...] may include leading zeros".
# What happens: its pattern of an exponent takes zeros, or a number that does not begin with one. So 1e-10, 1e6 and 1e00
# are read, 1e06 is "expected EOL, but found integer". Perl itself writes two digits at least, so each number from 1e-9
# up to 0.0001 is one that `to_toml` writes without a word and `from_toml` refuses; Python, too, writes 1e-07.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libtoml-tiny-perl=0.15-1 >download 2>&1 || { cat download; exit 1; }
dpkg -x libtoml-tiny-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use TOML::Tiny qw(from_toml to_toml);

my $refused = "toml parse error at line 1: expected EOL, but found integer";
my @written = map { [to_toml({value => $_}), $_] } 0.001, 0.00001, 0.0000001, 0.0000000001;
for (@written, ["value=1e6", 1e6], ["value=1e06", 1e6], ["value=1e00", 1]) {
    my ($text, $number) = @$_;
    my ($data, $error) = from_toml($text);
    chomp $error if $error;
    print "$text: ", $error || $data->{value}, "\n";
    die if $text =~ /e[-+]?0[1-9]/ ? $error ne $refused : $error || $data->{value} != $number;
}
die if "@{[map { $_->[0] } @written]}" ne "value=0.001 value=1e-05 value=1e-07 value=1e-10";
PL
dpkg-deb -f libtoml-tiny-perl_*.deb Package Version
echo "guess: the number, seven times"
PERL5LIB=perl/usr/share/perl5 perl see.pl
