"""The CPUID instruction, called from Python.

It is the only way that tells the truth under user-mode emulation, where ``/proc/cpuinfo`` is
the host's. A few bytes of machine code go into an anonymous page that is first writable and
then executable, never both, as hardened systems demand; where even that is refused,
``CpuidUnavailableError`` says so and the caller asks the operating system instead.
"""

from __future__ import annotations

import mmap
import struct
import sys
from collections.abc import Callable
from typing import Any

# void f(uint32 leaf, uint32 subleaf, uint32 out[4]): first the arguments are moved from where
# the calling convention has them to eax, ecx and r8; the rest is common.
_ENTRY = bytes.fromhex("f30f1efa")  # endbr64; a no-op where it is unknown
_ARGUMENTS = {
    "sysv": bytes.fromhex("4989d0 89f8 89f1"),  # mov r8,rdx; mov eax,edi; mov ecx,esi
    "windows": bytes.fromhex("89c8 89d1"),  # mov eax,ecx; mov ecx,edx; r8 is right already
}
_CPUID = bytes.fromhex(
    "53 0fa2"  # push rbx (callee-saved); cpuid
    "418900 41895804 41894808 4189500c"  # mov [r8],eax; [r8+4],ebx; [r8+8],ecx; [r8+12],edx
    "5b c3"  # pop rbx; ret
)
_XGETBV = bytes.fromhex("0f01d0 418900 41895004 c3")  # xgetbv; mov [r8],eax; [r8+4],edx; ret

_XGETBV_OFFSET = 64

_MEM_COMMIT_RESERVE, _MEM_RELEASE = 0x3000, 0x8000
_PAGE_READWRITE, _PAGE_EXECUTE_READ = 0x04, 0x20

Registers = tuple[int, int, int, int]


class CpuidUnavailableError(OSError):
    """This process cannot execute CPUID; the message says why."""


class Cpuid:
    """CPUID and XGETBV while the ``with`` block lasts; raises CpuidUnavailableError on entry."""

    def __enter__(self) -> Cpuid:
        _require_support()
        place, self._release = executable(code("windows" if sys.platform == "win32" else "sysv"))
        import ctypes

        signature = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)
        self._out = (ctypes.c_uint32 * 4)()
        self._cpuid = signature(place)
        self._xgetbv = signature(place + _XGETBV_OFFSET)
        return self

    def __exit__(self, *_: object) -> None:
        self._release()

    def __call__(self, leaf: int, subleaf: int = 0) -> Registers:
        """eax, ebx, ecx and edx."""
        self._cpuid(leaf, subleaf, self._out)
        return self._out[0], self._out[1], self._out[2], self._out[3]

    def enabled_state(self) -> int:
        """XCR0: the register state that the system saves. Legal only where OSXSAVE is set."""
        self._xgetbv(0, 0, self._out)
        return int(self._out[0]) | int(self._out[1]) << 32


def code(convention: str) -> bytes:
    """Both functions for ``"sysv"`` or ``"windows"``; the second stands at _XGETBV_OFFSET."""
    head = _ENTRY + _ARGUMENTS[convention]
    return (head + _CPUID).ljust(_XGETBV_OFFSET, b"\xcc") + head + _XGETBV


def register_text(*registers: int) -> str:
    """The characters that CPUID packs into registers, without padding."""
    raw = struct.pack(f"<{len(registers)}I", *registers)
    return raw.replace(b"\0", b" ").decode("ascii", "replace").strip()


def _require_support() -> None:
    if struct.calcsize("P") != 8:
        raise CpuidUnavailableError("a 32-bit interpreter cannot run 64-bit code")
    if sys.platform == "darwin":
        # The hardened runtime kills a process that executes such a page instead of refusing it.
        raise CpuidUnavailableError("macOS is asked through sysctl")


def executable(content: bytes) -> tuple[int, Callable[[], None]]:
    """Address of a page with that machine code, and what gives it back."""
    try:
        return _windows_page(content) if sys.platform == "win32" else _posix_page(content)
    except (OSError, ImportError, AttributeError, MemoryError) as error:
        raise CpuidUnavailableError(f"no executable page: {error}") from error


def _posix_page(content: bytes) -> tuple[int, Callable[[], None]]:
    import ctypes

    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    page.write(content)
    view = ctypes.c_char.from_buffer(page)
    place = ctypes.addressof(view)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def release() -> None:
        nonlocal view
        del view  # mmap refuses to close while a buffer is exported
        page.close()

    if libc.mprotect(place, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC):
        number = ctypes.get_errno()
        release()
        raise OSError(number, "mprotect refused")
    return place, release


def _windows_page(content: bytes) -> tuple[int, Callable[[], None]]:
    import ctypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    kernel.VirtualAlloc.restype = ctypes.c_void_p
    kernel.VirtualAlloc.argtypes = (
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_uint32,
        ctypes.c_uint32,
    )
    kernel.VirtualProtect.argtypes = (
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_uint32,
        ctypes.c_void_p,
    )
    kernel.VirtualFree.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32)
    place = kernel.VirtualAlloc(None, len(content), _MEM_COMMIT_RESERVE, _PAGE_READWRITE)
    if not place:
        raise OSError("VirtualAlloc refused")
    ctypes.memmove(place, content, len(content))
    before = ctypes.c_uint32()
    if not kernel.VirtualProtect(place, len(content), _PAGE_EXECUTE_READ, ctypes.byref(before)):
        kernel.VirtualFree(place, 0, _MEM_RELEASE)
        raise OSError("VirtualProtect refused")
    return place, lambda: kernel.VirtualFree(place, 0, _MEM_RELEASE)
