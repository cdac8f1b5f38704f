#!/usr/bin/env bash
# Make what is published of a version, in build/release, and tag it. With --dry-run everything is
# made, but the gates do not run, nothing is tagged, and the tree may hold changes.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/.venv/bin
out=${OUT:-build/release}
dry=
[ "${1:-}" != --dry-run ] || dry=yes

stop() {
  echo "release: $*" >&2
  [ -n "$dry" ] || exit 1
}

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
day=$(sed -n "s/^## ${version//./\\.} (\(.*\))$/\1/p" CHANGELOG.md)
[ -n "$day" ] || { echo "release: CHANGELOG.md has no date for $version" >&2; exit 1; }
if [ -n "$(git status --porcelain)" ]; then stop "the tree holds changes"; fi
if git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null; then stop "v$version is tagged already"; fi
if grep -q '^## Unreleased' CHANGELOG.md; then stop "CHANGELOG.md has changes of no version"; fi
if sed -n '/^\[project.urls\]/,/^$/p' pyproject.toml | grep -q 'example\.org'; then
  stop "the addresses in pyproject.toml are placeholders"
fi
[ -n "$dry" ] || .ci/run

rm -rf "$out"
mkdir -p "$out"
SOURCE_DATE_EPOCH=$(date -ud "$day" +%s)
export SOURCE_DATE_EPOCH
"$bin/uv" build --quiet --no-build-isolation --python "$bin/python" --out-dir "$out" .
bash scripts/pack.sh "$out"/*.whl
rm -f "$out/.gitignore"
make --no-print-directory sbom site
cp build/sbom.cdx.json "$out/mancala_arena-$version.cdx.json"
tar --create --directory build/site --sort name --mtime "@$SOURCE_DATE_EPOCH" --owner 0 --group 0 --numeric-owner . |
  gzip --no-name > "$out/mancala_arena-$version-docs.tar.gz"
sed -n "/^## ${version//./\\.} /,/^## /p" CHANGELOG.md | sed '1d;$d' > "$out/NOTES.md"
(cd "$out" && sha256sum -- mancala_arena-* > SHA256SUMS)
if [ -n "$dry" ]; then
  echo "would tag v$version, of $day"
else
  git tag --annotate "v$version" --file "$out/NOTES.md" --cleanup=verbatim
fi
ls -l "$out"
