// tangent_reference.js - compares computed tangents with those of npm's mikktspace, corner by corner.
//
//   node tests/oracles/tangent_reference.js NODE_MODULES FILE
//
// FILE: what model_oracle.py writes with TANGENTS=FILE, a JSON line for each surface: [title, triangles, tangents,
// displaced]; a triangle is three corners [position, normal, uv]. Corners for which the reference has no direction
// are counted apart. The last line is the tally.
'use strict'
const fs = require('fs')
const path = require('path')
const { generateTangents } = require(path.resolve(process.argv[2], 'mikktspace'))

// The reference does not sort the edges of its last vertex, and misses neighbours there: these are of another triangle.
const LAST = [[[9e3, 0, 0], [0, 0, 1], [0, 0]], [[9e3, 1, 0], [0, 0, 1], [1, 0]], [[9e3, 0, 1], [0, 0, 1], [0, 1]]]

const length = (x, y, z) => Math.hypot(x, y, z)
let compared = 0
let without = 0
let different = 0
let worst = 0
for (const line of fs.readFileSync(process.argv[3], 'utf8').split('\n').filter(Boolean)) {
  const [title, triangles, stored, displaced] = JSON.parse(line)
  const corners = triangles.concat([LAST]).flat()
  const stream = at => Float32Array.from(corners.map(corner => corner[at]).flat())
  const wanted = generateTangents(stream(0), stream(1), stream(2))
  stored.forEach((got, i) => {
    const want = wanted.slice(i * 4, i * 4 + 4)
    const isDefault = want[0] === 1 && want[1] === 0 && want[2] === 0 && want[3] === -1
    const away = length(got[0] - want[0], got[1] - want[1], got[2] - want[2])
    if (length(want[0], want[1], want[2]) < 0.5 || (isDefault && away > 1e-3)) {
      without++
      return
    }
    compared++
    // v points down in glTF, which turns the sign.
    if (away <= 1e-3 && (displaced || got[3] === -want[3])) {
      worst = Math.max(worst, away)
      return
    }
    different++
    if (different <= 20) console.log(`${title}, corner ${i}: ${got}, expected ${want[0]},${want[1]},${want[2]},${-want[3]}`)
  })
}
console.log(`${compared} tangents compared, ${different} different by more than 0.001 (at most ${worst.toExponential(1)}), ${without} without a direction`)
process.exit(different > 0 || compared < 1000 ? 1 : 0)
