"""The commands that faults_all.py disturbs, each in a small separate folder: the initial files, the command, and
how a disturbed run is finished afterwards."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from build_world import entity, level, model, model_complete, sources_after, sources_before, sources_invalid, text, triangle, write

SECONDS_MAX = 120  # a software device compiles its kernels beside other work


class TimedOut(Exception):
    """A program ran longer than SECONDS_MAX."""


def alarm_rings(_number, _frame):
    raise TimedOut()


class Place:
    """A folder that is the current one of this process, and programs that run in it."""

    def __init__(self, build, folder):
        self.build = os.path.abspath(build)
        self.shim = os.path.join(self.build, "fault_shim.so")
        self.folder = os.path.abspath(folder)
        self.notes = self.folder + ".notes"  # output of programs, and the log of the shim
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("FAULT_", "ENTC_", "ASAN_", "MAKE")) and k != "LD_PRELOAD"}
        self.seen = {}  # path: (stamp, content), at the last check
        signal.signal(signal.SIGALRM, alarm_rings)
        shutil.rmtree(self.notes, ignore_errors=True)
        os.makedirs(self.notes)
        self.clear()

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        os.chdir(self.folder)
        self.seen = {}
        self.preloaded = self.shim

    def ignore_case(self):
        """Until the folder is cleared, programs find files by names in which the case differs."""
        self.preloaded = self.shim + ":" + os.path.join(self.build, "case_shim.so")

    def remove(self):
        os.chdir("/")
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.notes, ignore_errors=True)

    def put(self, files, below="src"):
        for name, content in files.items():
            write(os.path.join(self.folder, below, name), content)

    def start(self, command, faults=None):
        """Starts the process; `faults` are the variables of the shim."""
        environment = dict(self.environment, LD_PRELOAD=self.preloaded)  # always: results depend on it, too
        if faults is not None:
            environment.update(faults, FAULT_LOG=self.notes + "/log")
        program = os.path.join(self.build, command[0])
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        return os.posix_spawn(program, [program, *command[1:]], environment, file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, self.notes + "/out", flags, 0o666),
            (os.POSIX_SPAWN_OPEN, 2, self.notes + "/err", flags, 0o666)])

    def note(self, name):
        with open(os.path.join(self.notes, name), "rb") as file:
            return file.read().decode(errors="replace")

    def run(self, command, faults=None, reap=True):
        """(exit code, stdout, stderr); negative when a signal ended it. Without `reap` a killed process stays a zombie,
        as it does when a build follows a kill immediately; (pid, ...) then."""
        pid = self.start(command, faults)
        signal.alarm(SECONDS_MAX)
        try:
            end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        except TimedOut:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        finally:
            signal.alarm(0)
        code = end.si_status if end.si_code == os.CLD_EXITED else -end.si_status
        if reap:
            os.waitpid(pid, 0)
        result = (code, self.note("out"), self.note("err"))
        return result if reap else (pid, *result)

    def look(self):
        """{path: (stamp, content)}; an empty folder as "path/". Files with an unchanged stamp are not read."""
        seen = {}
        self.look_below("", seen)
        self.seen = seen
        return seen

    def look_below(self, below, seen):
        empty = True
        with os.scandir(below or ".") as entries:
            for entry in entries:
                empty = False
                path = below + entry.name
                if entry.is_dir(follow_symlinks=False):
                    self.look_below(path + "/", seen)
                    continue
                info = entry.stat(follow_symlinks=False)
                stamp = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_mode)
                known = self.seen.get(path)
                seen[path] = known if known and known[0] == stamp else (stamp, content_of(path))
        if empty and below:
            seen[below] = (None, None)


def content_of(path):
    if os.path.islink(path):
        return b"link to " + os.readlink(path).encode()
    if not os.path.isfile(path):
        return b"no regular file"
    with open(path, "rb") as file:
        return file.read()


def contents(seen):
    """{path: bytes} by which programs are judged: the build database contains stamps, and a journal or the mark of
    init exist only between two steps; their contents matter only to entc."""
    return {path: content for path, (_, content) in seen.items()
            if not path.endswith(("/.entc.move", "/.entc.init"))
            and not re.match(r"\.git/|(\.[^/]+|out/)\.entc/", path)}


# --- scenarios ---

class Scenario:
    """A command, how its folder is prepared, and what may differ between two correct runs."""

    def __init__(self, name, command, prepare, cached=False, volatile=None, finish=None, jobs=False, printed=None,
                 limits=(4,), twice=False, driver=False, code=0):
        self.name = name
        self.command = command.split()
        self.prepare = prepare  # (place)
        self.cached = cached  # entries of cache/ may be missing
        self.volatile = volatile or {}  # path: function of its content that is equal in every correct run
        self.finish = finish  # in place of the command, one after the other
        self.jobs = jobs  # is also killed with -j2
        self.printed = printed or (lambda out: out)  # the part of standard output that is equal in every correct run
        self.limits = limits  # exit codes when memory or descriptors are exhausted
        self.twice = twice  # does everything twice, and succeeds the second time if only one call fails
        self.driver = driver  # loads a graphics driver: slow, and allocations of the library are not counted
        self.code = code  # without a fault


def sources_complete():
    """The files of sources_after(), and one of every other type that a folder may contain."""
    return {
        **sources_after(),
        "entc.json": text({"languages": ["fr"], "platforms": ["mobile"]}),
        "all.package.json": text({"roots": ["levels/yard.level", "mud.material"]}),
        "small.package.json": text({"roots": ["mud.material"]}),
        "game/health.component.json": text({
            "text": "what can be damaged", "several": False,
            "fields": {"points": {"type": "f32", "default": 100, "min": 0, "max": 1000, "text": "left"}}}),
        "props/barrel.entity.json": entity({"health": {"points": 30}}),
    }


def sources_complete_before():
    sources = sources_complete()
    for name in sources_after():
        sources.pop(name)
    return {**sources_before(), **sources}


def prepared(place, *commands, sources=None):
    place.put(sources_complete() if sources is None else sources)
    for command in commands:
        code, _, err = place.run(command.split())
        assert code == 0, (command, err)


def changed(place, *commands):
    """A folder that was built, then edited."""
    prepared(place, *commands, sources=sources_complete_before())
    for name in set(sources_complete_before()) - set(sources_complete()):
        os.unlink("src/" + name)
    os.removedirs("src/attic/old")
    before = sources_complete_before()
    place.put({name: content for name, content in sources_complete().items() if content != before.get(name)})


def listed(place, *commands, sources=None):
    """The list of files that the graph for ninja writes, for an edge of it."""
    prepared(place, GRAPH, *commands, sources=sources)


def other_names(place):
    """Files as other programs name them."""
    prepared(place)
    place.put({"My Kit/Box.GLTF": model("crate_data.bin"), "My Kit/Crate Data.BIN": triangle(1), "My Kit/notes.txt": b"x",
               "My Kit/deep/Flag.glb": model_complete(1)})


def other_case(place):
    """Files whose names differ from the canonical ones in case only, on a file system that ignores case."""
    prepared(place)
    place.put({"Kit/Box.GLTF": model("CRATE.bin"), "Kit/Crate.BIN": triangle(1), "Kit/Deep/Flag.glb": model_complete(1),
               "M\u00f6bel/Deep/Flag.glb": model_complete(2)})
    place.ignore_case()


def edge_invalid(place):
    listed(place, EDGE, sources=sources_complete())
    place.put({"props/lamp.entity.json": entity({"transform": {"scale": "large"}})})


def without_variants(place):
    """A build of this folder stores the references."""
    prepared(place)
    os.unlink("src/props/sign.fr.entity.json")


def edited_invalid(place, *commands):
    changed(place, *commands)
    place.put({"levels/yard.level.json": sources_invalid()["levels/yard.level.json"]})


def warm_cache(place):
    prepared(place, "entc build src -o other -j1 --cache cache")
    shutil.rmtree("other")
    shutil.rmtree(".other.entc")


def stamped_cache(place):
    """Which entries are the oldest must not depend on how fast they were written."""
    warm_cache(place)
    for at, (folder, _, names) in enumerate(sorted(os.walk("cache"))):
        for name in names:
            os.utime(os.path.join(folder, name), (1000 + at, 1000 + at))


def two_outputs(place):
    changed(place, "entc build src -o old -j1")
    code, _, err = place.run("entc build src -o out -j1".split())
    assert code == 0, err


def report_shape(content):
    """The part that is equal whichever resources had to be compiled, and however long it took."""
    def shape(value):
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items()
                    if key not in ("time_us", "memory_bytes", "compiled", "from_cache", "from", "why")}
        return sorted(map(shape, value), key=str) if isinstance(value, list) else value
    return json.dumps(shape(json.loads(content)), sort_keys=True).encode()


BUILD = "entc build src -o out -j1"
GRAPH = BUILD + " --emit-ninja build.ninja --batch 3"
EDGE = ("entc compile src props/lamp.entity levels/yard.level mud.material --inputs build.ninja.inputs -o out -j1"
        " -MD -MF lamp.d -MT out/lamp --depfile-format ninja")
BUDGET = text({"total": 40e6, "types": {"level": 8e6}})


def with_budget(place):
    prepared(place)
    write("./budget.json", BUDGET)


def saved(place):
    """A folder that was built, with references that were stored after the time stamps of all files."""
    prepared(place, BUILD)
    time.sleep(0.05)
    prepared(place, "entc refs src mud.material -o out", sources={})


def saved_edited(place):
    """The same; afterwards a source was edited to which others refer."""
    saved(place)
    place.put({"props/lamp.entity.json": entity({"light": [{"kind": "point", "range_m": 5}]})})


def declared(place):
    prepared(place, "entc schema src -o schema")
    write("src/game/mass.component.json", text({"text": "of a body", "fields": {"kg": {"type": "f32", "default": 1}}}))


def component_blobs(place):
    prepared(place, BUILD + " --source-map")
    write("src/game/health.component.json", text({"text": "other", "fields": {"hp": {"type": "u32", "default": 1}}}))
    prepared(place, "entc build src -o new -j1", sources={"props/barrel.entity.json": entity({"health": {"hp": 3}})})


def scenarios():
    """All, by name."""
    rows = [
        Scenario("build clean", BUILD, prepared, jobs=True),
        Scenario("build storing", BUILD, without_variants, jobs=True),
        Scenario("build changed", BUILD, lambda p: changed(p, BUILD), jobs=True),
        Scenario("build idle", BUILD, lambda p: prepared(p, BUILD)),
        Scenario("build cold cache", BUILD + " --cache cache", prepared, cached=True, jobs=True),
        Scenario("build warm cache", BUILD + " --memory 1 --cache cache", warm_cache, cached=True, jobs=True),
        Scenario("build maps", BUILD + " --memory 1 --source-map", lambda p: changed(p, BUILD + " --source-map"),
                 jobs=True),
        Scenario("build maps new", BUILD + " --source-map", lambda p: prepared(p, BUILD)),
        Scenario("build maps gone", BUILD, lambda p: changed(p, BUILD + " --source-map")),
        Scenario("build failing", BUILD + " --memory 1", lambda p: edited_invalid(p, BUILD), code=3),
        Scenario("build json", BUILD + " --diag-format json", lambda p: edited_invalid(p, BUILD), code=3),
        Scenario("build sarif", BUILD + " --diag-format sarif", lambda p: edited_invalid(p, BUILD), code=3),
        Scenario("build check same", BUILD + " --check", lambda p: prepared(p, BUILD)),
        Scenario("build check other", BUILD + " --check", lambda p: changed(p, BUILD), code=3),
        Scenario("build dry run", BUILD + " --dry-run", lambda p: changed(p, BUILD)),
        Scenario("build report", BUILD + " --report report.json --budget budget.json", with_budget,
                 volatile={"report.json": report_shape}),
        Scenario("build ninja", BUILD + " --emit-ninja build.ninja", prepared),
        Scenario("build list", BUILD + " --list-outputs", prepared),
        Scenario("check", "entc check src -j1", prepared, jobs=True),
        Scenario("check cached", "entc check src -j1 --cache cache", prepared, cached=True),
        Scenario("check variants", "entc check src --variants -j1", prepared),
        Scenario("build variant", BUILD + " --lang fr --strip --target big", lambda p: prepared(p, BUILD)),
        Scenario("compile", "entc compile src levels/yard.level -o out/yard -j1 -MD -MF out/yard.d --source-map", prepared,
                 jobs=True),
        Scenario("compile again", "entc compile src levels/yard.level -o yard -j1 -MD -MF yard.d",
                 lambda p: changed(p, "entc compile src levels/yard.level -o yard -j1 -MD -MF yard.d")),
        Scenario("compile check", "entc compile src levels/yard.level -o yard -j1 --check",
                 lambda p: changed(p, "entc compile src levels/yard.level -o yard -j1"), code=3),
        Scenario("batch new", EDGE, listed, finish=[EDGE, GRAPH]),
        Scenario("batch again", EDGE, lambda p: changed(p, GRAPH, EDGE), finish=[EDGE, GRAPH]),
        Scenario("batch failing", EDGE, edge_invalid, code=3),
        Scenario("deps list", "entc deps src levels/yard.level --inputs yard.inputs", prepared),
        Scenario("why", "entc why src -o out", lambda p: changed(p, BUILD)),
        Scenario("why one", "entc why src levels/yard.level -o out", lambda p: changed(p, BUILD)),
        Scenario("mv resource", "entc mv src props/lamp.entity props/small/bulb.entity", prepared, finish=["entc build src -o out -j1"]),
        Scenario("mv folder", "entc mv src props furniture/props", prepared, finish=["entc build src -o out -j1"]),
        Scenario("mv model", "entc mv src models/box.entity boxes/crate.entity", prepared, finish=["entc build src -o out -j1"]),
        Scenario("mv saved", "entc mv src props/lamp.entity props/small/bulb.entity -o out", saved,
                 finish=["entc build src -o out -j1"]),
        Scenario("mv folder saved", "entc mv src props furniture/props -o out", saved,
                 finish=["entc build src -o out -j1"]),
        Scenario("mv entity saved", "entc mv src props/gate.entity:lamp bulb -o out", saved,
                 finish=["entc build src -o out -j1"]),
        Scenario("mv unsaved", "entc mv src props/lamp.entity props/small/bulb.entity -o out",
                 lambda p: prepared(p, BUILD), finish=["entc build src -o out -j1"]),
        Scenario("refs saved", "entc refs src props/lamp.entity -o out", saved),
        Scenario("refs edited", "entc refs src props/lamp.entity -o out", saved_edited,
                 finish=["entc build src -o out -j1"]),
        Scenario("mv edited", "entc mv src props/gate.entity props/fence.entity -o out", saved_edited,
                 finish=["entc build src -o out -j1"]),
        Scenario("mv canonical", "entc mv src --canonical", other_names, finish=["entc build src -o out -j1"]),
        Scenario("mv other case", "entc mv src --canonical", other_case, finish=["entc build src -o out -j1"]),
        Scenario("mv dry run", "entc mv src props furniture/props --dry-run", prepared),
        Scenario("rm", "entc rm src cellar/rat.entity", prepared, finish=["entc build src -o out -j1"]),
        Scenario("rm variants", "entc rm src props/sign.entity", prepared, finish=["entc build src -o out -j1"]),
        Scenario("rm refused", "entc rm src props/lamp.entity", prepared, code=3),
        Scenario("pack", "entc pack out -o all.pak --level 3 -j1", lambda p: prepared(p, BUILD), jobs=True),
        Scenario("pack one", "entc pack out -o small.pak --package small --level 3 -j1", lambda p: prepared(p, BUILD)),
        Scenario("pack all", "entc pack out -o all.pak --level 0 -j1",
                 lambda p: prepared(p, BUILD, sources=sources_after())),
        Scenario("pack again", "entc pack out -o all.pak --level 3 -j1",
                 lambda p: changed(p, BUILD, "entc pack out -o all.pak --level 3 -j1", )),
        Scenario("list", "entc list all.pak", packed),
        Scenario("unpack", "entc unpack all.pak -o un/packed -j1", packed, jobs=True),
        Scenario("verify bundle", "entc verify all.pak", packed),
        Scenario("cache trim", "entc cache --trim 3000 --cache cache", stamped_cache),
        Scenario("schema", "entc schema src -o schema", declared),
        Scenario("schema plain", "entc schema -o schema", prepared),
        Scenario("schema check", "entc schema src -o schema --check", declared, code=3),
        Scenario("init", "entc init project", lambda p: None),
        Scenario("codegen", "entc codegen src -o game.h", prepared),
        Scenario("codegen out", "entc codegen src", prepared),
        Scenario("deps", "entc deps src levels/yard.level --all", prepared),
        Scenario("refs", "entc refs src props/lamp.entity", prepared),
        Scenario("refs json", "entc refs src props/lamp.entity --json", prepared),
        Scenario("unused", "entc unused src", prepared, code=1),
        Scenario("dump", "entc dump out/levels/yard.level", lambda p: prepared(p, BUILD)),
        Scenario("dump declared", "entc dump out/props/barrel.entity --json", lambda p: prepared(p, BUILD)),
        Scenario("dump annotated", "entc dump out/levels/yard.level --annotate", lambda p: prepared(p, BUILD + " --source-map")),
        Scenario("diff folders", "entc diff old out", two_outputs, code=1),
        Scenario("diff json", "entc diff old/levels/yard.level out/levels/yard.level --json", two_outputs, code=1),
        Scenario("diff declared", "entc diff out/props/barrel.entity new/props/barrel.entity", component_blobs, code=1),
        Scenario("verify", "entc verify out/levels/yard.level out/props/barrel.entity out/mud.material",
                 lambda p: prepared(p, BUILD + " --source-map")),
        Scenario("info folder", "entc info out", lambda p: prepared(p, BUILD)),
        Scenario("info bundle", "entc info all.pak", packed),
        Scenario("conform", "entc conform out/game/health.component new/game/health.component", component_blobs),
        Scenario("setup-git", "entc setup-git --print", lambda p: None),
        Scenario("help", "entc help build", lambda p: None),
        Scenario("dump from git", "entc dump aside/barrel", repository),
        Scenario("entrun", "entrun out --level levels/yard --stats", lambda p: prepared(p, BUILD), printed=without_times),
        Scenario("entrun bundle", "entrun all.pak --level levels/yard --stats", packed, printed=without_times),
        Scenario("entrun csv", "entrun out --level levels/pool --frames 1 --csv out.csv", pool, printed=without_numbers,
                 volatile={"out.csv": without_times}, limits=(4, 6), driver=True),
        Scenario("entrun png", "entrun out --level levels/pool --frames 1 --size 64x48 --png out.png", pool,
                 printed=without_numbers, volatile={"out.png": is_complete_png}, limits=(4, 6), driver=True),
        Scenario("libent", "tool_host new levels/yard out/levels/yard.level new/levels/yard.level", two_states, twice=True),
        Scenario("libent bundle", "tool_host all.pak levels/yard out/levels/yard.level new/levels/yard.level",
                 two_states, twice=True),
    ]
    return {row.name: row for row in rows}


def repository(place):
    """A blob whose declarations exist only in a commit."""
    prepared(place, BUILD)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q", "--template="], ["add", "src"], ["commit", "-qm", "sources"]):
        subprocess.run(git + words, check=True, env=place.environment)
    os.mkdir("aside")
    os.rename("out/props/barrel.entity", "aside/barrel")
    shutil.rmtree("out")
    shutil.rmtree("src")


def without_times(content):
    """Times and rates differ in each run."""
    if isinstance(content, bytes):
        return without_times(content.decode()).encode()
    return re.sub(r" *\d+\.\d+", " #", content)


def without_numbers(content):
    """The names of the passes, and everything that does not depend on the speed of the machine."""
    return re.sub(r"[ \d.]*\d", " #", content)


def is_complete_png(content):
    """Two runs of a software device differ in a few pixels."""
    return b"a whole picture" if content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82") else content


def pool(place):
    """A fluid, and the components needed to draw it."""
    prepared(place, BUILD, sources={"levels/pool.level.json": level(
        {"name": "water", "components": {"transform": {}, "fluid": {
            "half_extent_m": [0.3, 0.3, 0.3], "spacing_m": 0.1, "smoothing_radius_m": 0.2, "rest_density_kg_m3": 1000,
            "stiffness": 300, "viscosity": 200, "particle_mass_kg": 1, "step_s": 0.004, "substeps": 4}}},
        {"name": "ground", "components": {"transform": {}, "collider": {"normal": [0, 1, 0]}}},
        {"name": "eye", "components": {"transform": {"position": [0, 1, 3]}, "camera": {"vertical_fov_rad": 0.8, "far_m": 50}}})})


def two_states(place):
    prepared(place, BUILD)
    place.put({"levels/yard.level.json": level(
        {"name": "gate", "prefab": "props/gate", "components": {"transform": {"position": [7, 8, 9]}}},
        {"name": "barrel", "prefab": "props/barrel"},
        {"name": "box", "prefab": "models/box"})})
    prepared(place, "entc build src -o new -j1", "entc pack new -o all.pak --level 3 -j1", sources={})


def packed(place):
    prepared(place, BUILD, "entc pack out -o all.pak --level 3 -j1")
