"""Small sources that request too much: each is refused by its count, before anything is allocated.

    bombs.py BUILD FOLDER

Each of them must end with the given exit code and text, within one second of processor time and 64 MiB beyond
its own size and the need of an empty folder, and print the same at -j1, -j2 and -j4. The last line is the tally.
"""
import json
import os
import shutil
import struct
import sys
import tempfile

build, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ENTC = os.path.join(build, "entc")
SECONDS = 1.0
BYTES = 64 << 20
passed = failed = 0


def run(words, cwd):
    """Exit code, output, seconds of processor time, largest resident size in bytes."""
    with tempfile.TemporaryFile() as printed:
        pid = os.fork()
        if pid == 0:
            os.chdir(cwd)
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            os.execv(ENTC, [ENTC] + words)
        _, status, usage = os.wait4(pid, 0)
        printed.seek(0)
        text = printed.read().decode("utf-8", "replace")
    return os.waitstatus_to_exitcode(status), text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def write(root, files):
    for name, content in files.items():
        path = os.path.join(root, "src", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content = content if isinstance(content, (str, bytes)) else json.dumps(content)
        with open(path, "wb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
    return sum(len(open(os.path.join(root, "src", name), "rb").read()) for name in files)


def check(name, wanted, holds, why):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED  {name}: {wanted}: {why}")


def bomb(name, files, code, text, options=(), floor=[0]):
    root = os.path.join(folder, name)
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(os.path.join(root, "src"))
    if not floor[0]:
        got, printed, _, floor[0] = run(["build", "src", "-o", "empty"], root)
        check("an empty folder", "exit code 0", got == 0, f"{got}: {printed[:400]}")
    size = write(root, files)
    command = ["build", "src", "-o", "out", *options]
    got, printed, seconds, resident = run(command + ["-j2"], root)
    for _ in range(2):  # other programs on the machine make it slower, never faster
        if seconds > SECONDS:
            seconds = min(seconds, run(command + ["-j2"], root)[2])
    print(f"{name:24} {size:9} bytes  exit {got}  {seconds:5.2f} s  {(resident - floor[0]) >> 10:7} KiB beyond nothing")
    check(name, f"exit code {code}", got == code, f"{got}: {printed[:400]}")
    check(name, f'"{text}"', text in printed, printed[:400])
    check(name, "within a second", seconds <= SECONDS, f"{seconds:.2f} s")
    check(name, "within 64 MiB", resident - floor[0] <= size + BYTES, f"{(resident - floor[0]) >> 20} MiB")
    check(name, "no output", not os.path.exists(os.path.join(root, "out")), "there is some")
    for jobs in ("-j1", "-j4"):
        check(name, f"the same at {jobs}", run(command + [jobs], root)[:2] == (got, printed), "something else was printed")


def tower(levels, times, leaf, root="p", top=None):
    """Each entity instances the one before it this number of times."""
    files = {f"{root}0.entity.json": leaf}
    for i in range(1, levels):
        files[f"{root}{i}.entity.json"] = {
            "children": [{"name": f"c{k}", "prefab": f"{root}{i - 1}"} for k in range(times)]}
    if top:
        files["top.level.json"] = {"entities": [{"name": "top", "prefab": f"{root}{levels - 1}"}]}
    return files


def model(accessors, meshes=(), **more):
    document = {"asset": {"version": "2.0"}, "accessors": accessors, "meshes": list(meshes),
                "nodes": [{"mesh": 0}] if meshes else [{}], "scenes": [{"nodes": [0]}], "scene": 0}
    document.update(more)
    return document


def zeros(count, kind="VEC3"):
    return {"componentType": 5126, "count": count, "type": kind, "min": [0, 0, 0], "max": [0, 0, 0]}


MESH = {"primitives": [{"attributes": {"POSITION": 0}}]}

# --- prefabs ---

bomb("doubling", tower(40, 2, "{}"), 4, '"p39" has 1099511627775 entities after its prefabs are instanced; the limit is 4194303')
bomb("in one level", tower(11, 10, "{}", top="top"), 4, 'each instance of "p10" adds 11111111111 entities')
bomb("all together", tower(21, 2, {"components": {"transform": {}}}), 4, "; --max-output allows 64000000",
     ["--max-output", "64M"])
several = {"components": {"light": [{}] * 4000}}
bomb("arrays", tower(21, 2, several), 4, "--max-output allows 8000000000")
lights = {"children": [{"name": "a"}]}
overridden = tower(20, 2, {"prefab": "lights", "overrides": {"a": {"components": {"light": [{}] * 4000}}}})
bomb("overrides", {**overridden, "lights.entity.json": lights}, 4, "--max-output allows 8000000000")
chain = {"q0.entity.json": {"components": {"transform": {}}}}
for i in range(1, 45):
    chain[f"q{i}.entity.json"] = {"prefab": f"q{i - 1}", "components": {"transform": {"position": [i, 0, 0]}}}
bomb("layers", {**chain, **tower(22, 2, {"prefab": "q44"})}, 4, "component layers after its prefabs are instanced")
circle = tower(40, 2, {"prefab": "p39"})
bomb("in a circle", circle, 3, "cyclic prefab reference")
everyone = {f"e{i}.entity.json": {"children": [{"name": f"c{k}", "prefab": f"e{k}"} for k in range(30)]}
            for i in range(30)}
bomb("everyone in everyone", everyone, 3, "cyclic prefab reference")
bomb("two hundred deep", tower(200, 2, "{}"), 4, '"p199" has more than 1152921504606846976 entities')

# --- models ---

bomb("zeros", {"m.gltf": model([zeros(4294967294)], [MESH])}, 4, "51539607528 bytes of zeros; the limit is 67108864")
bomb("zeros in many files", {f"m{i}.gltf": model([zeros(2000000)], [MESH]) for i in range(100)}, 4,
     "2400000000 bytes of zeros; the limit is 67108864")
sparse = zeros(4294967294)
sparse["sparse"] = {"count": 1, "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 1}}
sparse["max"] = [1, 1, 1]
loose = model([sparse] * 100, buffers=[{"byteLength": 16, "uri": "data:application/octet-stream;base64,AAAAAAAAgD8AAIA/AACAPw=="}],
              bufferViews=[{"buffer": 0, "byteLength": 4}, {"buffer": 0, "byteOffset": 4, "byteLength": 12}])
bomb("unused sparse ones", {"m.gltf": loose, "x.entity.json": "{ \"wrong\": 1 }"}, 3, '"wrong"')


def floats(count):
    return b"".join(struct.pack("<3f", i % 97, i // 97, i % 31) for i in range(count))


data = floats(20000)
view = {"buffers": [{"uri": "m.bin", "byteLength": len(data)}], "bufferViews": [{"buffer": 0, "byteLength": len(data)}]}
points = {"componentType": 5126, "count": 20000, "type": "VEC3", "bufferView": 0, "min": [0, 0, 0], "max": [96, 206, 30]}
many = [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}] * 10000
bomb("one array, many meshes", {"m.bin": data, "m.gltf": model([points], many, **view)}, 4, "--max-output allows 8000000000")
strips = [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}] * 10000}]
bomb("one array, many strips", {"m.bin": data, "m.gltf": model([points], strips, **view)}, 4, "--max-output allows 8000000000")
times = struct.pack("<20000f", *range(20000))
clips = {"nodes": [{} for _ in range(30000)], "scenes": [{"nodes": list(range(30000))}],
         "buffers": [{"uri": "m.bin", "byteLength": len(data)}, {"uri": "t.bin", "byteLength": len(times)}],
         "bufferViews": [{"buffer": 0, "byteLength": len(data)}, {"buffer": 1, "byteLength": len(times)}],
         "animations": [{"channels": [{"sampler": 0, "target": {"node": i, "path": "translation"}} for i in range(30000)],
                         "samplers": [{"input": 1, "output": 0}]}]}
keys = {"componentType": 5126, "count": 20000, "type": "SCALAR", "bufferView": 1, "min": [0], "max": [19999]}
bomb("one sampler, many nodes", {"m.bin": data, "t.bin": times, "m.gltf": model([points, keys], **clips)}, 4,
     "--max-output allows 8000000000")
deep = current = {}
for _ in range(100):
    current["light.range_m"] = current = {}
hostile = {"light.range_m": -1, **{f"p{i}.\"\n\\": "q\"\n\\" for i in range(250000)}, "light": deep, "prefab": ["a"] * 10000}
bomb("many properties", {"m.gltf": model([], nodes=[{"name": "a \"name\"\n", "extras": hostile}])}, 3,
     "range_m must be from 0.001 to 1000000 m, not -1", ("--diag-format", "json"))

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
