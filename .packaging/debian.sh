#!/usr/bin/env bash
# Makes a Debian package of the program that is built: debian.sh FOLDER. Called by `make deb`, which sets TOLLGATE (the
# program) and SOURCE_DATE_EPOCH (the package's date); the same program gives the same bytes.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
folder=$1
program=$TOLLGATE
maintainer="${DEBFULLNAME:-The tollgate authors} <${DEBEMAIL:-tollgate@packages.invalid}>"
version="$("$program" --version)-${DEBIAN_REVISION:-1}"
architecture=$(dpkg --print-architecture)
date=$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")

stage=$(mktemp --directory)
trap 'rm -rf "$stage"' EXIT
root=$stage/tollgate
make --silent --no-print-directory install TOLLGATE="$program" DESTDIR="$root" PREFIX=/usr \
  ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions DOCUMENTATION=/usr/share/doc/tollgate

documentation=$root/usr/share/doc/tollgate
python3 .packaging/dependencies.py "$program" "$documentation" --epoch "$SOURCE_DATE_EPOCH"
# The licence is in /usr/share/common-licenses.
rm -f "$documentation/LICENSE"
mv "$documentation/CHANGELOG.md" "$documentation/changelog"
printf 'tollgate (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
  "$version" "$maintainer" "$date" > "$documentation/changelog.Debian"
# Yams brings libyaml along as source; the bill of materials has it.
mkdir -p "$root/usr/share/lintian/overrides"
echo 'tollgate: embedded-library *libyaml*' > "$root/usr/share/lintian/overrides/tollgate"
gzip --best --no-name "$documentation"/changelog "$documentation"/changelog.Debian "$root"/usr/share/man/man1/*.1

# dpkg-shlibdeps reads the names of the libraries' packages; tzdata has the zones of --timezone.
mkdir "$stage/debian" "$root/DEBIAN"
printf 'Source: tollgate\n\nPackage: tollgate\nArchitecture: any\nDepends: ${shlibs:Depends}\n' > "$stage/debian/control"
depends=$(cd "$stage" && dpkg-shlibdeps -O -e"$root/usr/bin/tollgate" | sed -n 's/^shlibs:Depends=//p')
cat > "$root/DEBIAN/control" <<CONTROL
Package: tollgate
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du --summarize --apparent-size --block-size=1024 --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends, tzdata
Suggests: bash-completion, sqlite3, zstd
Section: database
Priority: optional
Description: subscription analytics and paywall experiments, offline
 Reads event files of paywalls, trials, payments and churn into one SQLite
 file, each event once, and reports by variant, entry point, plan or anything
 else the events carry: funnels, trials, savings, cancellations, revenue,
 retention, lifetime value, and what an experiment says, with intervals.
CONTROL
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort --zero-terminated | xargs --null md5sum > DEBIAN/md5sums)
# dpkg-deb takes no time later than SOURCE_DATE_EPOCH, but earlier ones as they are.
find "$root" -print0 | xargs --null touch --no-dereference --date="@$SOURCE_DATE_EPOCH"

mkdir -p "$folder"
package=$folder/tollgate_${version}_$architecture.deb
# One thread: with more, the bytes depend on how many there are.
dpkg-deb --root-owner-group -Zxz -z3 --threads-max=1 --build "$root" "$package" > /dev/null
echo "$package"
