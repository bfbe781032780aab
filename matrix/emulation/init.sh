#!/bin/busybox sh
# The first process of the guest: mount this machine's files, run the job, switch off.
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
for module in /modules/*; do $b insmod "$module" || echo "cannot load $module"; done
options=trans=virtio,version=9p2000.L,msize=512000
$b mount -t 9p -o $options,ro,cache=loose hostroot /lower || echo "cannot mount the root"
$b mount -t 9p -o $options,cache=none job /job || echo "cannot mount the job"
$b mount -t tmpfs -o size=80% tmpfs /memory; $b mkdir -p /memory/upper /memory/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/memory/upper,workdir=/memory/work overlay /new \
  || echo "cannot mount the overlay"
for folder in proc sys dev; do $b mount --move /$folder /new/$folder; done
$b mkdir -p /new/dev/shm /new/run/job; $b mount -t tmpfs tmpfs /new/dev/shm
$b mount --move /job /new/run/job
$b cat /new/proc/cpuinfo >/new/run/job/cpuinfo; $b uname -r >/new/run/job/kernel
export HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
$b chroot /new /bin/bash /run/job/probes.sh
$b touch /new/run/job/finished; $b sync; $b poweroff -f
