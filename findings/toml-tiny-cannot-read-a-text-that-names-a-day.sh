#!/usr/bin/env bash
# A title that names a day is written without quotes, and the file cannot be read: Perl's TOML::Tiny 0.15.
#
# Found with: libtoml-tiny-perl 0.15-1 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: what `to_toml` writes, `from_toml` reads back; a text that is a time as a whole may become one
# ("RFC3339-formatted string"), "all other non-ref scalars are treated as strings", which have quotes.
# What happens: the pattern of a time is looked for anywhere in a text, so that "Cup of 2026-11-30" is one, too, and gets
# no quotes. A number from 1e-9 up to 0.0001 is written as Perl writes it, 1e-07, which TOML allows and its own grammar
# does not: it knows an exponent with zeros in front only if it has nothing else. In both cases `to_toml` says nothing,
# and the reader dies.
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

for (["Cup of November", 1], ["Cup of 2026-11-30", 0], ["ends 12:30:00", 0], [0.001, 1], [0.0000001, 0]) {
    my ($value, $readable) = @$_;
    my $text = to_toml({value => $value});
    my ($data, $error) = from_toml($text);
    my $read = !$error && $data->{value} eq $value;
    chomp $error if $error;
    print "$text: ", $read ? "read back" : $error, "\n";
    die if $read != $readable;
}
PL
dpkg-deb -f libtoml-tiny-perl_*.deb Package Version
echo "guess: read back, five times"
PERL5LIB=perl/usr/share/perl5 perl see.pl
