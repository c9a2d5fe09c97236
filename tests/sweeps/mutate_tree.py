"""What both modes of mutate.py share: a private copy of the tree, suites that run in it under limits, and recorded results.

A failure of a suite counts as "noticed" only because the suite passes without a change. So every suite runs on the unchanged
tree first (`baseline`), with the limits of all later runs, and again (`confirm`) after a change made it fail. If it fails
then, the run ends with exit code 2 and the output of the suite.
"""
import contextlib
import csv
import hashlib
import mmap
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from mutate_source import ROOT

BASELINE_SECONDS = 300

PRELUDE = """/* What the changes of a file need; the environment of each process selects the one in effect. */
#ifndef MUTATION_H
#define MUTATION_H
/* No header: what a file defines before it includes one would come too late. Only functions that compiler and runtime
 * import, too: the suites compare what these import with a list. */
char* getenv(const char*);
int   open(const char*, int, ...);
int   close(int);
void* mmap(void*, __SIZE_TYPE__, int, int, int, long);
__attribute__((weak)) unsigned mutation_now, mutation_begun;
__attribute__((weak)) unsigned char* mutation_seen;
__attribute__((constructor)) static void mutation_begin(void) {
    const char *now = getenv("MUTATION"), *seen = getenv("MUTATION_SEEN");
    if (mutation_begun++) return;
    for (; now && *now; now++) mutation_now = mutation_now * 10 + (unsigned)(*now - '0');
    if (!seen) return;
    const int file = open(seen, %d /* O_RDWR | O_CLOEXEC */);
    if (file < 0) return; /* another user's process */
    void* bytes = mmap(0, %d, %d /* PROT_READ | PROT_WRITE */, %d /* MAP_SHARED */, file, 0);
    if (bytes != (void*)-1) mutation_seen = bytes;
    close(file);
}
__attribute__((always_inline)) static inline void mutation_reach(unsigned id) {
    if (mutation_seen) mutation_seen[id] = 1;
}
__attribute__((always_inline)) static inline int mutated(unsigned id, int gone, int is) {
    mutation_reach(id);
    return mutation_now == id ? !is : mutation_now == id + 1 ? gone : is;
}
#endif
"""


def stop(message):
    """An error of the run itself: nothing can be concluded from suites that fail."""
    print(message, file=sys.stderr, flush=True)
    sys.exit(2)


def excerpt(printed):
    """The end of the output of a suite, without the lines of tests that passed."""
    return "\n".join(line for line in printed.split("\n") if "       OK" not in line and "RUN  " not in line)[-3000:]


def first_failed(printed):
    failed = re.search(r"^\[  FAILED  \] (?!\d+ test)(.+)$", printed, re.M)
    return failed.group(1) if failed else "crash"


def digest(root, *without):
    """A hash of the files below a folder, but of none that is built or whose path begins with one of these."""
    total = hashlib.sha256()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - {"build", "out", ".git", "__pycache__"})
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.relpath(path, root).startswith(without):
                with open(path, "rb") as file:
                    total.update(os.path.relpath(path, root).encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return total.hexdigest()


class Tree:
    """A copy of the sources and of the build, in which `make` rebuilds what is changed."""

    def __init__(self, folder, options, is_built=False):
        self.folder, self.jobs, self.memory = folder, max(1, options.jobs), options.memory << 20
        self.build = os.path.relpath(os.path.join(ROOT, options.build), ROOT)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "MUTATION"))}
        os.makedirs(self.folder, exist_ok=True)
        if is_built:
            return
        for entry in sorted(os.listdir(ROOT)):
            if entry not in ("build", "out", ".git"):
                self.copy(entry)
        self.copy(self.build)

    def copy(self, path):
        """Like cp -a --update: with the times, so that `make` finds everything up to date."""
        path_from, to = os.path.join(ROOT, path), os.path.join(self.folder, path)
        if os.path.isfile(path_from):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            here, copied = os.stat(path_from), os.stat(to) if os.path.exists(to) else None
            if not copied or (here.st_mtime_ns, here.st_size) != (copied.st_mtime_ns, copied.st_size):
                if copied:
                    os.unlink(to)  # the file may be in execution
                shutil.copy2(path_from, to)
            return
        names = set(os.listdir(path_from)) - {"scratch", "__pycache__", "check", "s390x"}
        if os.path.isdir(to):
            for gone in set(os.listdir(to)) - names - {"scratch", "__pycache__"}:
                left = os.path.join(to, gone)
                shutil.rmtree(left) if os.path.isdir(left) else os.unlink(left)
        os.makedirs(to, exist_ok=True)
        for name in sorted(names):
            self.copy(os.path.join(path, name))

    def duplicates(self, count):
        """This copy and more of them, one for each of `count` workers."""
        trees = [self]
        for i in range(1, count):
            folder = "%s_%d" % (self.folder, i)
            subprocess.run(["rm", "-rf", folder], check=True)
            subprocess.run(["cp", "-a", self.folder, folder], check=True)
            trees.append(Tree.__new__(Tree))
            trees[-1].__dict__ = dict(self.__dict__, folder=folder)
        return trees

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def write_prelude(self, count):
        """The header that changed files include; `count` is above all ids."""
        self.write("formats/base/mutation.h", PRELUDE % (os.O_RDWR | os.O_CLOEXEC, count, mmap.PROT_READ | mmap.PROT_WRITE,
                                                         mmap.MAP_SHARED))

    def make(self, *targets, flags=""):
        """Builds; returns the messages of the compiler, or None.

        Without `keep` of the Makefile: what was built with other warnings is not built again."""
        linker = ["LDFLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") and "sanitize" not in self.build else []
        run = subprocess.run(["make", "-k", "-j%d" % self.jobs, "BUILD=" + self.build, "keep=", "WARNINGS=-w", "CFLAGS=" + flags,
                              "config=" + os.path.basename(self.build), *linker, *targets],
                             cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return None if run.returncode == 0 else run.stdout + run.stderr

    def suite(self, name, seconds, **environment):
        """(how it ended or None if it passed, seconds of processor time, output)

        The memory that a program may write is limited, not its address space: tests map sparse files of gigabytes."""
        def limits():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30, 8 << 30))
            if "sanitize" not in self.build:
                resource.setrlimit(resource.RLIMIT_DATA, (self.memory, self.memory))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([os.path.join(self.build, "tests", "run"), name], cwd=self.folder,
                                       env=dict(self.environment, **environment), stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output, preexec_fn=limits)
            try:
                code = process.wait(timeout=20 * seconds + 60)
            except subprocess.TimeoutExpired:
                code = None
            finally:  # also the programs that it started, and also when this script is ended
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            output.seek(0)
            printed = output.read().decode("utf-8", "replace")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        failure = None if code == 0 else "no end in time" if code is None else "exit code %d" % code
        return failure, spent, printed

    def unchanged(self, name, seconds, **environment):
        """Runs a suite without a change, and ends the run unless it passes; returns its duration."""
        failure, spent, printed = self.suite(name, seconds, MUTATION="0", **environment)
        if failure:
            stop("the suite \"%s\" fails without any change, so its failures mean nothing: %s\n%s"
                 % (name, failure, excerpt(printed)))
        return spent

    def confirm(self, name, spent):
        self.unchanged(name, seconds_of(spent))


