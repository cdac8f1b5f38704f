#!/usr/bin/env bash
# The mean of the ranks 1 and 2 is 1: Spearman's correlation in Tcl, math::statistics of tcllib 1.21.
#
# Found with: tcllib 1.21+dfsg-1, tcl8.6 8.6.13+dfsg-2, libtcl8.6, libtommath1 (Debian 12), math::statistics 1.5.0;
# its source of May 2026 has the same lines.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: values that are equal share the mean of their ranks, 1.5 each for ranks 1 and 2; so `spearman-rank` is
# the ordinary correlation of these ranks, and a table that is read from its other end has the same one.
# What happens: the mean is a quotient of whole numbers, which Tcl makes whole: a tie of two or four is half a rank too
# low, one of three is right. {1 1 2 3} and {1 2 3 3} are as far from being in order as each other, and have 0.947 and
# 0.944 with {1 2 3 4}, where both have 0.949. {5 6 7 8 7} has 0.746 with {1 2 3 4 5} instead of 0.821.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q tcllib=1.21+dfsg-1 tcl8.6=8.6.13+dfsg-2 libtcl8.6=8.6.13+dfsg-2 libtommath1 >download 2>&1 ||
  { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
cat >see.tcl <<'TCL'
lappend auto_path root/usr/share/tcltk/tcllib1.21
package require math::statistics
namespace import math::statistics::*

foreach {data other ranks expected} {
    {1 1 2 3} {1 2 3 4} {1.5 1.5 3 4} 0.947
    {1 2 3 3} {1 2 3 4} {1 2 3.5 3.5} 0.944
    {1 2 2 2 3} {1 2 3 4 5} {1 3 3 3 5} 0.894
    {0 0 1 1} {1 2 3 4} {1.5 1.5 3.5 3.5} 0.894
    {5 6 7 8 7} {1 2 3 4 5} {1 2 3.5 5 3.5} 0.746
} {
    set found [format %.3f [spearman-rank $data $other]]
    puts "{$data} with {$other}: $found; of the ranks {$ranks}: [format %.3f [corr $ranks $other]]"
    if {$found ne $expected} {exit 1}
}
TCL
dpkg-deb -f tcllib_*.deb Package Version
echo "guess: both numbers are the same"
libraries=$(echo root/usr/lib/*-linux-gnu)
LD_LIBRARY_PATH="$libraries" TCL_LIBRARY=root/usr/share/tcltk/tcl8.6 root/usr/bin/tclsh8.6 see.tcl
