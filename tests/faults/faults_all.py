"""Makes each call of a command fail once, and checks what remains.

    faults_all.py BUILD FOLDER [--short [--points N]] [--workers N] [--only TEXT] [--seed N] [--all] PART...

    calls    each system call fails with every errno that it can return (never ENOENT), is interrupted,
             or moves fewer bytes than were requested
    kills    SIGKILL before each of them, with one thread and with two
    memory   each allocation fails: it alone, and it and all later ones
    imports  every function that our objects import is disturbed by the shim, or cannot fail
    trace    the shim counts every system call that strace reports
    leaks    libent frees everything when an allocation fails; needs build/sanitize/tool_host beside BUILD

A disturbed run may end with 0 only when its result equals that of the undisturbed run. Otherwise its exit code
is that of the cause, a message names the cause, every file has its old or new content, and running the command
again without a disturbance gives the undisturbed result. Without --short nothing is omitted.
"""
import argparse
import errno
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import time

import fault_worlds
from build_world import difference
from fault_worlds import TimedOut, Place, contents

LIMITS = ("EMFILE", "ENFILE", "ENOMEM", "EAGAIN")  # exit code 4; the others 2
INVISIBLE = ("EINTR", "short")
READING = ("EIO", "EACCES", "ENOMEM")
CHANGING = ("EIO", "EACCES", "ENOSPC")
REMOVING = ("unlink", "unlinkat")
OPENING = ("EMFILE", "ENFILE", "EACCES", "EIO", "ENOMEM")

# The errors that each call can really return.
CAUSES = {
    "open": (*OPENING, "EINTR"),
    "create": (*OPENING, "ENOSPC", "EINTR"),
    "opendir": OPENING,
    "fdopendir": ("ENOMEM",),
    "readdir": ("EIO",),
    "access": READING, "faccessat": READING, "stat": READING, "lstat": READING, "fstatat": READING,
    "readlink": READING, "readlinkat": READING, "realpath": READING,
    "fstat": ("EIO", "ENOMEM"),
    "read": ("EIO", "EINTR", "short"), "pread": ("EIO", "EINTR", "short"), "input": ("EIO", "short"),
    "write": ("ENOSPC", "EIO", "EINTR", "short"), "pwrite": ("ENOSPC", "EIO", "EINTR", "short"),
    "print": ("ENOSPC", "EIO"),
    "close": ("EIO", "EINTR"),
    "rename": (*CHANGING, "EINTR"), "renameat": (*CHANGING, "EINTR"), "renameat2": (*CHANGING, "EINTR"),
    "link": CHANGING, "linkat": CHANGING, "mkdir": CHANGING, "mkdirat": CHANGING, "symlink": CHANGING,
    "unlink": ("EIO", "EACCES"), "unlinkat": ("EIO", "EACCES"), "rmdir": ("EIO", "EACCES"),
    "fchmod": ("EIO", "EPERM"), "utimensat": ("EIO", "EACCES"), "ftruncate": ("EIO",),
    "fsync": ("EIO", "ENOSPC"), "fdatasync": ("EIO", "ENOSPC"),
    "dup": ("EMFILE",), "flock": ("EINTR", "ENOLCK"), "fcntl": ("EINTR", "ENOLCK"),
    "mmap": ("ENOMEM",), "madvise": ("ENOMEM",),
    "pipe2": ("EMFILE", "ENFILE"), "socketpair": ("EMFILE", "ENFILE", "ENOMEM"), "posix_spawnp": ("EAGAIN", "ENOMEM"),
    "waitpid": ("EINTR",), "send": ("EINTR", "short"),
    "dlopen": ("ENOTDIR",), "pthread_create": ("EAGAIN",),
    "eventfd": ("EMFILE", "ENFILE", "ENOMEM"), "poll": ("EINTR", "ENOMEM"), "nanosleep": ("EINTR",),
    "inotify_init1": ("EMFILE", "ENFILE", "ENOMEM"), "inotify_add_watch": ("ENOSPC", "ENOMEM"),
    "sched_getaffinity": ("EINVAL",),
}