def seconds_of(spent):
    """The bound of a suite with a change, from its duration without one."""
    return 4 * spent + 3


class Baseline:
    """For each suite that may be used: its duration on the unchanged tree, and the changes that it reaches.

    `count` is above all ids of changes. An interrupted run that is continued has recorded both, for `digest_of(suite)`."""

    def __init__(self, tree, count, resume, digest_of):
        self.tree, self.count, self.resume, self.digest_of = tree, count, resume, digest_of
        self.times, self.seen = {}, {}
        self.folder = tree.folder + "_baseline"
        os.makedirs(self.folder, exist_ok=True)

    def path(self, suite):
        return os.path.join(self.folder, suite.replace("/", "_").replace(" ", "_"))

    def recorded(self, suite):
        """(digest, duration) of an earlier run, in which it passed."""
        if not os.path.exists(self.path(suite) + ".time"):
            return None, None
        with open(self.path(suite) + ".time", encoding="utf-8") as file:
            of, spent = file.read().split()
        return of, float(spent)

    def include(self, suites):
        """Runs those that were not run before."""
        for suite in sorted(set(suites) - set(self.times)):
            of, spent = self.recorded(suite)
            if not self.resume or of != self.digest_of(suite):
                spent = self.run(suite)
            self.times[suite] = spent
            with open(self.path(suite), "rb") as file:
                self.seen[suite] = file.read()

    def run(self, suite):
        path = self.path(suite)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + ".time")
        with open(path, "wb") as file:
            file.truncate(self.count)
        os.chmod(path, 0o666)  # tests run programs as another user
        spent = self.tree.unchanged(suite, BASELINE_SECONDS, MUTATION_SEEN=path)
        print("    suite %-20s %6.1f s" % (suite, spent), flush=True)
        with open(path + ".time", "w", encoding="utf-8") as file:
            file.write("%s %f" % (self.digest_of(suite), spent))
        return spent

    def reached(self, suites, number):
        return [s for s in suites if self.seen[s][number]]


class Progress:
    """A file of results: rows of five words that identify a change, and its result."""

    def __init__(self, path, resume):
        self.known = {}
        self.lock = threading.Lock()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if resume and os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.reader(file):
                    if len(row) == 6 and (tuple(row[:5]) not in self.known or not row[5].startswith("passed")
                                          or self.known[tuple(row[:5])].startswith(("passed", "other code"))):
                        self.known[tuple(row[:5])] = row[5]
        self.file = open(path, "a" if resume else "w", newline="", encoding="utf-8")

    def add(self, key, result):
        with self.lock:
            self.known[key] = result
            csv.writer(self.file).writerow([*key, result])
            self.file.flush()


def function_hashes(source):
    """{function: hash of its code}"""
    return {name: hashlib.sha256(source.code(first - 1, end + 1).encode()).hexdigest()[:12]
            for name, _, first, end in source.functions()}
