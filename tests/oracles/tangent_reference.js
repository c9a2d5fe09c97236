// tangent_reference.js - compares computed tangents with those of npm's mikktspace, corner by corner.
//
//   node tests/oracles/tangent_reference.js NODE_MODULES TOOL FILE
//
// First random surfaces with seams, mirrored and collapsed texture coordinates, repeated and turned triangles, and
// triangles with two equal corners, whose tangents TOOL (tool_tangents) computes from the same corners in the same order.
// Then FILE: what model_oracle.py writes with TANGENTS=FILE, a JSON line for each compiled surface: [title, triangles,
// tangents, displaced, unique]; a triangle is three corners [position, normal, uv]. Its triangles have another order
// than those of the file, so that only corners are compared whose tangent does not depend on it. The last line is
// the tally; corners for which the reference has no direction are counted apart.
'use strict'
const fs = require('fs')
const path = require('path')
const { spawnSync } = require('child_process')
const { generateTangents } = require(path.resolve(process.argv[2], 'mikktspace'))

// The reference does not sort the edges of its last vertex, and misses neighbours there: these are of another triangle.
const LAST = [[[9e3, 0, 0], [0, 0, 1], [0, 0]], [[9e3, 1, 0], [0, 0, 1], [1, 0]], [[9e3, 0, 1], [0, 0, 1], [0, 1]]]

let compared = 0
let without = 0
let different = 0
let worst = 0

const stream = (corners, at) => Float32Array.from(corners.map(corner => corner[at]).flat())

function compare (title, corners, stored, displaced, unique) {
  const all = corners.concat(LAST)
  const wanted = generateTangents(stream(all, 0), stream(all, 1), stream(all, 2))
  for (let i = 0; i < corners.length; i++) {
    const want = wanted.slice(i * 4, i * 4 + 4)
    const got = stored[i]
    const isDefault = want[0] === 1 && want[1] === 0 && want[2] === 0 && want[3] === -1
    const away = Math.hypot(got[0] - want[0], got[1] - want[1], got[2] - want[2])
    if (unique && !unique[i]) continue
    if (Math.hypot(want[0], want[1], want[2]) < 0.5 || (isDefault && away > 1e-3)) {
      without++
      continue
    }
    compared++
    // v points down in glTF, which turns the sign.
    if (away <= 1e-3 && (displaced || got[3] === -want[3])) {
      worst = Math.max(worst, away)
      continue
    }
    different++
    if (different <= 20) console.log(`${title}, corner ${i}: ${got}, expected ${want[0]},${want[1]},${want[2]},${-want[3]}`)
  }
}

let state = 1
function chance () {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 4294967296
}

const KINDS = 6
function vertexOf (x, y, wide, high, kind) {
  const normal = kind >= 2 ? [chance() - 0.5, chance() - 0.5, 1] : [0, 0, 1]
  const length = Math.hypot(...normal)
  let uv = [x / wide, y / high]
  if (kind === 3) uv[0] = Math.abs(uv[0] - 0.5)
  if (kind === 4) uv = [chance(), chance()]
  if (kind === 5 && chance() < 0.4) uv = [0.25, 0.25]
  return [[x, y, kind === 1 ? 0 : chance() * 0.5], normal.map(value => Math.fround(value / length)), uv]
}

function surface () {
  const [wide, high] = [1 + Math.floor(chance() * 6), 1 + Math.floor(chance() * 6)]
  const kind = Math.floor(chance() * KINDS)
  const vertices = []
  for (let y = 0; y <= high; y++) for (let x = 0; x <= wide; x++) vertices.push(vertexOf(x, y, wide, high, kind))
  const corners = []
  for (let i = 0; i < wide * high; i++) {
    const a = Math.floor(i / wide) * (wide + 1) + i % wide
    const [b, c, d] = [a + 1, a + wide + 1, a + wide + 2]
    for (let triangle of chance() < 0.5 ? [[a, b, d], [a, d, c]] : [[a, b, c], [b, d, c]]) {
      if (chance() < 0.1) triangle = [triangle[0], triangle[2], triangle[1]]
      if (chance() < 0.05) triangle = [triangle[0], triangle[1], triangle[0]]
      for (let repeat = chance() < 0.08 ? 2 : 1; repeat; repeat--) corners.push(...triangle.map(v => vertices[v]))
    }
  }
  return corners
}

function toolTangents (corners) {
  const bytes = array => Buffer.from(array.buffer)
  const input = Buffer.concat([bytes(Uint32Array.of(corners.length)), ...[0, 1, 2].map(at => bytes(stream(corners, at)))])
  const { stdout, status } = spawnSync(process.argv[3], { input })
  if (status !== 0) throw new Error(`${process.argv[3]}: ${status}`)
  return corners.map((_, i) => [0, 1, 2, 3].map(k => stdout.readFloatLE(i * 16 + k * 4)))
}

for (let i = 0; i < 300; i++) {
  const corners = surface()
  compare(`surface ${i}`, corners, toolTangents(corners), false, null)
}
for (const line of fs.readFileSync(process.argv[4], 'utf8').split('\n').filter(Boolean)) {
  const [title, triangles, stored, displaced, unique] = JSON.parse(line)
  compare(title, triangles.flat(), stored, displaced, unique)
}
console.log(`${compared} corners compared, ${different} different by more than 0.001 (the others by at most ` +
            `${worst.toExponential(1)}), ${without} without a direction`)
process.exit(different > 0 || compared < 20000 ? 1 : 0)