class Call:
    """A line of the log of the shim."""

    def __init__(self, line):
        number, self.name, self.about, self.module, self.offset = line.split("\t")
        self.number = int(number)


class Point:
    """One disturbed run."""

    def __init__(self, domain, call, cause, onward=False, threads=1):
        self.domain, self.call, self.cause, self.onward, self.threads = domain, call, cause, onward, threads

    def faults(self):
        as_ = self.cause if self.cause in ("kill", "short") else str(getattr(errno, self.cause))
        return {"FAULT_DOMAIN": self.domain, "FAULT_AT": str(self.call.number), "FAULT_AS": as_,
                **({"FAULT_ONWARD": "1"} if self.onward else {})}

    def __str__(self):
        about = f" of \"{self.call.about}\"" if self.call.about else ""
        what = "killed before" if self.cause == "kill" else f"{self.cause} at"
        return (f"{what} call {self.call.number}{' and later ones' if self.onward else ''}, {self.call.name}{about}"
                f"{', -j2' if self.threads > 1 else ''}")


class BrokenScenario(Exception):
    """A command that does not behave as it should without a fault: nothing can be concluded from its disturbed runs."""


class Bench:
    """A scenario in a place: the correct result, and points judged by it."""

    def __init__(self, place, scenario):
        self.place, self.scenario = place, scenario
        self.reset()
        self.old = self.judged(self.first)
        self.code, self.out, self.err = self.program(scenario.command)
        if self.code != scenario.code:  # or every disturbed run would be right to fail
            raise BrokenScenario(f"{scenario.name}: without a fault it ends with {self.code}, and not with {scenario.code}: {self.err[:2000]}")
        self.last = place.look()
        self.new = self.judged(self.last)
        again = self.program(scenario.command)
        self.codes = {self.code, again[0]}
        self.dirty = True

    def program(self, command, faults=None, reap=True):
        """Its output without the parts that differ in every run."""
        if faults and self.scenario.driver:
            faults = {**faults, "FAULT_SHARED": "0"}
        *begin, out, err = self.place.run(command, faults, reap)
        return *begin, self.scenario.printed(out), err

    def reset(self):
        self.place.clear()
        self.scenario.prepare(self.place)
        self.first = self.place.look()
        self.dirty = False

    def judged(self, seen):
        files = contents(seen)
        for path, shape in self.scenario.volatile.items():
            if path in files:
                files[path] = shape(files[path])
        return files

    def calls(self, domain):
        """The calls of an undisturbed run."""
        self.reset()
        code = self.program(self.scenario.command, {"FAULT_DOMAIN": domain})[0]
        self.dirty = True
        calls = [Call(line) for line in self.place.note("log").splitlines()]
        if code != self.code or not calls:
            raise BrokenScenario(f"{self.scenario.name}: {len(calls)} calls of {domain}, exit code {code}, and not {self.code}")
        return calls

    def wrong(self, files, wanted, point=None):
        """The differences from the expected state. A cache is judged by building from it, and a temporary may remain if
        the call that removes it fails."""
        removing = point and point.call.name in REMOVING
        files, wanted = ({path: content for path, content in side.items()
                          if content is not None and not (removing and is_temporary(path))
                          and (not self.scenario.cached or not path.startswith("cache/") or is_temporary(path))}
                         for side in (files, wanted))
        return difference(files, wanted)

    def mixed(self, files):
        """Files with neither the old nor the new content, and missing files that exist in both states."""
        if "src/.entc.move" in self.place.seen:  # what has been changed so far is finished afterwards
            return []
        rows = [f"{path} is neither the old nor the new one" for path, content in files.items()
                if content is not None and not is_temporary(path)
                and content not in (self.old.get(path), self.new.get(path))
                and not (self.scenario.cached and path.startswith("cache/"))]
        rows += [f"{path} is gone" for path in self.old.keys() & self.new.keys()
                 if path not in files and self.old[path] is not None and not path.startswith("cache/")]
        return rows

    def sources(self, files):
        return {path: content for path, content in files.items() if path.startswith("src/") and content is not None}

    def run(self, point):
        """The errors after a disturbed run, as texts."""
        if self.dirty:
            self.reset()
        command = [word.replace("-j1", f"-j{point.threads}") for word in self.scenario.command]
        self.dirty = True
        pid, code, out, err = self.program(command, point.faults(), reap=False)
        try:
            seen = self.place.look()
            rows = self.judge(point, code, out, err, self.judged(seen))
            if seen != self.first:
                rows += self.finished()
            self.dirty = seen != self.first
        finally:
            os.waitpid(pid, 0)
        return rows

    def judge(self, point, code, out, err, files):
        reached = self.place.note("log").splitlines()
        if code < 0 and not (point.cause == "kill" and code == -9):
            return [f"it was ended by signal {-code}: {err}"]
        if code < 0:
            return self.mixed(files)
        if reached and point.cause != "kill" and point.domain == "calls":
            point.call = Call(reached[0])  # stamps that may still change are checked once more: counts differ
            if point.cause not in CAUSES[point.call.name]:
                return []
        wrong = self.wrong(files, self.new, point)
        if code == 0 and re.search(r"(^|: )error: ", err, flags=re.M):
            return [f"exit code 0 with an error: {err}"]
        if code == self.code and out == self.out and not wrong:
            quiet = not reached or point.cause in (*INVISIBLE, "kill")
            same = re.sub(r"^entc: warning: .*\n", "", err, flags=re.M) == self.err or err == self.err
            return [f"it ended as it should, but printed: {err}"] if quiet and not same else []
        if not reached or point.cause == "kill":
            return [f"it was not disturbed, and ended with {code}: {wrong} {err}"]
        if point.cause in INVISIBLE and point.call.name != "close":
            return [f"this must not be seen, and it ended with {code}: {wrong} {err}{out[:200]}"]
        return self.judge_failure(point, code, out, err, files, wrong)

    def judge_failure(self, point, code, out, err, files, wrong):
        wanted = self.scenario.limits if point.cause in LIMITS else (2,)
        if point.cause == "EAGAIN":  # processes and threads, of which this user has too many
            wanted = (2, *self.scenario.limits)
        if code == 0 or code == self.code and code not in wanted:
            same = "" if out == self.out else " standard output differs;"
            return [f"exit code {code}, but the result is another one:{same} {wrong}"]
        rows = self.mixed(files)
        if code not in wanted:
            rows.append(f"exit code {code} instead of {wanted[0]}: {err[:300]}")
        if self.scenario.twice and not point.onward and point.call.name != "print" and out != self.out[:len(self.out) // 2]:
            rows.append(f"the second time was no better: {out}{err[:300]}")
        plain = self.scenario.twice or self.scenario.driver  # a status has a message, and no errno
        if not (re.search(r"error: .* ", err) if plain else names_the_cause(err + out, point.cause)):
            rows.append(f"exit code {code}, and no sentence that names the cause: {err[:300]}")
        if point.call.name not in REMOVING:
            rows += [f"{path} was left" for path in files if is_temporary(path)]
        return rows

    def finished(self):
        """The errors after the next, undisturbed run."""
        if self.scenario.finish:
            return self.finished_by(self.scenario.finish)
        code, _, err = self.place.run(self.scenario.command)
        seen = self.place.look()
        files = self.judged(seen)
        wrong = self.wrong(files, self.new)
        rows = [f"the next run ended with {code}: {err[:300]}"] if code not in self.codes else []
        rows += [f"after the next run, {wrong}"] if wrong else []
        return rows + left(seen) + (self.finished_from_cache() if self.scenario.cached else [])

    def finished_from_cache(self):
        """The current content of the cache gives the same outputs."""
        shutil.rmtree("out", ignore_errors=True)
        shutil.rmtree(".out.entc", ignore_errors=True)
        code, _, err = self.place.run(self.scenario.command)
        wrong = self.wrong(self.judged(self.place.look()), self.new)
        return [f"from the cache, {code}: {wrong} {err[:300]}"] if code != self.code or wrong else []

    def finished_by(self, commands):
        """An interrupted command is finished, or undone, by another command; sources are all old or all new."""
        for command in commands:
            code, _, err = self.place.run(command.split())
            if code:
                return [f"`{command}` afterwards ended with {code}: {err[:300]}"]
        seen = self.place.look()
        now, old, new = self.sources(self.judged(seen)), self.sources(self.old), self.sources(self.new)
        rows = left(seen)
        if now == old and old != new:
            code, _, err = self.place.run(self.scenario.command)
            now = self.sources(self.judged(self.place.look()))
            rows += [f"the next run ended with {code}: {err[:300]}"] if code != self.code else []
        if now != new:
            rows.append(f"the sources are neither the old nor the new ones: {difference(now, new)}")
        return rows


def is_temporary(path):
    return re.search(r"(^|/)\.entc\.[^/]*\.tmp$", path) is not None


def left(seen):
    return [f"{path} was left" for path in seen if is_temporary(path) or path.endswith("/.entc.move")]


def names_the_cause(text, cause):
    """Does it name the cause?"""
    words = [os.strerror(getattr(errno, cause))] if cause != "short" else []
    if cause in LIMITS:
        words += ["out of memory", "not enough memory"]
    return re.search(r"error|cannot", text) and any(word in text for word in words)


# --- work that is shared by processes ---

worker = {}


def worker_begin(build, folder, number):
    with number.get_lock():
        number.value += 1
        worker["place"] = Place(build, f"{folder}/w{number.value}")
    worker["scenarios"] = fault_worlds.scenarios()
    worker["bench"] = None


def worker_bench(name):
    bench = worker["bench"]
    if not bench or bench.scenario.name != name:
        bench = worker["bench"] = Bench(worker["place"], worker["scenarios"][name])
    return bench


def worker_calls(task):
    name, domain = task
    return worker_bench(name).calls(domain)


def worker_points(task):
    name, points = task
    bench, failures = worker_bench(name), []
    for point in points:
        try:
            rows = bench.run(point)
        except TimedOut:
            rows = ["it did not end"]
            bench.dirty = True
        if rows:
            failures.append((point, rows))
    return len(points), failures


# --- points ---

def points_of_calls(_scenario, calls):
    return [Point("calls", call, cause) for call in calls for cause in CAUSES[call.name]]


def points_of_kills(scenario, calls):
    threads = (1, 2) if scenario.jobs else (1,)
    return [Point("calls", call, "kill", threads=count) for count in threads for call in calls]


def points_of_memory(_scenario, calls):
    return [Point("memory", call, "ENOMEM", onward) for call in calls for onward in (False, True)]


PARTS = {"calls": ("calls", points_of_calls), "kills": ("calls", points_of_kills),
         "memory": ("memory", points_of_memory)}


def sample(dice, points, count):
    """This number of them, some of every kind of call and cause."""
    kinds = {}
    for point in points:
        kinds.setdefault((point.call.name, point.cause, point.onward, point.threads), []).append(point)
    chosen = []
    for kind in kinds.values():
        dice.shuffle(kind)
    while len(chosen) < min(count, len(points)):
        kind = dice.choice([kind for kind in kinds.values() if kind])
        chosen.append(kind.pop())
    return chosen


class Sites:
    """The places in the sources where a call is made."""

    def __init__(self, build):
        self.build, self.known = build, {}

    def of(self, program, call):
        key = (program, call.module, call.offset)
        if key not in self.known:
            self.known[key] = self.find(program, call)
        return self.known[key]

    def find(self, program, call):
        if call.module:
            return os.path.basename(call.module)
        if not call.offset or int(call.offset, 16) == 0:
            return "standard output"
        address = hex(int(call.offset, 16) - 1)
        done = subprocess.run(["addr2line", "-i", "-s", "-f", "-e", os.path.join(self.build, program), address],
                              capture_output=True, text=True)
        words = done.stdout.split("\n")
        return " < ".join(f"{words[i]} {words[i + 1].split(' ')[0]}" for i in range(0, min(len(words) - 1, 6), 2))


class Table:
    """Rows of the results, and the failures completely."""

    def __init__(self, options):
        self.options, self.passed, self.failed, self.skipped, self.sites = options, 0, 0, 0, Sites(options.build)

    def skip(self, why):
        self.skipped += 1
        print("skipped: " + why, flush=True)

    def check(self, holds, what):
        self.passed += holds
        self.failed += not holds
        if not holds:
            print("FAILED: " + what, flush=True)

    def add(self, part, name, calls, count, failures, seconds):
        self.passed += count - len(failures)
        self.failed += len(failures)
        reported = {}
        for point, rows in failures:
            site = self.sites.of(fault_worlds.scenarios()[name].command[0], point.call)
            reported.setdefault((site, point.cause if self.options.all else ""), []).append((point, rows))
        for (site, _), group in reported.items():
            point, rows = group[0]
            causes = sorted({p.cause for p, _ in group})
            print(f"FAILED: {part}, {name}: {point}\n    in {site}; {len(group)} points: {', '.join(causes)}")
            for row in rows[:4]:
                print("    " + row.strip()[:500].replace("\n", "\n        "))
        print(f"{part:8} {name:20} {calls:6} calls {count:6} points {len(failures):5} failed {seconds:7.1f} s", flush=True)


def sweep(options, pool, table, parts):
    """Each scenario in all parts, because its preparation is done once."""
    dice = random.Random(options.seed)
    for name in fault_worlds.scenarios():
        if not options.only or re.search(options.only, name):
            for part in parts:
                sweep_one(options, pool, table, part, name, dice)


def sweep_one(options, pool, table, part, name, dice):
    domain, points_of = PARTS[part]
    begun = time.time()
    calls = pool.apply(worker_calls, ((name, domain),))
    scenario = fault_worlds.scenarios()[name]
    points = points_of(scenario, calls)
    if options.short:
        points = sample(dice, points, 1 if scenario.driver else options.points)
    chunk = max(4, min(60, len(points) // (2 * options.workers) + 1))
    tasks = [(name, points[at:at + chunk]) for at in range(0, len(points), chunk)]
    count, failures = 0, []
    for done, wrong in pool.imap_unordered(worker_points, tasks):
        count += done
        failures += wrong
    table.add(part, name, len(calls), count, failures, time.time() - begun)


# The functions that our objects import and the shim does not disturb, and the reason.
HARMLESS = {
    "computes": "acos acosf cbrt cos cosf exp2f floor fmodf log log10 log10f log1p log2f nextafter nextafterf pow powf sin sincos sincosf sinf sqrt sqrtf tanf memchr memcmp memcpy memmem memmove "
                "memset qsort strchr strpbrk strcmp strcpy strcspn strerror strlen strncmp strncpy strnlen strrchr strspn strstr "
                "strtod strtof strtoul strtoull sprintf snprintf vsnprintf stpcpy tolower __isoc99_sscanf __ctype_tolower_loc "
                "__errno_location __popcountdi2 __sched_cpucount __tls_get_addr __cpu_model _GLOBAL_OFFSET_TABLE_ sigemptyset sigaddset sigfillset",
    "names_the_cause about the process": "clock_gettime environ getenv geteuid getpid getrlimit isatty sysconf dirfd pthread_self dl_iterate_phdr "
                               "dlerror dlinfo dlsym stdin stdout stderr setvbuf",
    "writes to a stream whose write the shim disturbs, or reads from one": "fclose ferror fflush fprintf fputc fputs fread "
                               "fwrite printf putc putchar puts vfprintf fopencookie",
    "gives back, and a failure changes nothing for the caller": "closedir dlclose free malloc_trim munmap inotify_rm_watch "
                               "posix_spawn_file_actions_destroy posix_spawnattr_destroy",
    "ends, waits or signals": "_exit abort atexit exit kill pause raise sched_yield sigaction signal",
    "fails only when it is used wrongly": "pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal "
                               "pthread_cond_wait pthread_join pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock "
                               "pthread_mutex_unlock pthread_once pthread_setname_np pthread_sigmask",
    "fails only without memory, which the shim disturbs": "posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen "
                               "posix_spawn_file_actions_init posix_spawnattr_init posix_spawnattr_setflags "
                               "posix_spawnattr_setsigdefault",
}
LIBRARIES = ("ZSTD_", "ZDICT_", "cJSON_", "meshopt_", "qh_", "png_", "spng_", "tj")  # the shim makes their allocations fail


def symbols(*command):
    lines = subprocess.run(["nm", *command], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.split() and not line.endswith(":")}


def imports(options, table):
    """Any other import is an error: the shim must disturb it, or HARMLESS must contain the reason why not."""
    harmless = {name for names in HARMLESS.values() for name in names.split()}
    objects = [os.path.join(folder, name) for part in ("compiler", "formats", "runtime")
               for folder, _, names in os.walk(os.path.join(options.objects, part)) if "examples" not in folder
               for name in names if name.endswith(".o")]
    wanted = symbols("-u", *objects) - symbols("--defined-only", *objects)
    known = symbols("-D", "--defined-only", os.path.join(options.build, "fault_shim.so")) | harmless
    if not objects:
        sys.exit("there are no objects in " + options.objects)
    for name in sorted(wanted):
        if not name.startswith(LIBRARIES):
            table.check(name in known, f"imports: {name} is new: fault_shim.c disturbs it, or HARMLESS must contain the reason")


# System calls on files, by the name under which the shim counts them: it must have counted each.
KERNEL = {
    "open": ("open", "create", "opendir"), "stat": ("stat", "lstat", "fstatat"), "read": ("read", "input"),
    "write": ("write", "print"), "rename": ("rename", "renameat"), "unlink": ("unlink", "unlinkat", "rmdir"),
    "mkdir": ("mkdir", "mkdirat"), "link": ("link", "linkat"), "access": ("access", "faccessat"), "pread64": ("pread",),
    "utimensat": ("utimensat",), "fchmod": ("fchmod",), "flock": ("flock",), "fsync": ("fsync",), "symlink": ("symlink",),
    "ftruncate": ("ftruncate",),
}
SAME = {"openat": "open", "newfstatat": "stat", "lstat": "stat", "statx": "stat", "renameat": "rename",
        "renameat2": "rename", "unlinkat": "unlink", "rmdir": "unlink", "mkdirat": "mkdir", "linkat": "link",
        "faccessat": "access", "faccessat2": "access", "symlinkat": "symlink", "fdatasync": "fsync"}


def kernel_calls(place, command):
    """How often strace reports each kind after the start of the shim. A call without a path is on an open file, as the
    library makes it internally for a folder that it opens."""
    log = place.notes + "/strace"
    os.environ["FAULT_DOMAIN"] = "calls"
    done = subprocess.run(["strace", "-f", "-qq", "-o", log, "-E", "LD_PRELOAD=" + place.shim,
                           "-E", "FAULT_LOG=" + place.notes + "/log", os.path.join(place.build, command[0]), *command[1:]],
                          capture_output=True, cwd=place.folder, check=False)
    assert done.returncode >= 0, done.stderr
    counts, begun = {}, False
    with open(log, errors="replace") as lines:
        for line in lines:
            name = re.match(r"\d+ +(\w+)\(([^,)]*)", line)
            begun = begun or bool(name and name[1] == "dup3")
            if name and begun and not (name[1] == "write" and name[2] in ("900", "2")) and ', "", ' not in line:
                kind = SAME.get(name[1], name[1])
                counts[kind] = counts.get(kind, 0) + 1
    return counts


def trace(options, table):
    """Counts of both, for every scenario."""
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        table.skip("strace may not trace programs here")
        return
    place = Place(options.build, os.path.join(options.folder, "trace"))
    for name, scenario in fault_worlds.scenarios().items():
        if scenario.driver or scenario.prepare is fault_worlds.repository:
            continue  # drivers and other programs make separate calls
        if options.only and not re.search(options.only, name):
            continue
        place.clear()
        scenario.prepare(place)
        seen = kernel_calls(place, scenario.command)
        counts = {}
        for line in place.note("log").splitlines():
            call = Call(line)
            if call.about or call.name != "fstatat":
                counts[call.name] = counts.get(call.name, 0) + 1
        for kind, names in KERNEL.items():
            ours = sum(counts.get(name, 0) for name in names)
            theirs = seen.get(kind, 0)
            table.check(ours == theirs, f"trace, {name}: {theirs} calls of {kind}, and the shim saw {ours}")
    place.remove()


def leaks(options, table):
    """libent under a sanitizer, with each allocation failing: no leak, and no access to freed memory."""
    host = os.path.join(os.path.dirname(os.path.abspath(options.objects)), "sanitize", "tool_host")
    if not os.path.exists(host):
        table.skip("there is no " + host)
        return
    place = Place(options.build, os.path.join(options.folder, "leaks"))
    place.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=1:exitcode=99"
    place.environment["FAULT_SHARED"] = "0"  # the sanitizer allocates from the C library, too
    for name in ("libent", "libent bundle"):
        scenario = fault_worlds.scenarios()[name]
        command = [host, *scenario.command[1:]]
        place.clear()
        scenario.prepare(place)
        code, out, err = place.run(command, {"FAULT_DOMAIN": "memory"})
        table.check(code == 0, f"leaks, {name}: {code}, {out}{err}")
        for point in points_of_memory(scenario, [Call(line) for line in place.note("log").splitlines()]):
            code, _, err = place.run(command, point.faults())
            table.check(code in (0, 4), f"leaks, {name}: {point}: exit code {code}: {err[:2000]}")
    place.remove()


def options_read():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build")
    arguments.add_argument("folder")
    arguments.add_argument("parts", nargs="+")
    arguments.add_argument("--short", action="store_true", help="a sample: --points of each scenario and part")
    arguments.add_argument("--points", type=int, default=5)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--only", default="", help="scenarios whose names hold this")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--all", action="store_true", help="print each failure separately")
    return arguments.parse_args()


def programs_kept(build, folder):
    """Copies that do not change when another build runs at the same time."""
    kept = os.path.join(folder, "programs")
    os.makedirs(kept)
    for name in ("entc", "entrun", "tool_host", "fault_shim.so"):
        shutil.copy2(os.path.join(build, name), kept)
    return kept


def main():
    options = options_read()
    folder = os.path.join("/dev/shm" if os.path.isdir("/dev/shm") else options.folder, f"entc_faults_{os.getpid()}")
    options.objects, options.build, options.folder = options.build, programs_kept(options.build, folder), folder
    table = Table(options)
    number = multiprocessing.Value("i", 0)
    with multiprocessing.Pool(options.workers, worker_begin, (options.build, folder, number)) as pool:
        try:
            begun = time.time()
            for part in options.parts:
                if part not in PARTS:
                    {"imports": imports, "trace": trace, "leaks": leaks}[part](options, table)
            sweep(options, pool, table, [part for part in options.parts if part in PARTS])
            print(f"{time.time() - begun:.1f} s", flush=True)
        except BrokenScenario as broken:
            sys.exit(f"faults_all.py: {broken}")
        finally:
            subprocess.run(["rm", "-rf", folder], check=False)
    print(f"{table.passed} passed, {table.failed} failed" + (f", {table.skipped} skipped" if table.skipped else ""))
    sys.exit(1 if table.failed else 0)


main()
