#!/bin/bash
# boot.sh KERNEL_DIR CPU JOB_DIR SECONDS: boot a real kernel on an emulated CPU and run
# JOB_DIR/probes.sh in it. The guest sees this machine's files read-only under an overlay in memory;
# JOB_DIR is /run/job there, writable. KERNEL_DIR comes from make-kernel.sh. Exits 125 if the guest
# never finished; serial.log and qemu.err in JOB_DIR say why.
set -u
kernel=$1 cpu=$2 job=$3 seconds=$4
rm -f "$job/finished"
timeout --foreground -k 5 "$seconds" qemu-system-x86_64 \
  -machine q35 -accel tcg,thread=multi,tb-size=512 -cpu "$cpu" -smp 1 -m "${MEMORY:-5G}" \
  -nodefaults -no-user-config -display none -nic none -no-reboot -serial "file:$job/serial.log" \
  -kernel "$kernel/vmlinuz" -initrd "$kernel/initrd.gz" \
  -append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr random.trust_cpu=on" \
  -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
  -device virtio-9p-pci,fsdev=root,mount_tag=hostroot \
  -fsdev "local,id=job,path=$job,security_model=none" \
  -device virtio-9p-pci,fsdev=job,mount_tag=job \
  -device virtio-rng-pci 2>"$job/qemu.err"
[ -f "$job/finished" ] || exit 125
