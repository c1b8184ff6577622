#!/usr/bin/env bash
# Builds the commit twice, in folders of different names, and compares the programs: reproducible.sh [PRODUCT]
#
# What is expected: as built they differ in .swift_modhash (Swift's hash of each module covers the options of its
# compilation, and so the folder), .note.gnu.build-id (the linker's, of everything) and the debugging sections; as
# `make install` strips them, and so in the Debian package, they are the same. The place of the sources is taken out by
# -file-prefix-map (make build); it would come back with `#filePath`, which nothing in the program uses.
set -euo pipefail
cd "$(dirname "$0")/.."
product=${1:-tollgate}
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
programs=()
for name in one another-folder-with-a-longer-name; do
  folder=$work/$name
  mkdir "$folder"
  git archive HEAD | tar --extract --directory "$folder"
  # The versions of the packages are those of this build.
  [ ! -e Package.resolved ] || cp Package.resolved "$folder"
  make --silent --no-print-directory --directory "$folder" build BUILD_OPTIONS="--product $product"
  cp "$folder/.build/release/$product" "$work/$name.program"
  programs+=("$work/$name.program")
  rm -rf "$folder"
done

sections() {  # Name and hash of every section of a program.
  readelf --section-headers --wide "$1" | sed -nE 's/^ +\[ *[0-9]+\] (\.[^ ]+) .*/\1/p' | while read -r section; do
    objcopy --output-target=binary --only-section="$section" --set-section-flags "$section=alloc" "$1" "$work/section" 2>/dev/null || continue
    printf '%s %s\n' "$section" "$(sha256sum < "$work/section" | cut -c1-64)"
  done
}

status=0
for state in "as built" "as installed"; do
  if cmp --silent "${programs[@]}"; then
    echo "$state: the same, $(sha256sum < "${programs[0]}" | cut -c1-64)"
  else
    echo "$state: different in" \
      "$(diff <(sections "${programs[0]}") <(sections "${programs[1]}") | sed -n 's/^< \([^ ]*\) .*/\1/p' | tr '\n' ' ')"
    [ "$state" = "as built" ] || status=1
  fi
  ${STRIP:-strip --strip-all} "${programs[@]}"
done
exit $status
