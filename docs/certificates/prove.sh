#!/usr/bin/env bash
# Prove the leaves of a certificate again, from nothing:
#   bash prove.sh CERTIFICATE FOLDER [SEEDS] [THREADS] [ENTRIES]
# Builds the programs, checks that the certificate follows from its leaves (in C and in Python),
# builds endgame tables of SEEDS seeds (24: 1.3 GB; 28: 5.6 GB), compares ENTRIES of them (a million)
# with what follows from the rules, and proves each leaf. It goes on where it was ended. FOLDER keeps
# the log, a line for each leaf, and the SHA-256 of tables, certificate and log.
set -euo pipefail
certificate=$1 folder=$2 seeds=${3:-24} threads=${4:-$(nproc)} entries=${5:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
case $certificate in
  *.gz) gzip -dc "$certificate" > "$folder/certificate.jsonl" ;;
  *.xz) xz -dc "$certificate" > "$folder/certificate.jsonl" ;;
  *) cp "$certificate" "$folder/certificate.jsonl" ;;
esac
cc -O2 -o "$folder/check" "$here/check.c"
cc -O3 -march=native -pthread -o "$folder/prove" "$here/prove.c"
cd "$folder"
pits=$(sed -nE '1s/.*"board":"<([0-9]+),.*/\1/p' certificate.jsonl)
[ "$pits" -le 6 ] || { echo "boards of at most 6 pits a row, not $pits" >&2; exit 1; }
./check certificate.jsonl
python3 "$here/check.py" certificate.jsonl
single=$(sed -nE '1s/.*"rules":"kalah-empty-capture.*/single/p' certificate.jsonl)
[ -e "tables-$seeds" ] || ./prove tables "tables-$seeds" "$seeds" "$threads" "$pits" $single
./prove probe "tables-$seeds" "$entries"
status=0
./prove leaves "tables-$seeds" leaves.log "$threads" certificate.jsonl || status=$?
sha256sum certificate.jsonl "tables-$seeds" leaves.log | tee sha256
exit "$status"
