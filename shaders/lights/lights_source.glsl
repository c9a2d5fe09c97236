// lights_source.glsl - what the world states of an element: its class, its record and its matrix.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require

struct LightSource { // as LightRecord
    uint  kind;
    vec3  color;
    float intensity, range_m, inner, outer;
    uint  casts, cookie_low, cookie_high;
};
struct DecalSource { // as DecalRecord
    vec3  half_extent, color;
    float opacity, fade;
    uint  order, textures[4];
};
struct ProbeSource { // as EnvironmentProbeRecord
    vec3  half_extent, color;
    float intensity, blend_m;
};

layout(push_constant, scalar) uniform Push { LightsPush push; };
layout(binding = LIGHTS_ORDER) readonly restrict buffer Order { uint order[]; };
layout(binding = LIGHTS_MATRIX) readonly restrict buffer Matrices { vec4 matrices[]; };
layout(binding = LIGHTS_OWNER) readonly restrict buffer Owners { uint owners[]; };
layout(binding = LIGHTS_ROW) readonly restrict buffer Rows { uint rows[]; };
layout(binding = LIGHTS_ENTITY) readonly restrict buffer DecalOwners { uint decal_owners[]; };
layout(binding = LIGHTS_ENTITY_2) readonly restrict buffer ProbeOwners { uint probe_owners[]; };
layout(binding = LIGHTS_ENTITY_3) readonly restrict buffer LightOwners { uint light_owners[]; };
layout(binding = LIGHTS_RECORD, scalar) readonly restrict buffer DecalSources { DecalSource decal_sources[]; };
layout(binding = LIGHTS_RECORD_2, scalar) readonly restrict buffer ProbeSources { ProbeSource probe_sources[]; };
layout(binding = LIGHTS_RECORD_3, scalar) readonly restrict buffer LightSources { LightSource light_sources[]; };

// Rows of the matrix from the entity to the world.
struct Pose { vec4 x, y, z; };

// The columns of its turning and scaling part.
mat3 axes_of(Pose p) { return transpose(mat3(p.x.xyz, p.y.xyz, p.z.xyz)); }
vec3 place_of_pose(Pose p) { return vec3(p.x.w, p.y.w, p.z.w); }

Pose pose_of_entity(uint entity) {
    const uint slot = entity & LIGHTS_INDEX_MASK;
    const uint row = slot < push.slot_count ? rows[slot] : LIGHTS_NONE;
    if (row >= push.transform_count || owners[row] != entity)
        return Pose(vec4(1, 0, 0, 0), vec4(0, 1, 0, 0), vec4(0, 0, 1, 0));
    return Pose(matrices[row * 3], matrices[row * 3 + 1], matrices[row * 3 + 2]);
}

// An element in the world: a sphere around it; of a spot light, its cone; of a box, its half axes.
struct Element {
    bool  is_box;
    uint  row;
    vec3  center;
    float radius;
    mat3  axes;        // of a box
    vec3  apex, along; // of a light: where it is, and the unit vector in which it shines
    float half_angle;  // of a spot light; 0: it shines in all directions
};

vec3 unit_of(vec3 v, vec3 other) {
    const float size = dot(v, v);
    return size > 0 ? v * inversesqrt(size) : other;
}

// The smallest sphere around a cone with a round end. Up to 45 degrees it passes through the apex and the edge; above,
// the disc at the end of the edge is its widest part.
void cone_bound(inout Element e, float range_m) {
    const float c = cos(e.half_angle), s = sin(e.half_angle);
    if (e.half_angle <= 0.78539816) {
        e.radius = range_m / (2 * c);
        e.center = e.apex + e.along * e.radius;
    } else {
        e.radius = range_m * s;
        e.center = e.apex + e.along * (range_m * c);
    }
}

Element light_element(uint row) {
    Element e;
    const LightSource s = light_sources[row];
    const Pose pose = pose_of_entity(light_owners[row]);
    e.is_box = false;
    e.row = row;
    e.apex = e.center = place_of_pose(pose);
    e.along = unit_of(-axes_of(pose)[2], vec3(0, 0, -1));
    e.radius = s.range_m;
    e.half_angle = 0;
    if (s.kind == LIGHTS_SPOT) {
        e.half_angle = max(s.outer, 1e-4);
        cone_bound(e, s.range_m);
    }
    return e;
}

Element box_element(uint row, uint entity, vec3 half_extent) {
    Element e;
    const Pose pose = pose_of_entity(entity);
    e.is_box = true;
    e.row = row;
    e.axes = axes_of(pose);
    e.axes[0] *= half_extent.x;
    e.axes[1] *= half_extent.y;
    e.axes[2] *= half_extent.z;
    e.center = place_of_pose(pose);
    // Of a sheared box, the longest diagonal.
    const vec3 a = e.axes[0], b = e.axes[1], c = e.axes[2];
    e.radius = sqrt(max(max(dot(a + b + c, a + b + c), dot(a + b - c, a + b - c)),
                        max(dot(a - b + c, a - b + c), dot(a - b - c, a - b - c))));
    return e;
}

uint element_count() { return push.decal_count + push.probe_count + push.light_count; }

Element element_at(uint i) {
    const uint row = order[i];
    if (i < push.decal_count) return box_element(row, decal_owners[row], decal_sources[row].half_extent);
    if (i < push.decal_count + push.probe_count)
        return box_element(row, probe_owners[row], probe_sources[row].half_extent);
    return light_element(row);
}
