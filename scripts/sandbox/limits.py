"""What a program in the sandbox may use."""

from dataclasses import dataclass, field
from typing import Final

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What a program may use.

    The kernel holds each process to `memory_mb`, `cpu_s`, `files` and `disk_mb`, and all of them
    together to `processes` and the size of their folders. The sums of memory and of processor time
    and the number of sockets are looked at ten times a second, so they may be exceeded for that
    long. A control group counts the processor time where one can be made.

    Attributes:
        memory_mb: memory of all processes together, MiB.
        cpu_s: processor time of all processes together, seconds.
        wall_s: time from start to end, seconds; None for any.
        processes: processes and threads at a time.
        files: open files of each process.
        output_mb: written to stdout and stderr together, MiB.
        disk_mb: size of its working folder, and again of ``/tmp``, MiB; both are in memory.
        isolated: whether it runs in the sandbox. A program that does not is trusted: it sees the
            machine as its host does, and only the limits of each process and the sums hold.
        packages: the folder of libraries that it finds, beside those of the toolchains; none if it
            is empty.
    """

    memory_mb: int = 512
    cpu_s: int = 600
    wall_s: int | None = None
    processes: int = 128
    files: int = 256
    output_mb: int = 8
    disk_mb: int = 64
    isolated: bool = True
    packages: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, int) and value < 1 and name != "isolated":
                raise ValueError(f"the limit {name} is at least 1, not {value}")

    @property
    def for_each_process(self) -> dict[str, int]:
        """The resource limits of each process, by their names in `resource`."""
        own_user = {"RLIMIT_NPROC": self.processes} if self.isolated else {}
        return {
            **own_user,
            "RLIMIT_DATA": self.memory_mb * MIB,
            "RLIMIT_CPU": self.cpu_s,
            "RLIMIT_NOFILE": self.files,
            "RLIMIT_FSIZE": self.disk_mb * MIB,
            "RLIMIT_CORE": 0,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
        }


BUILD: Final = SandboxLimits(
    memory_mb=1024, cpu_s=120, wall_s=180, processes=256, files=1024, output_mb=1, disk_mb=256
)
"""SandboxLimits of a build."""
