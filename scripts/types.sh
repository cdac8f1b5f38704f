#!/usr/bin/env bash
# Check the types of the page's modules, as their JSDoc states them, with TypeScript from npm.
# Without npm, or a registry to reach, it says so and is skipped, unless nothing may be.
set -euo pipefail
version=5.9.3
# Outside the repository, so that the next check needs no registry.
home=${XDG_CACHE_HOME:-$HOME/.cache}/mancala-arena/typescript-$version
tsc=$home/node_modules/typescript/bin/tsc

skip() {
  echo "the page's types are not checked: $1" >&2
  [ -n "${MANCALA_SKIP_NOTHING:-}" ] && exit 1
  exit 0
}

for package in nodejs npm; do
  bash scripts/need.sh "$package" 2>/dev/null || true
done
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed"
if [ ! -f "$tsc" ]; then
  mkdir -p "$home"
  npm install --prefix "$home" --no-audit --no-fund --no-update-notifier --ignore-scripts --loglevel=error \
    "typescript@$version" >/dev/null || skip "npm can't fetch typescript $version"
fi
node "$tsc" --noEmit --allowJs --checkJs --skipLibCheck --target es2023 --module es2022 \
  --lib es2023,dom,dom.iterable server/web/static/*.js
