#!/bin/sh
# The bundle runs from another folder, with its own libraries. Usage: bundle.sh CMAKE BUILD_FOLDER SOURCE_FOLDER.
set -eu
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
"$1" -DBUILD="$2" -DSOURCE="$3" -DDESTINATION="$away/first" -P "$3/cli/bundle.cmake"
mv "$away/first" "$away/second"
program=$away/second/bin/fdtd
cd /
env -i "$program" --version
env -i "$program" stencils leggy-1 >/dev/null
# Of the machine's own libraries, only those of glibc and the dynamic linker are met.
strangers=$(env -i "$(command -v ldd)" "$program" | grep '=> /' | grep -v "=> $away/second/" |
  grep -v -E '=> /[^ ]*/(libc|libm|libdl|librt|libpthread|libresolv)\.so' || true)
[ -z "$strangers" ] || { printf 'FAILED: not in the bundle:\n%s\n' "$strangers"; exit 1; }
# What a program of this kind uses, and no network: HDF5 brings curl, LDAP and Kerberos where it is linked as Debian has
# it. MPI is the machine's.
names=$(ls "$away/second/lib")
for name in $names; do
  case $name in
    libcurl* | libldap* | libkrb5* | libssl* | libcrypto* | libmpi.*)
      printf 'FAILED: the bundle holds %s\n' "$name"
      exit 1
      ;;
  esac
done
loaded=$(env -i "$(command -v ldd)" "$program" | grep -c '=> /')
[ "$loaded" -le 30 ] || { printf 'FAILED: the program loads %s libraries\n' "$loaded"; exit 1; }
# The licences of what it brings, and of what is linked into it.
if command -v dpkg-query >/dev/null; then
  for package in libsndfile1 libsoxr0 libstdc++6 libeigen3-dev libhdf5-dev libaec-dev libjs-three zlib1g-dev GPL-3; do
    [ -s "$away/second/licences/$package" ] || { echo "FAILED: no licence of $package"; exit 1; }
  done
fi
echo "bundle: runs from elsewhere with its own libraries"
