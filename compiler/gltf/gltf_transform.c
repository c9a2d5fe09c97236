/* gltf_transform.c - the transforms of nodes: a matrix is decomposed into translation, rotation and scale.
 *
 * Each matrix M of three columns is a product U S V' of a rotation, a scale along the axes and another
 * rotation: the singular value decomposition. With shear, that is the transform of two entities, one below
 * the other, because transforms of the hierarchy are matrices: the frame U S, and the rotation V' in it.
 *
 * Based on: M. R. Hestenes, Inversion of Matrices by Biorthogonalization and Related Results, 1958
 * (rotations of pairs of columns until all are at right angles), and K. Shoemake, Animating Rotation with
 * Quaternion Curves, 1985. */
#include "diag_codes.h"
#include "gltf_internal.h"
#include "transform.h"

/* Cosines between columns of a matrix: up to the first, they are rounding errors of 32-bit floats or of five decimals;
 * up to the second, of four decimals, which do not deserve an entity. */
#define SHEAR_ROUNDED  2e-5
#define SHEAR_REPORTED 2e-4
#define SWEEPS_MAX     32 /* over the three pairs of columns; about five are needed */

typedef struct Column {
    f64 at[3];
} Column;

typedef struct Matrix {
    Column column[3];
} Matrix;

static f64 dot(Column a, Column b) {
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static Column cross(Column a, Column b) {
    return (Column){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                     a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static Column divided(Column a, f64 by) {
    return (Column){{a.at[0] / by, a.at[1] / by, a.at[2] / by}};
}

static f64 determinant(const Matrix* m) {
    return dot(m->column[0], cross(m->column[1], m->column[2]));
}

/* Unit quaternion of a rotation, w not negative. The largest component is found first, so nothing small
 * divides. */
static Quat quat_of(const Matrix* r) {
    const Column *a = &r->column[0], *b = &r->column[1], *c = &r->column[2];
    const f64     x = 1 + a->at[0] - b->at[1] - c->at[2], y = 1 - a->at[0] + b->at[1] - c->at[2];
    const f64     z = 1 - a->at[0] - b->at[1] + c->at[2], w = 1 + a->at[0] + b->at[1] + c->at[2];
    const f64     yz = b->at[2] + c->at[1], zx = c->at[0] + a->at[2], xy = a->at[1] + b->at[0];
    const f64     i = b->at[2] - c->at[1], j = c->at[0] - a->at[2], k = a->at[1] - b->at[0];
    f64           q[4];
    if (w >= x && w >= y && w >= z) {
        q[0] = i, q[1] = j, q[2] = k, q[3] = w;
    } else if (x >= y && x >= z) {
        q[0] = x, q[1] = xy, q[2] = zx, q[3] = i;
    } else if (y >= z) {
        q[0] = xy, q[1] = y, q[2] = yz, q[3] = j;
    } else {
        q[0] = zx, q[1] = yz, q[2] = z, q[3] = k;
    }
    const f64 length =
        sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) * (q[3] < 0 ? -1 : 1);
    return (Quat){(f32)(q[0] / length), (f32)(q[1] / length), (f32)(q[2] / length),
                  (f32)(q[3] / length)};
}

/* A unit column at a right angle to the others, of which at least one has a length. */
static Column complete(Column a, Column b) {
    Column normal = cross(a, b);
    if (!(dot(normal, normal) > 0)) {
        const Column known = dot(a, a) > 0 ? a : b;
        const u32    min = fabs(known.at[0]) < 0.6 ? 0 : 1; /* not along `known` */
        Column       axis = {{0}};
        axis.at[min] = 1;
        normal = cross(known, axis);
    }
    return divided(normal, sqrt(dot(normal, normal)));
}

#define ZERO_SHARE 1e-13 /* of the longest column: what is shorter is 0, but for rounding */

/* Columns at right angles become a rotation and their lengths; of a mirror, that of x is negative. */
static Column lengths_take(Matrix* m) {
    f64 length[3], longest = 0;
    u32 zeros = 0;
    for (u32 i = 0; i < 3; i++) {
        length[i] = sqrt(dot(m->column[i], m->column[i]));
        longest = MAX_OF(longest, length[i]);
    }
    for (u32 i = 0; i < 3; i++) {
        const bool is_zero = !(length[i] > longest * ZERO_SHARE);
        zeros += is_zero;
        if (is_zero) length[i] = 0;
        m->column[i] = is_zero ? (Column){{0, 0, 0}} : divided(m->column[i], length[i]);
    }
    if (zeros == 3) m->column[0] = (Column){{1, 0, 0}}, m->column[1] = (Column){{0, 1, 0}};
    for (u32 i = 0; i < 3; i++)
        if (!(dot(m->column[i], m->column[i]) > 0))
            m->column[i] = complete(m->column[(i + 1) % 3], m->column[(i + 2) % 3]);
    if (determinant(m) < 0) {
        m->column[0] = divided(m->column[0], -1);
        length[0] = -length[0];
    }
    return (Column){{length[0], length[1], length[2]}};
}

/* Lengths beyond the range of floats are limited. */
static Vec3 scale_of(Gltf* g, const JsonToken* matrix, Column length) {
    f32 scale[3];
    for (u32 i = 0; i < 3; i++) {
        const f64 limited = MIN_OF(MAX_OF(length.at[i], LOW), HIGH);
        if (limited != length.at[i])
            gltf_remark(g, REMARK_LIMITS, "scales", matrix,
                        "has a scale of %.9g, but must be from %.9g to %.9g; %.9g is compiled",
                        length.at[i], LOW, HIGH, limited);
        scale[i] = (f32)limited;
    }
    return (Vec3){scale[0], scale[1], scale[2]};
}

/* The largest cosine between two columns. */
static f64 shear_of(const Matrix* m) {
    f64 shear = 0;
    for (u32 i = 0; i < 3; i++) {
        const Column a = m->column[i], b = m->column[(i + 1) % 3];
        const f64    lengths = sqrt(dot(a, a)) * sqrt(dot(b, b));
        const f64    cosine = lengths > 0 ? fabs(dot(a, b)) / lengths : 0;
        shear = MAX_OF(shear, cosine);
    }
    return shear;
}

/* Rotates the columns i and k in their plane, so that they are at a right angle. */
static void pair_rotate(Matrix* m, Matrix* v, u32 i, u32 k) {
    const f64 aa = dot(m->column[i], m->column[i]), bb = dot(m->column[k], m->column[k]);
    const f64 ab = dot(m->column[i], m->column[k]);
    if (ab == 0) return;
    const f64 zeta = (bb - aa) / (2 * ab);
    const f64 t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const f64 c = 1 / sqrt(1 + t * t), s = c * t;
    Matrix*   both[] = {m, v};
    for (u32 n = 0; n < 2; n++) {
        for (u32 row = 0; row < 3; row++) {
            const f64 x = both[n]->column[i].at[row], y = both[n]->column[k].at[row];
            both[n]->column[i].at[row] = c * x - s * y;
            both[n]->column[k].at[row] = s * x + c * y;
        }
    }
}

/* M = U S V': M becomes the rotation U, and V' the transform below it. Returns S. */
static Column sheared_decompose(Matrix* m, TransformRecord* below) {
    Matrix v = {{{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}};
    for (u32 sweep = 0; sweep < SWEEPS_MAX; sweep++)
        for (u32 i = 0; i < 3; i++) pair_rotate(m, &v, i, (i + 1) % 3);
    Matrix back;
    for (u32 i = 0; i < 9; i++) back.column[i / 3].at[i % 3] = v.column[i % 3].at[i / 3];
    below->position = (Vec3){0, 0, 0};
    below->rotation = quat_of(&back);
    below->scale = (Vec3){1, 1, 1};
    return lengths_take(m);
}

bool gltf_last_row_is_near(const f64* row) {
    return fabs(row[0]) < 1e-3 && fabs(row[1]) < 1e-3 && fabs(row[2]) < 1e-3 &&
           fabs(row[3] - 1) < 1e-3;
}

/* The matrix of a node: its three columns and its translation; the last row is not looked at. */
static bool read_matrix(Gltf* g, const JsonToken* node, f64* all, Matrix* m) {
    if (!gltf_vector(g, node, "matrix", all, 16, GLTF_ANY)) return false;
    for (u32 i = 0; i < 12; i++)
        if (i % 4 < 3) m->column[i / 4].at[i % 4] = all[i];
    return true;
}

bool gltf_read_frame(Gltf* g, const JsonToken* node, TransformRecord* frame) {
    f64             all[16];
    Matrix          m;
    TransformRecord below;
    const GltfMode  mode = gltf_mode(g, GLTF_QUIET); /* reported with the node */
    const bool      is_read = read_matrix(g, node, all, &m);
    if (!is_read || shear_of(&m) <= SHEAR_REPORTED) {
        gltf_mode(g, mode);
        return false;
    }
    frame->scale = scale_of(g, json_get(node, "matrix"), sheared_decompose(&m, &below));
    frame->rotation = quat_of(&m);
    frame->position = (Vec3){(f32)all[12], (f32)all[13], (f32)all[14]};
    gltf_mode(g, mode);
    return true;
}

static void check_last_row(Gltf* g, const JsonToken* matrix, const f64* all) {
    const f64 row[] = {all[3], all[7], all[11], all[15]};
    if (row[0] == 0 && row[1] == 0 && row[2] == 0 && row[3] == 1) return;
    if (gltf_last_row_is_near(row))
        gltf_remark(g, REMARK_SHEAR, "rows", matrix,
                    "has a last row other than 0 0 0 1; it is 0 0 0 1");
    else
        gltf_error(g, E0407, matrix,
                   "has a last row other than 0 0 0 1, which no transform of a node has");
}

static void decompose(Gltf* g, const JsonToken* node, TransformRecord* out) {
    f64    all[16];
    Matrix m;
    if (!read_matrix(g, node, all, &m)) return;
    check_last_row(g, json_get(node, "matrix"), all);
    const f64 shear = shear_of(&m);
    if (shear > SHEAR_REPORTED) {
        scale_of(g, json_get(node, "matrix"), sheared_decompose(&m, out));
        return;
    }
    if (shear > SHEAR_ROUNDED)
        gltf_remark(g, REMARK_SHEAR, "columns", json_get(node, "matrix"),
                    "has columns with a cosine of %.2g between them, almost right angles; right "
                    "angles are compiled",
                    shear);
    out->position = (Vec3){(f32)all[12], (f32)all[13], (f32)all[14]};
    out->scale = scale_of(g, json_get(node, "matrix"), lengths_take(&m));
    out->rotation = quat_of(&m);
}

void gltf_read_transform(Gltf* g, const JsonToken* node, TransformRecord* out) {
    f64        t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    const bool moved =
        json_get(node, "translation") || json_get(node, "rotation") || json_get(node, "scale");
    if (json_get(node, "matrix")) {
        if (moved)
            gltf_remark(g, REMARK_LISTS, "matrices", node,
                        "has both a \"matrix\" and a translation, rotation or scale; the matrix is "
                        "compiled");
        decompose(g, node, out);
        return;
    }
    gltf_vector(g, node, "translation", t, 3, GLTF_ANY);
    gltf_vector(g, node, "rotation", q, 4, GLTF_ANY);
    gltf_vector(g, node, "scale", s, 3, GLTF_ANY);
    f64 length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (fabs(length - 1) > GLTF_UNIT_TOLERANCE)
        gltf_remark(g, REMARK_LENGTHS, "nodes", json_get(node, "rotation"),
                    "has a length of %g; it is normalised to 1", length);
    if (!(length > 0)) q[3] = length = 1; /* it turns nothing */
    out->position = (Vec3){(f32)t[0], (f32)t[1], (f32)t[2]};
    out->rotation = (Quat){(f32)(q[0] / length), (f32)(q[1] / length), (f32)(q[2] / length),
                           (f32)(q[3] / length)};
    out->scale = (Vec3){(f32)s[0], (f32)s[1], (f32)s[2]};
}
