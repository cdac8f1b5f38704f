#!/usr/bin/env bash
# The member "a%20b" is not found, and its neighbour "a b" is returned for it: Perl's JSON::Pointer 0.07.
#
# Found with: libjson-pointer-perl 0.07-2 with libclass-accessor-lite-perl 0.08-3, libclone-perl 0.46-1, libjson-perl
# 4.10000-1, liburi-perl 5.17-1 (Debian 12), Perl 5.36.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: in a pointer that is a text (RFC 6901, 3 to 5) only "~" is special; percents are decoded in the fragment
# of an address alone, behind "#" (6). And two objects are equal if they have the same members, in whatever order
# (RFC 6902, 4.6), for `test`.
# What happens: percents are decoded in each pointer, before it is cut at its slashes: a member with a percent and two
# hexadecimal digits is not reached by its name ("%25" for the percent is needed), and "%2F" in a name leads a level
# deeper. `test` compares the objects as texts in Perl's own order of keys, which differs from one object to the next:
# it fails for some equal ones.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libjson-pointer-perl=0.07-2 libclass-accessor-lite-perl=0.08-3 libclone-perl=0.46-1 \
  libjson-perl=4.10000-1 liburi-perl=5.17-1 >download 2>&1 || { cat download; exit 1; }
for package in ./*.deb; do dpkg -x "$package" perl; done
cat >see.pl <<'PL'
use strict;
use warnings;
use JSON::Pointer;

my $document = { "a%20b" => 1, "a b" => 2, "c%2Fd" => 3, c => { d => 4 } };
for (["/a%20b", 2], ["/c%2Fd", 4], ["/a b", 2], ["/a%2520b", 1]) {
    my ($pointer, $seen) = @$_;
    my $found = JSON::Pointer->get($document, $pointer);
    print "$pointer: $found\n";
    die if $found != $seen;
}
my $different = 0;
for (1 .. 500) {
    my (%one, %other);
    $one{$_} = 1 for "a" .. "h";
    $other{$_} = 1 for reverse "a" .. "h";
    $different++ unless JSON::Pointer->test({ of => \%one }, "/of", \%other);
}
print "equal objects that test calls different: ", $different ? "some" : "none", " of 500\n";
die unless $different;
PL
dpkg-deb -f libjson-pointer-perl_*.deb Package Version
echo "guess: 1, 3, 2, not found; none"
PERL5LIB=perl/usr/share/perl5:$(echo perl/usr/lib/*/perl5/5.36) perl see.pl
