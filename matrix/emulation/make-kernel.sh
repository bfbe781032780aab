#!/bin/bash
# make-kernel.sh DIR: Debian's generic kernel (the cloud one lacks 9p) and a small initramfs for it.
# Needs: apt-get install --no-install-recommends qemu-system-x86 busybox-static cpio kmod xz-utils
set -euo pipefail
mkdir -p "$1"; dir=$(cd "$1" && pwd); here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
package=$(apt-cache depends linux-image-amd64 | awk '/Depends:/ {print $2; exit}')
apt-get -o APT::Sandbox::User=root -qq download "$package"
dpkg-deb -x "$package"*.deb unpacked
cp unpacked/boot/vmlinuz-* "$dir/vmlinuz"
version=$(basename unpacked/lib/modules/*)
depmod -b unpacked "$version"

root=$work/root; mkdir -p "$root"/{bin,modules,proc,sys,dev,lower,memory,new,job}
cp /bin/busybox "$root/bin/busybox"; cp "$here/init.sh" "$root/init"; chmod +x "$root/init"
number=100  # the file names keep the order in which the modules depend on one another
for module in virtio_pci 9pnet_virtio 9p overlay virtio_rng; do
  modprobe -d unpacked -S "$version" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' | while read -r file; do
  number=$((number + 1)); name=$root/modules/$number-$(basename "${file%.xz}")
  case $file in *.xz) xz -dc "$file" >"$name" ;; *) cp "$file" "$name" ;; esac
done
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$dir/initrd.gz"
echo "$package" >"$dir/package"
