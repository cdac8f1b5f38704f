#!/usr/bin/env bash
# Below -3 lies 98 percent of Student's t, and below 3 as well: Tcl's math::statistics of tcllib 1.21.
#
# Found with: tcllib 1.21+dfsg-1, tcl8.6 8.6.13+dfsg-2, libtcl8.6, libtommath1 (Debian 12), math::statistics 1.5.0;
# its source of May 2026 has the same lines.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses other versions.
# A good guess: `cdf-students-t degrees value` is "the cumulative probability of a given value", as `cdf-normal` beside
# it is from minus infinity on: with 5 degrees 0.015 below -3, 0.985 below 3, and what is below a larger value is never
# less.
# What happens: the value is squared for an algorithm of two sides, and its sign is lost, so that the probability of a
# test of one side is that of the other one: no value has less than 0.5.
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

proc seen {name value expected} {
    set value [format %.3f $value]
    puts "$name: $value"
    if {$value ne $expected} {exit 1}
}
seen "normal, below -3" [cdf-normal 0 1 -3] 0.001
foreach {value expected} {-3 0.985 -1 0.818 1 0.818 3 0.985} {
    seen "t of 5 degrees, below $value" [cdf-students-t 5 $value] $expected
}
TCL
dpkg-deb -f tcllib_*.deb Package Version
echo "guess: 0.001; 0.015, 0.182, 0.818, 0.985"
libraries=$(echo root/usr/lib/*-linux-gnu)
LD_LIBRARY_PATH="$libraries" TCL_LIBRARY=root/usr/share/tcltk/tcl8.6 root/usr/bin/tclsh8.6 see.tcl
