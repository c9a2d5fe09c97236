"""bench_texture.py - the rows of textures in bench.py: compiling images, and loading what was compiled."""
import os
import shutil

SIDE = 4096
MANY = 16


def remove(*paths):
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.entc"), ignore_errors=True)


def images(program, folder, count, side, run):
    """A folder with so many different images."""
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        path = f"{folder}/image_{i}.png"
        if not os.path.exists(path):
            run([program, "image", path, str(side), str(i)])
    return folder


def bench_texture(entc, program, work, add, in_turn, run):
    one, many = images(program, f"{work}/image", 1, SIDE, run), images(program, f"{work}/images", MANY, SIDE, run)
    out = f"{work}/textures"

    def build(folder, threads, *more):
        return [entc, "build", folder, "-o", out, "-q", "-j", str(threads), *more]

    def fresh():
        remove(out)

    ours, plain = in_turn([build(one, 1), [program, "plain", f"{one}/image_0.png", f"{work}/plain.bin"]], 5,
                          before=fresh)
    add("texture of 4096 x 4096; png to bc1 with all levels / plain loops", SIDE, ours[0] * 1e3, "ms",
        ours[0] / plain[0], 1.15)
    single, double = in_turn([build(many, 1), build(many, 2)], 3, before=fresh)
    add("16 such textures; -j2 against -j1", MANY, double[0] * 1e3, "ms", single[0] / double[0], 1.7, "more")
    cache = f"{out}-cache"
    remove(cache)
    in_turn([build(one, 1, "--cache", cache)], 1, before=fresh)
    clean, hit = in_turn([build(one, 1), build(one, 1, "--cache", cache)], 5, before=fresh)
    add("such a texture; clean build / from the cache", 1, hit[0] * 1e3, "ms", clean[0] / hit[0], 8, "more")
    remove(cache)
