#!/usr/bin/env bash
# "<9,>17" are the hours before 9 and after 17, and no hour at all: Perl's Set::Crontab 1.03.
#
# Found with: libset-crontab-perl 1.03-1.1 (Debian 12), Perl 5.36; DateTime::Event::Cron and Schedule::Cron::Events use
# it.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: its manual says that "<N selects the elements smaller than N from the entire range, and adds them to the
# set. >N does likewise". So "<9,>17" is 0-8 and 18-23, and its first example, "1-9/3,>15,>30,!23" of 0 to 30, is 1, 4,
# 7, 16-22 and 24-30.
# What happens: of all bounds together those elements are added that fulfil each one: no number is below 9 and above 17,
# and of the example 1, 4 and 7 remain. The source means to do so (a comment in it has ">9,<15"), the manual does not say
# it. With one bound it is as the manual has it. And a bound with a zero in front is read as an octal number, a plain
# number is not: "<010" is 0-7, "<08" nothing, "08" is 8.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libset-crontab-perl=1.03-1.1 >download 2>&1 || { cat download; exit 1; }
dpkg -x libset-crontab-perl_*.deb perl
cat >see.pl <<'PL'
use strict;
use warnings;
use Set::Crontab;

for (
    ["1-9/3,>15,>30,!23", 30, "1 4 7"],
    ["<9,>17", 23, ""],
    ["<3,5", 23, "0 1 2 5"],
    ["<08", 23, ""],
    ["<010", 23, "0 1 2 3 4 5 6 7"],
    ["08", 23, "8"],
) {
    my ($text, $last, $seen) = @$_;
    my $list = join " ", Set::Crontab->new($text, [0 .. $last])->list;
    print "$text of 0-$last: ", $list eq "" ? "none" : $list, "\n";
    die if $list ne $seen;
}
PL
dpkg-deb -f libset-crontab-perl_*.deb Package Version
echo "guess: 1 4 7 16-22 24-30; 0-8 18-23; 0-2 5; 0-7; 0-9; 8"
PERL5LIB=perl/usr/share/perl5 perl see.pl
