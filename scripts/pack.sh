#!/usr/bin/env bash
# Pack a wheel anew: the same files, 2 % less to download than what zlib makes of them.
set -euo pipefail
bash "$(dirname "$0")/need.sh" advancecomp
exec advzip --recompress --shrink-extra --quiet "$1"
