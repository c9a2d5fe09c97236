/* test_blob.c - the validator: small blobs of every type, damaged in many ways. A damaged blob is
 * refused and the damaged field is named, or it is another valid blob that every reader can use.
 * TEST_FULL=1 tries all values of all bytes, and dumps every blob that opens. */
#include "test_worlds_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "animation.h"
#include "hash.h"
#include "inspect_text.h"
#include "material.h"
#include "mesh_data.h"
#include "records.h"
#include "sections.h"
#include "spawn.h"
#include "swap.h"
#include "world.h"

/* --- goldens --- */

#define GOLDEN_LIST(X)                                                                             \
    X(EMPTY)                                                                                       \
    X(MATERIAL)                                                                                    \
    X(CLIP)                                                                                        \
    X(SKELETON)                                                                                    \
    X(PACKAGE)                                                                                     \
    X(MESH)                                                                                        \
    X(ENTITY)                                                                                      \
    X(GROUPS)                                                                                      \
    X(COMPONENT)                                                                                   \
    X(PLUGIN)                                                                                      \
    X(LEVEL)

#define GOLDEN_ENUM(name) GOLDEN_##name,
#define GOLDEN_NAME(name) #name,
typedef enum Golden { GOLDEN_LIST(GOLDEN_ENUM) GOLDEN_COUNT } Golden;
static const char* const golden_names[] = {GOLDEN_LIST(GOLDEN_NAME)};

#define GOLDEN_BYTES_MAX 4096
#define LEVEL_ENTITIES   4
#define SINGLE_COUNT     2 /* instances in the golden level */
#define SEVERAL_COUNT    3

static const u32 level_parent[LEVEL_ENTITIES] = {NONE, 0, 1, 0};
static const u32 single_owner[SINGLE_COUNT] = {0, 2};
static const u32 several_owner[SEVERAL_COUNT] = {0, 2, 2};

/* Every component type, on a few entities, with random content that is the same in every run. */
static Bytes golden_entities(ResourceType resource, const ComponentType* const* type, u32 count,
                             Target target) {
    static u8   records[ALL_TYPES][SEVERAL_COUNT * 256];
    LevelPart   part[ALL_TYPES];
    BlobOptions options = all_options();
    Random      random = {7};
    for (u32 i = 0; i < count; i++) {
        const bool several = type[i]->several == SEVERAL;
        part[i] = (LevelPart){type[i], several ? SEVERAL_COUNT : SINGLE_COUNT,
                              several ? several_owner : single_owner, records[i]};
        for (u32 k = 0; k < part[i].count; k++) {
            random_record(&random, &type[i]->record, LEVEL_ENTITIES,
                          records[i] + k * type[i]->record.bytes);
        }
    }
    const Level level = {resource, LEVEL_ENTITIES, level_parent, count, part, true, true};
    return level_bytes(&level, target, &options);
}

static Bytes golden_level(Target target) {
    const ComponentType* type[COMPONENT_COUNT];
    for (u32 i = 0; i < COMPONENT_COUNT; i++) type[i] = &ent_component_types()[i];
    return golden_entities(RESOURCE_LEVEL, type, COMPONENT_COUNT, target);
}

static Bytes golden_entity(Target target) {
    const ComponentType* type[] = {&ent_component_types()[COMPONENT_TRANSFORM],
                                   &ent_component_types()[COMPONENT_MESH],
                                   &ent_component_types()[COMPONENT_CAMERA]};
    return golden_entities(RESOURCE_ENTITY, type, COUNT_OF(type), target);
}

/* Types that a host adds, besides those of the list. */
static Bytes golden_plugin(Target target) {
    const ComponentType* type[] = {&plugin_types()[PLUGIN_tag],
                                   &ent_component_types()[COMPONENT_TRANSFORM],
                                   &plugin_types()[PLUGIN_probe], &plugin_types()[PLUGIN_orbit]};
    return golden_entities(RESOURCE_LEVEL, type, COUNT_OF(type), target);
}

#define GROUPS_ENTITIES 6

/* Two entities in the base, two in each group; references of every allowed kind. */
static Bytes groups_level(Target target, bool names) {
    static const u32     parent[GROUPS_ENTITIES] = {NONE, 0, 1, 2, NONE, 0}, first[] = {2, 4};
    static const u32     camera_owner[] = {1, 3, 4}, camera_target[] = {0, 2, NONE};
    static const u32     orbit_owner[] = {0, 3, 3, 5}, orbit_center[] = {1, 3, 0, 4};
    const ComponentType *camera_type = &ent_component_types()[COMPONENT_CAMERA],
                        *orbit_type = &plugin_types()[PLUGIN_orbit];
    CameraRecord camera[COUNT_OF(camera_owner)];
    OrbitRecord  orbit[COUNT_OF(orbit_owner)];
    Random       random = {13};
    for (u32 i = 0; i < COUNT_OF(camera); i++) {
        random_record(&random, &camera_type->record, 0, &camera[i]);
        camera[i].target = camera_target[i];
    }
    for (u32 i = 0; i < COUNT_OF(orbit); i++) {
        random_record(&random, &orbit_type->record, 0, &orbit[i]);
        orbit[i].center = orbit_center[i];
    }
    const LevelPart   part[] = {{orbit_type, COUNT_OF(orbit), orbit_owner, orbit},
                                {camera_type, COUNT_OF(camera), camera_owner, camera}};
    const BlobOptions options = all_options();
    const Level       level = {RESOURCE_LEVEL, GROUPS_ENTITIES, parent, COUNT_OF(part),
                               part,           false,           names};
    return level_bytes_in_groups(&level, first, COUNT_OF(first), target, &options);
}

static Bytes golden_groups(Target target) { return groups_level(target, true); }

static Bytes golden_empty(Target target) {
    const Level level = {.resource = RESOURCE_LEVEL};
    return level_bytes(&level, target, NULL);
}

static Bytes golden_material(Target target) {
    Output         out;
    MaterialRecord material;
    Random         random = {3};
    random_record(&random, section_record(SECTION_MATERIAL), 0, &material);
    output_begin(&out, RESOURCE_MATERIAL, text_of("models/clay"), 1, 1);
    output_section(&out, SECTION_MATERIAL, &material, 1);
    return output_bytes(&out, target, NULL);
}

#define MESH_VERTICES 4

static Bytes golden_mesh(Target target) {
    static const u32 index[] = {0, 1, 2, 0, 2, 3, 2, 3, 3};
    u32              clay = 0;
    while (test_reference_type(clay) != RESOURCE_MATERIAL) clay++;
    const char*     name = test_reference_name(clay);
    ReferenceRecord reference = {test_reference(clay), RESOURCE_MATERIAL, 0};
    MeshPartRecord  part[] = {{.material = reference.id, .index_count = 6, .vertex_count = 4},
                              {.topology = MESH_LINES,
                               .first_index = 6,
                               .index_count = 2,
                               .first_vertex = 2,
                               .vertex_count = 2},
                              {.topology = MESH_POINTS,
                               .first_index = 8,
                               .index_count = 1,
                               .first_vertex = 3,
                               .vertex_count = 1}};
    static const SectionKind streams[] = {SECTION_POSITION, SECTION_NORMAL, SECTION_TANGENT,
                                          SECTION_UV, SECTION_VERTEX_JOINTS};
    VertexWeightsRecord      weight[MESH_VERTICES];
    MeshBoundsRecord         bounds = {{-1, -2, -3}, {1, 2, 3}};
    Random                   random = {5};
    Output                   out;
    output_begin(&out, RESOURCE_MESH, text_of("models/box"), MESH_VERTICES, 11);
    output_section(&out, SECTION_MESH_BOUNDS, &bounds, 1);
    output_section(&out, SECTION_MESH_PART, part, COUNT_OF(part));
    for (u32 s = 0; s < COUNT_OF(streams); s++) {
        const RecordType* record = section_record(streams[s]);
        u8*               to = output_section(&out, streams[s], NULL, MESH_VERTICES);
        for (u32 i = 0; i < MESH_VERTICES; i++) {
            random_record(&random, record, 0, to + i * record->bytes);
        }
    }
    for (u32 i = 0; i < MESH_VERTICES; i++) {
        weight[i] = (VertexWeightsRecord){(60000 + i) | 5000u << 16, 500 | (35u - i) << 16};
    }
    output_section(&out, SECTION_VERTEX_WEIGHTS, weight, MESH_VERTICES);
    output_section(&out, SECTION_INDEX, index, COUNT_OF(index));
    output_section(&out, SECTION_REFERENCE, &reference, 1);
    output_section(&out, SECTION_REFERENCE_NAME, name, strlen(name) + 1);
    return output_bytes(&out, target, NULL);
}

/* Two roots. */
static Bytes golden_package(Target target) {
    ReferenceRecord reference[2];
    char            names[512];
    u32             bytes = 0;
    Output          out;
    for (u32 i = 0; i < 2; i++) {
        reference[i] = (ReferenceRecord){test_reference(i), test_reference_type(i), bytes};
        strcpy(names + bytes, test_reference_name(i));
        bytes += (u32)strlen(test_reference_name(i)) + 1;
    }
    output_begin(&out, RESOURCE_PACKAGE, text_of("town"), 2, 2);
    output_section(&out, SECTION_REFERENCE, reference, 2);
    output_section(&out, SECTION_REFERENCE_NAME, names, bytes);
    return output_bytes(&out, target, NULL);
}

#define JOINTS 3

static Bytes golden_skeleton(Target target) {
    static const u32  offset[JOINTS] = {0, 5, 9};
    static const char names[] = "root\0hip\0knee";
    JointRecord       joint[JOINTS];
    BindRecord        bind[2];
    Random            random = {9};
    Output            out;
    for (u32 i = 0; i < JOINTS; i++) {
        random_record(&random, section_record(SECTION_JOINT), 0, &joint[i]);
        joint[i].parent = i ? i - 1 : NONE;
        joint[i].node = 100 + i;
    }
    for (u32 i = 0; i < 2; i++) {
        random_record(&random, section_record(SECTION_BIND), 0, &bind[i]);
        bind[i].joint = 2 - i;
    }
    output_begin(&out, RESOURCE_SKELETON, text_of("models/man"), JOINTS, 4);
    output_section(&out, SECTION_JOINT, joint, JOINTS);
    output_section(&out, SECTION_BIND, bind, 2);
    output_section(&out, SECTION_NAME_OFFSET, offset, JOINTS);
    output_section(&out, SECTION_NAME, names, sizeof names);
    return output_bytes(&out, target, NULL);
}

/* Step, linear and cubic, one track of each channel; and packed ones. */
static Bytes golden_clip(Target target) {
    static const TrackRecord track[] = {{100, CLIP_TRANSLATION, CLIP_STEP, CLIP_FLOATS, 0, 2, 0},
                                        {101, CLIP_ROTATION, CLIP_LINEAR, CLIP_FLOATS, 2, 2, 6},
                                        {102, CLIP_SCALE, CLIP_CUBIC, CLIP_FLOATS, 4, 2, 14},
                                        {103, CLIP_ROTATION, CLIP_LINEAR, CLIP_PACKED, 6, 1, 0},
                                        {104, CLIP_TRANSLATION, CLIP_STEP, CLIP_PACKED, 7, 1, 2}};
    static const f32         time[] = {0, 0.5f, 1, 1.5f, 0.25f, 1.25f, 1, 1};
    /* A rotation; a box from (1, 2, 3) with sides of 1 m, 0 and 2 m, and its highest corner. */
    static const u32     packed[] = {0x12345678, 0x3abcdef0, 0x3f800000, 0x40000000, 0x40400000,
                                     0x3f800000, 0,          0x40000000, 0xffffffff, 0x7fffffff};
    f32                  value[32];
    const ClipInfoRecord info = {1.5f};
    Random               random = {11};
    Output               out;
    for (u32 i = 0; i < COUNT_OF(value); i++) value[i] = random_float(&random, -2, 2);
    output_begin(&out, RESOURCE_CLIP, text_of("models/walk"), COUNT_OF(track), 5);
    output_section(&out, SECTION_CLIP_INFO, &info, 1);
    output_section(&out, SECTION_TRACK, track, COUNT_OF(track));
    output_section(&out, SECTION_KEY_TIME, time, COUNT_OF(time));
    output_section(&out, SECTION_KEY_VALUE, value, COUNT_OF(value));
    output_section(&out, SECTION_KEY_PACKED, packed, COUNT_OF(packed));
    return output_bytes(&out, target, NULL);
}

/* A field of every kind, two enums, bounds, units: the texts of each row follow each other. */
static const char declared_text[] = "ghost\0what haunts\0"
                                    "speed\0m/s\0how fast\0"
                                    "noon\0\0\0"
                                    "turn\0\0\0"
                                    "lives\0\0left\0"
                                    "alive\0\0\0"
                                    "mood\0\0\0calm\0angry\0"
                                    "foe\0\0\0"
                                    "called\0\0\0"
                                    "shape\0\0\0"
                                    "side\0\0\0red\0002nd";

static const DeclaredFieldRecord declared_fields[] = {
    {.kind = FIELD_f32, .value = {2, 0, 0, 0}, .lowest = -1, .highest = 9},
    {.kind = FIELD_Vec3, .value = {0.25f, 0.5f, 1, 0}, .lowest = 0, .highest = 1},
    {.kind = FIELD_Quat, .value = {0, 0, 0, 1}, .lowest = -1, .highest = 1},
    {.kind = FIELD_u32, .word = 3, .least = 1, .most = 9},
    {.kind = FIELD_Bool32, .word = 1},
    {.kind = FIELD_Enum32, .word = 1, .first_text = 0, .text_count = 2},
    {.kind = FIELD_EntityRef},
    {.kind = FIELD_NameRef, .required = 1},
    {.kind = FIELD_ResourceRef, .refers_to = RESOURCE_MESH},
    {.kind = FIELD_Enum32, .required = 1, .first_text = 2, .text_count = 2}};

#define DECLARED_FIELDS COUNT_OF(declared_fields)

/* The content of the layout hash, written independently. */
static const char declared_layout[] =
    "speed\0f32\0noon\0Vec3\0turn\0Quat\0lives\0u32\0"
    "alive\0Bool32\0mood\0Enum32\0calm\0angry\0foe\0EntityRef\0"
    "called\0NameRef\0shape\0ResourceRef\0side\0Enum32\0red\0002nd";

static u32 layout_of(const char* texts, size_t bytes) {
    u64 hash = 0;
    for (size_t at = 0; at < bytes; at += strlen(texts + at) + 1) {
        hash = hash_bytes(texts + at, strlen(texts + at) + 1, hash);
    }
    return ((u32)hash & 0x7fffffffu) | 0x80000000u;
}

static u32 text_next(u32* at) {
    const u32 here = *at;
    *at += (u32)strlen(declared_text + here) + 1;
    return here;
}

static Bytes golden_component(Target target) {
    DeclaredFieldRecord field[DECLARED_FIELDS];
    EnumTextRecord      enum_text[4];
    DeclarationRecord   declaration = {.order = 350, .several = 1, .field_count = DECLARED_FIELDS};
    Output              out;
    u32                 at = 0, texts = 0;
    declaration.name = text_next(&at);
    declaration.text = text_next(&at);
    declaration.id = hash_name(text_of("ghost"));
    declaration.layout = layout_of(declared_layout, sizeof declared_layout);
    for (u32 i = 0; i < DECLARED_FIELDS; i++) {
        field[i] = declared_fields[i];
        field[i].name = text_next(&at);
        field[i].unit = text_next(&at);
        field[i].text = text_next(&at);
        for (u32 k = 0; k < field[i].text_count; k++) enum_text[texts++].text = text_next(&at);
    }
    assert_int_equal(at, sizeof declared_text);
    output_begin(&out, RESOURCE_COMPONENT, text_of("spooks/ghost"), DECLARED_FIELDS, 4);
    output_section(&out, SECTION_DECLARATION, &declaration, 1);
    output_section(&out, SECTION_DECLARED_FIELD, field, DECLARED_FIELDS);
    output_section(&out, SECTION_ENUM_TEXT, enum_text, texts);
    output_section(&out, SECTION_DECLARATION_TEXT, declared_text, sizeof declared_text);
    return output_bytes(&out, target, NULL);
}

static Bytes golden_make(Golden golden, Target target) {
    switch (golden) {
    case GOLDEN_EMPTY: return golden_empty(target);
    case GOLDEN_MATERIAL: return golden_material(target);
    case GOLDEN_CLIP: return golden_clip(target);
    case GOLDEN_SKELETON: return golden_skeleton(target);
    case GOLDEN_PACKAGE: return golden_package(target);
    case GOLDEN_MESH: return golden_mesh(target);
    case GOLDEN_ENTITY: return golden_entity(target);
    case GOLDEN_GROUPS: return golden_groups(target);
    case GOLDEN_COMPONENT: return golden_component(target);
    case GOLDEN_PLUGIN: return golden_plugin(target);
    default: return golden_level(target);
    }
}

/* In the byte order of this machine and in the other one; created once. */
static Bytes golden_of(Golden golden, bool other) {
    static Bytes written[GOLDEN_COUNT][2];
    Bytes*       b = &written[golden][other];
    if (!b->at) *b = golden_make(golden, other ? target_other() : target_native());
    return *b;
}

/* --- what uses validated blobs --- */

typedef struct Behind {
    Guard  guard; /* where damaged blobs are stored */
    World* world; /* supports the types of the list */
    World* wide;  /* supports the types of the plugin too */
    Blob   skeleton, clip;
    FILE*  null;
    bool   full;
    u32    opened, refused, dumped;
    u32    sum; /* of everything that was read */
} Behind;

static void behind_open(Behind* b) {
    *b = (Behind){0};
    guard_open(&b->guard, GOLDEN_BYTES_MAX + 64);
    assert_int_equal(ent_world_create(&b->world, NULL), ENT_OK);
    assert_int_equal(ent_world_create(&b->wide, NULL), ENT_OK);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc desc = {.type = plugin_types()[i]};
        assert_int_equal(ent_world_register(b->wide, &desc), ENT_OK);
    }
    b->skeleton = blob_valid(golden_of(GOLDEN_SKELETON, false), NULL);
    b->clip = blob_valid(golden_of(GOLDEN_CLIP, false), NULL);
    b->null = fopen("/dev/null", "w");
    assert_non_null(b->null);
    b->full = getenv("TEST_FULL") != NULL;
}

static void behind_close(Behind* b, const char* what) {
    print_message("%s: %u refused, %u opened, %u dumped\n", what, b->refused, b->opened, b->dumped);
    ent_world_destroy(b->world);
    ent_world_destroy(b->wide);
    fclose(b->null);
    guard_close(&b->guard);
}

static void spawn_behind(World* world, const Blob* blob) {
    const ent_status status = ent_world_spawn(world, blob, NULL, NULL);
    if (status == ENT_OK) {
        assert_int_equal(ent_entity_count(world), blob->header->element_count);
        assert_true(ent_transform_depth(world) <= blob->header->element_count);
    } else {
        /* The instances of a type that was not passed to the validator. */
        assert_int_equal(status, ENT_BAD_FIELD);
        assert_int_equal(ent_entity_count(world), 0);
    }
    ent_world_clear(world);
}

static void pose_behind(Behind* b, const Blob* clip, const Blob* skeleton) {
    enum { ROOM = GOLDEN_BYTES_MAX / 16 };
    static TransformRecord poses[ROOM];
    static Mat34           joints[ROOM], palette[ROOM];
    static const f32       times[] = {-1, 0, 0.25f, 0.75f, 1, 1e9f};
    assert_true(ent_skeleton_joint_count(skeleton) <= ROOM);
    assert_true(ent_skeleton_bind_count(skeleton) <= ROOM);
    for (u32 i = 0; i < COUNT_OF(times); i++) {
        ent_clip_sample(clip, skeleton, times[i], poses);
        ent_skeleton_palette(skeleton, poses, joints, palette);
    }
    if (clip) b->sum += ent_clip_duration(clip) > 1;
}

/* The declared type: its table is consistent, its defaults are in range, a world can store it. */
static void declare_behind(Behind* b, const Blob* blob) {
    _Alignas(16) u8 memory[GOLDEN_BYTES_MAX];
    u8              record[MANAGER_RECORD_BYTES_MAX];
    const size_t    bytes = ent_component_type_bytes(blob);
    assert_true(bytes > 0 && bytes <= sizeof memory);
    memset(memory, 0xaa, sizeof memory);
    const ComponentType type = ent_component_type_open(blob, memory);
    u32                 offset = 0;
    record_defaults(&type.record, record);
    assert_int_equal(type.record.field_count, blob->header->element_count);
    for (u32 i = 0; i < type.record.field_count; i++) {
        const Field* f = &type.record.fields[i];
        assert_int_equal(f->offset, offset);
        offset += f->bytes;
        b->sum += (u32)(strlen(f->name) + strlen(f->unit) + strlen(f->text));
        for (u32 k = 0; k < f->text_count; k++) b->sum += (u32)strlen(f->texts[k]);
        if (!f->required) assert_null(field_fault(f, record + f->offset));
    }
    assert_int_equal(type.record.bytes, offset);
    assert_int_equal(memory[bytes], 0xaa);
    if (!b->full && b->opened % 256) return;
    World* world;
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_declare(world, blob), ENT_OK);
    ent_world_destroy(world);
}

/* The base and the groups are the entities, each of them once, in this order. */
static void groups_behind(Behind* b, const Blob* blob) {
    const u32 count = ent_blob_group_count(blob);
    u32       first, end;
    ent_blob_group_range(blob, NONE, &first, &end);
    assert_int_equal(first, 0);
    for (u32 i = 0; i < count; i++) {
        const u32 before = end;
        ent_blob_group_range(blob, i, &first, &end);
        assert_int_equal(first, before);
        assert_true(first < end);
        assert_int_equal(ent_blob_entity_group(blob, first), i);
        assert_int_equal(ent_blob_entity_group(blob, end - 1), i);
        b->sum += (u32)strlen(ent_blob_group_name(blob, i)) + ent_blob_group_id(blob, i);
    }
    assert_int_equal(end, blob->header->element_count);
}

/* Every word that the sections of the blob contain. */
static void read_behind(Behind* b, const Blob* blob) {
    const BlobHeader* h = blob->header;
    for (u32 i = 0; i < h->section_count; i++) {
        const u8* at = ent_blob_data(blob, &blob->section[i]);
        for (u32 k = 0; k < blob->section[i].bytes; k++) b->sum += at[k];
    }
    if (ent_blob_section(blob, SECTION_NAME)) {
        for (u32 i = 0; i < h->element_count; i++) b->sum += (u32)strlen(ent_blob_name(blob, i));
    }
    const BlobSection* references = ent_blob_section(blob, SECTION_REFERENCE);
    for (u32 i = 0; references && i < references->count; i++) {
        b->sum += (u32)strlen(ent_blob_reference_name(blob, i));
    }
    groups_behind(b, blob);
}

/* Damaged names may be any names: a search finds an entity or none. */
static void paths_behind(Behind* b, const Blob* blob) {
    char path[64];
    for (u32 i = 0; i < blob->header->element_count; i++) {
        b->sum += (u32)ent_blob_path(blob, i, path, sizeof path);
        const u32 found = ent_blob_path_find(blob, path);
        assert_true(found == NONE || found < blob->header->element_count);
    }
}

static void use_behind(Behind* b, const Blob* blob) {
    const BlobOptions options = all_options();
    read_behind(b, blob);
    switch (blob->header->resource_type) {
    case RESOURCE_ENTITY:
    case RESOURCE_LEVEL:
        paths_behind(b, blob);
        spawn_behind(b->world, blob);
        spawn_behind(b->wide, blob);
        break;
    case RESOURCE_SKELETON: pose_behind(b, &b->clip, blob); break;
    case RESOURCE_CLIP: pose_behind(b, blob, &b->skeleton); break;
    case RESOURCE_COMPONENT: declare_behind(b, blob); break;
    default: break;
    }
    if (!b->full && b->opened % 64) return;
    dump_text(b->null, blob, NULL);
    b->dumped++;
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        if (ent_blob_validate(blob, &plugin_types()[i], NULL) != ENT_OK) return;
    }
    dump_text(b->null, blob, &options);
}

static void assert_refusal_has_text(const BlobFault* fault, size_t size) {
    assert_int_not_equal(fault->status, ENT_OK);
    assert_true(fault->field[0] != 0);
    assert_true(fault->reason[0] != 0);
    assert_null(strstr(fault->reason, "(null)"));
    assert_true(fault->offset < size || fault->offset == 0 || size < sizeof(BlobHeader));
    assert_true(fault->offset <= size);
}

/* Opens the bytes in the guard: they are refused with a message, or used. */
static ent_status try_bytes(Behind* b, const u8* bytes, size_t size) {
    Blob             blob;
    BlobFault        fault;
    const ent_status status = ent_blob_open(&blob, bytes, size, NULL, &fault);
    if (status == ENT_OK) {
        b->opened++;
        use_behind(b, &blob);
    } else {
        b->refused++;
        assert_int_equal(fault.status, status);
        assert_refusal_has_text(&fault, size);
    }
    return status;
}

static u8* golden_copy(const Behind* b, Golden golden, bool other, size_t* size) {
    const Bytes bytes = golden_of(golden, other);
    assert_true(bytes.size <= GOLDEN_BYTES_MAX);
    *size = bytes.size;
    return memcpy(guard_at(&b->guard, bytes.size), bytes.at, bytes.size);
}

static void put_word(u8* bytes, size_t at, u32 word) { memcpy(bytes + at, &word, 4); }

static u32 get_word(const u8* bytes, size_t at) {
    u32 word;
    memcpy(&word, bytes + at, 4);
    return word;
}

/* --- the list --- */

static void component_list_has_contiguous_fields_and_unique_ids(void** state) {
    const ComponentType* const* type = all_types();
    UNUSED(state);
    for (u32 i = 0; i < ALL_TYPES; i++) {
        u32 sum = 0;
        for (u32 f = 0; f < type[i]->record.field_count; f++) {
            const Field* field = &type[i]->record.fields[f];
            assert_int_equal(field->offset, sum);
            assert_true(field->bytes % 4 == 0 && field->bytes >= 4 && field->bytes <= 16);
            sum += field->bytes;
            for (u32 k = 0; k < f; k++) {
                assert_string_not_equal(field->name, type[i]->record.fields[k].name);
            }
        }
        assert_int_equal(sum, type[i]->record.bytes);
        assert_int_not_equal(type[i]->id, 0);
        assert_int_equal(type[i]->id, hash_name(text_of(type[i]->record.name)));
        for (u32 k = 0; k < i; k++) {
            assert_int_not_equal(type[i]->id, type[k]->id);
            assert_int_not_equal(type[i]->layout, type[k]->layout);
            assert_string_not_equal(type[i]->record.name, type[k]->record.name);
        }
    }
    for (u32 i = 1; i < COMPONENT_COUNT; i++) {
        assert_true(ent_component_types()[i].order > ent_component_types()[i - 1].order);
    }
}

static void section_tables_have_contiguous_fields_and_users(void** state) {
    UNUSED(state);
    for (u32 kind = SECTION_NONE + 1; kind < SECTION_KIND_COUNT; kind++) {
        const RecordType* record = section_record(kind);
        u32               sum = 0, users = 0;
        assert_true((record != NULL) + section_is_bytes(kind) + (kind == SECTION_COMPONENT) == 1);
        for (u32 f = 0; record && f < record->field_count; f++) {
            assert_int_equal(record->fields[f].offset, sum);
            sum += record->fields[f].bytes;
        }
        if (record) assert_int_equal(sum, record->bytes);
        for (u32 type = 1; type < RESOURCE_COUNT; type++) users += section_allowed(type, kind);
        assert_true(users > 0);
        assert_false(section_allowed(RESOURCE_NONE, kind));
        assert_false(section_allowed(RESOURCE_COUNT, kind));
    }
}

/* Every default is in the range that its own table states. */
static void defaults_of_component_fields_are_in_range(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < ALL_TYPES; i++) {
        u8                record[256];
        const RecordType* type = &all_types()[i]->record;
        assert_true(type->bytes <= sizeof record);
        record_defaults(type, record);
        for (u32 f = 0; f < type->field_count; f++) {
            if (type->fields[f].required) continue;
            assert_null(field_fault(&type->fields[f], record + type->fields[f].offset));
        }
    }
}

/* --- valid blobs --- */

static void golden_blobs_in_both_byte_orders_open(void** state) {
    UNUSED(state);
    const BlobOptions options = all_options();
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const Bytes native = golden_of(g, false), other = golden_of(g, true);
        BlobFault   fault;
        Blob        blob = blob_valid(native, NULL);
        assert_true(native.size <= GOLDEN_BYTES_MAX);
        assert_int_equal(blob.size, native.size);
        assert_ptr_equal(blob.bytes, native.at);
        blob = blob_valid(native, &options);
        assert_int_equal(ent_blob_open(&blob, other.at, other.size, NULL, &fault),
                         ENT_OTHER_BYTE_ORDER);
        assert_string_equal(fault.field, "header.byte_order");
        assert_int_equal(fault.offset, offsetof(BlobHeader, byte_order));
        assert_non_null(strstr(fault.reason, "--target"));
        assert_int_equal(ent_blob_open(&blob, other.at, other.size, NULL, NULL),
                         ENT_OTHER_BYTE_ORDER);
    }
}

static void golden_blob_swapped_equals_blob_of_other_byte_order(void** state) {
    UNUSED(state);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const Bytes native = golden_of(g, false), other = golden_of(g, true);
        u8          work[GOLDEN_BYTES_MAX];
        assert_int_equal(native.size, other.size);
        memcpy(work, native.at, native.size);
        blob_swap(work, native.size, true);
        assert_memory_equal(work, other.at, other.size);
        blob_swap(work, native.size, false);
        assert_memory_equal(work, native.at, native.size);
        memcpy(work, other.at, other.size);
        blob_swap(work, other.size, false);
        assert_memory_equal(work, native.at, native.size);
    }
}

/* Each content has exactly one encoding: the writer gives the same bytes every time. */
static void golden_blob_written_twice_has_equal_bytes(void** state) {
    UNUSED(state);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        Bytes again = golden_make(g, target_native());
        assert_int_equal(again.size, golden_of(g, false).size);
        assert_memory_equal(again.at, golden_of(g, false).at, again.size);
        bytes_free(&again);
    }
}

static void golden_level_reads_back_with_its_content(void** state) {
    UNUSED(state);
    const Blob blob = blob_valid(golden_of(GOLDEN_LEVEL, false), NULL);
    Random     random = {7};
    assert_int_equal(blob.header->element_count, LEVEL_ENTITIES);
    assert_int_equal(blob.header->resource_type, RESOURCE_LEVEL);
    assert_memory_equal(ent_blob_data(&blob, ent_blob_section(&blob, SECTION_PARENT)), level_parent,
                        sizeof level_parent);
    for (u32 t = 0; t < COMPONENT_COUNT; t++) {
        const ComponentType* type = &ent_component_types()[t];
        const BlobSection*   s = ent_blob_component(&blob, type->id);
        const bool           several = type->several == SEVERAL;
        assert_int_equal(s->count, several ? SEVERAL_COUNT : SINGLE_COUNT);
        assert_memory_equal(ent_blob_data(&blob, s), several ? several_owner : single_owner,
                            4 * s->count);
        for (u32 i = 0; i < s->count; i++) {
            u8 record[256];
            random_record(&random, &type->record, LEVEL_ENTITIES, record);
            for (u32 c = 0; c < ent_component_column_count(type); c++) {
                const u32 bytes = ent_component_column_bytes(type, c);
                const u8* column = ent_blob_column(&blob, s, type, c);
                assert_memory_equal(column + i * bytes,
                                    record + ent_component_column_offset(type, c), bytes);
            }
        }
    }
    for (u32 i = 0; i < LEVEL_ENTITIES; i++) {
        const char name[] = {'e', (char)('0' + i), 0};
        assert_string_equal(ent_blob_name(&blob, i), name);
    }
    for (u32 i = 0; i < TEST_REFERENCES; i++) {
        assert_string_equal(ent_blob_reference_name(&blob, i), test_reference_name(i));
    }
    assert_null(ent_blob_section(&blob, SECTION_MATERIAL));
    assert_null(ent_blob_component(&blob, 12345));
    const Blob clip = blob_valid(golden_of(GOLDEN_CLIP, false), NULL);
    assert_string_equal(ent_blob_name(&clip, 0), "");
}

/* --- missing and additional bytes --- */

/* In an allocation of exactly that size, and at the end of a page. */
static ent_status try_exactly(Behind* b, const u8* bytes, size_t size, BlobFault* fault) {
    Blob  blob;
    void* exact;
    assert_int_equal(posix_memalign(&exact, 16, size ? size : 1), 0);
    memcpy(exact, bytes, size);
    const ent_status status = ent_blob_open(&blob, exact, size, NULL, fault);
    free(exact);
    assert_refusal_has_text(fault, size);
    u8* at = guard_at(&b->guard, size);
    memcpy(at, bytes, size);
    assert_int_equal(ent_blob_open(&blob, at, size, NULL, NULL), status);
    b->refused++;
    return status;
}

static void blob_truncated_at_any_byte_is_refused(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        for (int other = 0; other < 2; other++) {
            const Bytes bytes = golden_of(g, other);
            for (size_t size = 0; size < bytes.size; size++) {
                BlobFault        fault;
                const ent_status status = try_exactly(&b, bytes.at, size, &fault);
                if (size < 4)
                    assert_int_equal(status, ENT_NOT_A_BLOB);
                else if (size < sizeof(BlobHeader) || !other)
                    assert_int_equal(status, ENT_TRUNCATED);
                else
                    assert_int_equal(status, ENT_OTHER_BYTE_ORDER);
            }
        }
    }
    behind_close(&b, "truncations");
}

/* The same with the shorter size in the header and a matching checksum. */
static void blob_truncated_with_matching_header_is_refused(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const Bytes bytes = golden_of(g, false);
        u8          work[GOLDEN_BYTES_MAX];
        for (size_t size = sizeof(BlobHeader); size < bytes.size; size++) {
            BlobFault fault;
            memcpy(work, bytes.at, size);
            put_word(work, offsetof(BlobHeader, blob_bytes), (u32)size);
            hash_fix(work, size);
            assert_int_equal(try_exactly(&b, work, size, &fault), ENT_BAD_FIELD);
        }
    }
    behind_close(&b, "truncations with matching header");
}

static void blob_with_additional_bytes_is_refused(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const Bytes bytes = golden_of(g, false);
        u8          work[GOLDEN_BYTES_MAX + 64] = {0};
        BlobFault   fault;
        for (size_t size = bytes.size + 1; size <= bytes.size + 64; size++) {
            memcpy(work, bytes.at, bytes.size);
            assert_int_equal(try_exactly(&b, work, size, &fault), ENT_BAD_FIELD);
            assert_string_equal(fault.field, "header.blob_bytes");
            put_word(work, offsetof(BlobHeader, blob_bytes), (u32)size);
            hash_fix(work, size);
            assert_int_equal(try_exactly(&b, work, size, &fault), ENT_BAD_FIELD);
            assert_string_equal(fault.field, "header.blob_bytes");
        }
    }
    behind_close(&b, "extra bytes");
}

/* --- every byte --- */

static void blob_with_any_changed_byte_is_refused(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        for (int other = 0; other < 2; other++) {
            const u32 step = b.full || !other ? 1 : 7;
            size_t    size;
            u8*       bytes = golden_copy(&b, g, other, &size);
            for (size_t at = 0; at < size; at++) {
                const u8 valid = bytes[at];
                for (u32 change = 1 + (u32)at % step; change < 256; change += step) {
                    Blob      blob;
                    BlobFault fault;
                    bytes[at] = (u8)(valid ^ change);
                    assert_int_not_equal(ent_blob_open(&blob, bytes, size, NULL, &fault), ENT_OK);
                    assert_refusal_has_text(&fault, size);
                    b.refused++;
                }
                bytes[at] = valid;
            }
        }
    }
    behind_close(&b, "changed bytes");
}

/* All values of every byte, except in the last and largest goldens. */
static u32 sweep_step(const Behind* b, Golden golden) {
    return b->full || golden < GOLDEN_LEVEL ? 1 : 3;
}

static void blob_with_changed_byte_and_matching_checksum_is_refused_or_usable(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const u32 step = sweep_step(&b, g);
        size_t    size;
        u8*       bytes = golden_copy(&b, g, false, &size);
        for (size_t at = 0; at < size; at++) {
            const u8 valid = bytes[at];
            for (u32 change = 1 + (u32)at % step; change < 256; change += step) {
                bytes[at] = (u8)(valid ^ change);
                hash_fix(bytes, size);
                try_bytes(&b, bytes, size);
            }
            bytes[at] = valid;
        }
    }
    behind_close(&b, "changed bytes with matching checksum");
}

static u32 boundary(u32 which, u32 old, u32 size, u32 elements) {
    const u32 value[] = {0,          1,          2,          size - 1,     size,
                         size + 1,   size / 4,   size - 64,  0x80000000,   0xffffffff,
                         0xfffffffe, 0x7fffffff, 0x7f800000, 0x7fc00000,   0xff800000,
                         0x7f7fffff, 0x3f800000, 0xbf800000, 0x00000400,   0x10000000,
                         0x40000000, 0xfffffff0, elements,   elements - 1, elements + 1,
                         old + 1,    old - 1,    old * 2,    old + 16,     old - 16};
    return which < COUNT_OF(value) ? value[which] : old;
}
#define BOUNDARIES 30

static void blob_with_boundary_value_in_any_word_is_refused_or_usable(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        size_t size;
        u8*    bytes = golden_copy(&b, g, false, &size);
        for (size_t at = 0; at < size; at += 4) {
            const u32 valid = get_word(bytes, at);
            for (u32 i = 0; i < BOUNDARIES; i++) {
                const u32 elements = get_word(bytes, offsetof(BlobHeader, element_count));
                put_word(bytes, at, boundary(i, valid, (u32)size, elements));
                hash_fix(bytes, size);
                try_bytes(&b, bytes, size);
                put_word(bytes, at, valid);
            }
        }
    }
    behind_close(&b, "boundary words");
}

/* Two words of header and section table at once. */
static void blob_with_two_changed_header_words_is_refused_or_usable(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    const Golden last = b.full ? GOLDEN_LEVEL : GOLDEN_PLUGIN;
    for (u32 g = 0; g <= last; g++) {
        size_t       size;
        u8*          bytes = golden_copy(&b, g, false, &size);
        const u32    sections = get_word(bytes, offsetof(BlobHeader, section_count));
        const size_t words = (sizeof(BlobHeader) + sections * sizeof(BlobSection)) / 4;
        const u32    value[] = {0, 1, (u32)size, (u32)size - 16, 0x80000000, 0xffffffff};
        for (size_t first = 0; first < words; first++) {
            for (size_t second = first + 1; second < words; second++) {
                const u32 a = get_word(bytes, first * 4), c = get_word(bytes, second * 4);
                for (u32 i = 0; i < COUNT_OF(value) * COUNT_OF(value); i++) {
                    put_word(bytes, first * 4, value[i % COUNT_OF(value)]);
                    put_word(bytes, second * 4, value[i / COUNT_OF(value)]);
                    hash_fix(bytes, size);
                    try_bytes(&b, bytes, size);
                }
                put_word(bytes, first * 4, a);
                put_word(bytes, second * 4, c);
            }
        }
    }
    behind_close(&b, "pairs of words");
}

/* Several bytes at any place, with a matching checksum: damage that the tests above do not
 * cover. */
static void blob_with_random_damage_is_refused_or_usable(void** state) {
    Behind b;
    UNUSED(state);
    Random random = {test_seed("random damage", 20)};
    behind_open(&b);
    for (u32 round = 0; round < (b.full ? 5000000u : 200000u); round++) {
        const Golden g = random_below(&random, GOLDEN_COUNT);
        size_t       size;
        u8*          bytes = golden_copy(&b, g, false, &size);
        const u32    hits = 1 + random_below(&random, 6);
        for (u32 i = 0; i < hits; i++) {
            const u32 at = random_below(&random, (u32)size / 4) * 4;
            const u32 old = get_word(bytes, at);
            if (random_below(&random, 2))
                bytes[at + random_below(&random, 4)] = (u8)random_next(&random);
            else
                put_word(bytes, at, boundary(random_below(&random, BOUNDARIES), old, (u32)size, 4));
        }
        hash_fix(bytes, size);
        try_bytes(&b, bytes, size);
    }
    behind_close(&b, "random damage");
}

/* The tools convert a blob of the other byte order before they read it. */
static void damaged_blob_of_other_byte_order_is_converted_safely(void** state) {
    Behind b;
    UNUSED(state);
    behind_open(&b);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        size_t size;
        u8*    bytes = golden_copy(&b, g, true, &size);
        for (size_t at = 0; at < size; at++) {
            const u8  valid = bytes[at];
            const u32 step = b.full ? 1 : 7;
            for (u32 change = (u32)at % step; change < 256; change += step) {
                BlobFile file = {.bytes = bytes, .size = size};
                bytes[at] = (u8)(valid ^ change);
                const u64 hash = blob_hash(bytes, size);
                put_word(bytes, offsetof(BlobHeader, hash), word_swap((u32)hash));
                put_word(bytes, offsetof(BlobHeader, hash) + 4, word_swap((u32)(hash >> 32)));
                if (blob_file_validate(&file, NULL) == ENT_OK) {
                    b.opened++;
                    use_behind(&b, &file.blob);
                } else {
                    b.refused++;
                    assert_refusal_has_text(&file.fault, size);
                    assert_int_not_equal(change, 0);
                }
                blob_file_close(&file);
            }
            bytes[at] = valid;
        }
    }
    behind_close(&b, "other order");
}

/* --- what is reported about damage --- */

typedef enum Where { HERE, ANYWHERE, HEADER, ENTRY, TYPE_ENTRY, DATA, OWNER, COLUMN, PAD } Where;

typedef struct Place {
    Where where;
    u32   section; /* SECTION_XXX of ENTRY and DATA; COMPONENT_XXX of the others */
    u32   column;
    u32   byte;
} Place;

typedef struct Damage {
    Golden      golden;
    Place       place;
    u32         value; /* written there, `words` times */
    u32         words;
    ent_status  status;
    const char* field;
    Place       reported; /* the place that the refusal names; HERE: `place` */
} Damage;

/* clang-format off */
#define AT_PLACE                      {HERE, 0, 0, 0}
#define AT_SOME_PLACE                 {ANYWHERE, 0, 0, 0}
#define AT_HEADER(member)             {HEADER, 0, 0, offsetof(BlobHeader, member)}
#define AT_ENTRY(kind, member)        {ENTRY, SECTION_##kind, 0, offsetof(BlobSection, member)}
#define AT_TYPE_ENTRY(name, m)        {TYPE_ENTRY, COMPONENT_##name, 0, offsetof(BlobSection, m)}
#define AT_DATA(kind, byte)           {DATA, SECTION_##kind, 0, byte}
#define AT_RECORD(kind, row, Type, m) {DATA, SECTION_##kind, 0, IN_RECORD(row, Type, m)}
#define AT_OWNER(name, row)           {OWNER, COMPONENT_##name, 0, 4 * row}
#define AT_PAD(name)                  {PAD, COMPONENT_##name, 0, 0}
#define AT_COLUMN(name, column, byte) {COLUMN, COMPONENT_##name, column, byte}
#define AT_FIELD(name, row, Type, m)  {COLUMN, COMPONENT_##name, 0, IN_RECORD(row, Type, m)}
#define IN_RECORD(row, Type, m)       (row) * sizeof(Type) + offsetof(Type, m)
#define AT_DECLARATION(m)             AT_RECORD(DECLARATION, 0, DeclarationRecord, m)
#define AT_DECLARED(row, m)           AT_RECORD(DECLARED_FIELD, row, DeclaredFieldRecord, m)
#define DECLARED(row, m, value, words, field) \
    {GOLDEN_COMPONENT, AT_DECLARED(row, m), value, words, ENT_BAD_FIELD, field, AT_PLACE}
/* clang-format on */

#define NOT_A_NUMBER 0x7fc00000u
#define INFINITE     0x7f800000u
#define ONE          0x3f800000u

static const Damage damages[] = {
    {GOLDEN_LEVEL, AT_HEADER(magic), 0x01020304, 1, ENT_NOT_A_BLOB, "header.magic", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(byte_order), 0x04030201, 1, ENT_OTHER_BYTE_ORDER, "header.byte_order",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(byte_order), 7, 1, ENT_BAD_FIELD, "header.byte_order", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(version), 2, 1, ENT_BAD_VERSION, "header.version", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(resource_type), 0, 1, ENT_BAD_FIELD, "header.resource_type", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(resource_type), RESOURCE_COUNT, 1, ENT_BAD_FIELD,
     "header.resource_type", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(resource), 0, 2, ENT_BAD_FIELD, "header.resource", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(blob_bytes), 64, 1, ENT_BAD_FIELD, "header.blob_bytes", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(blob_bytes), 1 << 20, 1, ENT_TRUNCATED, "header.blob_bytes", AT_PLACE},
    {GOLDEN_LEVEL, AT_HEADER(section_count), 1 << 30, 1, ENT_BAD_FIELD, "header.section_count",
     AT_PLACE},
    {GOLDEN_MATERIAL, AT_HEADER(section_count), 0, 1, ENT_BAD_FIELD, "header.blob_bytes",
     AT_HEADER(blob_bytes)},
    {GOLDEN_LEVEL, AT_HEADER(element_count), 2, 1, ENT_BAD_FIELD, "transform[1].entity_index",
     AT_OWNER(TRANSFORM, 1)},
    {GOLDEN_LEVEL, AT_HEADER(element_count), 5, 1, ENT_BAD_FIELD, "section[0].count",
     AT_ENTRY(PARENT, count)},
    {GOLDEN_EMPTY, AT_HEADER(element_count), 1, 1, ENT_BAD_FIELD, "header.section_count",
     AT_HEADER(section_count)},
    {GOLDEN_LEVEL, AT_HEADER(zero[2]), 1, 1, ENT_BAD_FIELD, "header.zero", AT_HEADER(zero)},

    {GOLDEN_LEVEL, AT_ENTRY(PARENT, kind), 99, 1, ENT_BAD_FIELD, "section[0].kind", AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, kind), SECTION_INDEX, 1, ENT_BAD_FIELD, "section[0].kind",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, identifier), 1, 1, ENT_BAD_FIELD, "section[0].identifier",
     AT_PLACE},
    {GOLDEN_SKELETON, AT_ENTRY(BIND, kind), SECTION_JOINT, 1, ENT_BAD_FIELD, "section[1].kind",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, layout), 1, 1, ENT_BAD_FIELD, "section[0].layout", AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, count), 0, 1, ENT_BAD_FIELD, "section[0].count", AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, stride), 8, 1, ENT_BAD_FIELD, "section[0].stride", AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, offset), 16, 1, ENT_BAD_FIELD, "section[0].offset", AT_PLACE},
    {GOLDEN_LEVEL, AT_ENTRY(PARENT, bytes), 12, 1, ENT_BAD_FIELD, "section[0].bytes", AT_PLACE},
    {GOLDEN_LEVEL, AT_TYPE_ENTRY(LIGHT, layout), 5, 1, ENT_BAD_FIELD, "section[12].layout",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_TYPE_ENTRY(TRANSFORM, column_count), 2, 1, ENT_BAD_FIELD,
     "section[1].column_count", AT_PLACE},

    {GOLDEN_LEVEL, AT_DATA(PARENT, 4), 2, 1, ENT_BAD_FIELD, "parent[1].parent", AT_PLACE},
    {GOLDEN_LEVEL, AT_DATA(PARENT, 4), 1, 1, ENT_BAD_FIELD, "parent[1].parent", AT_PLACE},
    {GOLDEN_LEVEL, AT_COLUMN(TRANSFORM, 0, 0), NOT_A_NUMBER, 1, ENT_BAD_FIELD,
     "transform[0].position", AT_PLACE},
    {GOLDEN_LEVEL, AT_COLUMN(TRANSFORM, 0, 12), INFINITE, 1, ENT_BAD_FIELD, "transform[1].position",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_COLUMN(TRANSFORM, 1, 16), ONE, 4, ENT_BAD_FIELD, "transform[1].rotation",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_OWNER(CAMERA, 1), 0, 1, ENT_BAD_FIELD, "camera[1].entity_index", AT_PLACE},
    {GOLDEN_LEVEL, AT_OWNER(CAMERA, 1), 4, 1, ENT_BAD_FIELD, "camera[1].entity_index", AT_PLACE},
    {GOLDEN_LEVEL, AT_OWNER(LIGHT, 0), 3, 1, ENT_BAD_FIELD, "light[1].entity_index",
     AT_OWNER(LIGHT, 1)},
    {GOLDEN_LEVEL, AT_FIELD(MESH, 0, MeshRecord, resource), 5, 2, ENT_BAD_FIELD, "mesh[0].resource",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(MESH, 1, MeshRecord, resource), 0, 2, ENT_BAD_FIELD, "mesh[1].resource",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(MESH, 2, MeshRecord, layer), 32, 1, ENT_BAD_FIELD, "mesh[2].layer",
     AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(LIGHT, 0, LightRecord, kind), LIGHT_KIND_COUNT, 1, ENT_BAD_FIELD,
     "light[0].kind", AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(LIGHT, 1, LightRecord, casts_shadow), 2, 1, ENT_BAD_FIELD,
     "light[1].casts_shadow", AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(LIGHT, 2, LightRecord, range_m), 0, 1, ENT_BAD_FIELD,
     "light[2].range_m", AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(CAMERA, 0, CameraRecord, target), LEVEL_ENTITIES, 1, ENT_BAD_FIELD,
     "camera[0].target", AT_PLACE},
    {GOLDEN_LEVEL, AT_FIELD(NAME, 0, NameRecord, id), 0, 1, ENT_BAD_FIELD, "name[0].id", AT_PLACE},
    {GOLDEN_LEVEL, AT_PAD(CAMERA), 1, 1, ENT_BAD_FIELD, "padding", AT_PLACE},
    {GOLDEN_LEVEL, AT_DATA(NAME_OFFSET, 4), 2, 1, ENT_BAD_FIELD, "name_offset[1]", AT_PLACE},
    {GOLDEN_LEVEL, AT_DATA(NAME, 8), 0x656565, 1, ENT_BAD_FIELD, "name_offset[3]", AT_SOME_PLACE},
    {GOLDEN_LEVEL, AT_RECORD(REFERENCE, 1, ReferenceRecord, id), 0, 2, ENT_BAD_FIELD,
     "reference[1].id", AT_PLACE},
    {GOLDEN_LEVEL, AT_RECORD(REFERENCE, 0, ReferenceRecord, type), 0, 1, ENT_BAD_FIELD,
     "reference[0].type", AT_PLACE},
    {GOLDEN_LEVEL, AT_RECORD(REFERENCE, 1, ReferenceRecord, name), 0, 1, ENT_BAD_FIELD,
     "reference[1]", AT_PLACE},

    {GOLDEN_GROUPS, AT_FIELD(CAMERA, 0, CameraRecord, target), 2, 1, ENT_BAD_FIELD,
     "camera[0].target", AT_PLACE}, /* outside the base */
    {GOLDEN_GROUPS, AT_FIELD(CAMERA, 1, CameraRecord, target), 4, 1, ENT_BAD_FIELD,
     "camera[1].target", AT_PLACE}, /* into the next group */
    {GOLDEN_GROUPS, AT_FIELD(CAMERA, 2, CameraRecord, target), 3, 1, ENT_BAD_FIELD,
     "camera[2].target", AT_PLACE}, /* into the previous group */
    {GOLDEN_GROUPS, AT_OWNER(CAMERA, 1), 2, 1, ENT_OK, "", AT_SOME_PLACE},
    {GOLDEN_GROUPS, AT_FIELD(CAMERA, 1, CameraRecord, target), 1, 1, ENT_OK, "", AT_SOME_PLACE},
    {GOLDEN_GROUPS, AT_DATA(PARENT, 4 * 4), 3, 1, ENT_BAD_FIELD, "parent[4].parent", AT_PLACE},
    {GOLDEN_GROUPS, AT_DATA(PARENT, 4 * 5), 2, 1, ENT_BAD_FIELD, "parent[5].parent", AT_PLACE},
    {GOLDEN_GROUPS, AT_DATA(PARENT, 4 * 5), 4, 1, ENT_OK, "", AT_SOME_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 0, GroupRecord, id), 0, 1, ENT_BAD_FIELD, "group[0].id",
     AT_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 0, GroupRecord, id), NONE, 1, ENT_BAD_FIELD, "group[0].id",
     AT_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 1, GroupRecord, id), 1, 1, ENT_BAD_FIELD, "group[1].id",
     AT_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 0, GroupRecord, first), 4, 1, ENT_BAD_FIELD, "group[1].first",
     AT_RECORD(GROUP, 1, GroupRecord, first)},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 1, GroupRecord, first), 2, 1, ENT_BAD_FIELD, "group[1].first",
     AT_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 1, GroupRecord, first), GROUPS_ENTITIES, 1, ENT_BAD_FIELD,
     "group[1].first", AT_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 0, GroupRecord, first), 1, 1, ENT_OK, "", AT_SOME_PLACE},
    {GOLDEN_GROUPS, AT_RECORD(GROUP, 1, GroupRecord, name), 0, 1, ENT_BAD_FIELD, "group[1]",
     AT_PLACE},
    {GOLDEN_GROUPS, AT_DATA(GROUP_NAME, 0), 0x67393967, 1, ENT_BAD_FIELD, "group[1]",
     AT_RECORD(GROUP, 1, GroupRecord, name)},
    {GOLDEN_GROUPS, AT_ENTRY(GROUP, kind), SECTION_MATERIAL, 1, ENT_BAD_FIELD, "section[5].kind",
     AT_PLACE},

    {GOLDEN_MATERIAL, AT_RECORD(MATERIAL, 0, MaterialRecord, alpha_mode), MATERIAL_ALPHA_COUNT, 1,
     ENT_BAD_FIELD, "material[0].alpha_mode", AT_PLACE},
    {GOLDEN_MATERIAL, AT_HEADER(resource_type), RESOURCE_MESH, 1, ENT_BAD_FIELD, "section[0].kind",
     AT_ENTRY(MATERIAL, kind)},

    {GOLDEN_MESH, AT_DATA(INDEX, 4), 4, 1, ENT_BAD_FIELD, "mesh_part[0].vertex_count",
     AT_RECORD(MESH_PART, 0, MeshPartRecord, first_index)},
    {GOLDEN_MESH, AT_RECORD(MESH_PART, 1, MeshPartRecord, first_index), 5, 1, ENT_BAD_FIELD,
     "mesh_part[1].first_index", AT_PLACE},
    {GOLDEN_MESH, AT_RECORD(MESH_PART, 0, MeshPartRecord, index_count), 5, 1, ENT_BAD_FIELD,
     "mesh_part[0].index_count", AT_PLACE},
    {GOLDEN_MESH, AT_RECORD(MESH_PART, 2, MeshPartRecord, index_count), 0, 1, ENT_BAD_FIELD,
     "mesh_part[2].first_index", AT_RECORD(MESH_PART, 2, MeshPartRecord, first_index)},
    {GOLDEN_MESH, AT_RECORD(MESH_PART, 0, MeshPartRecord, topology), MESH_TOPOLOGY_COUNT, 1,
     ENT_BAD_FIELD, "mesh_part[0].topology", AT_PLACE},
    {GOLDEN_MESH, AT_RECORD(MESH_PART, 0, MeshPartRecord, vertex_count), 5, 1, ENT_BAD_FIELD,
     "mesh_part[0].first_vertex", AT_RECORD(MESH_PART, 0, MeshPartRecord, first_vertex)},
    {GOLDEN_MESH, AT_RECORD(MESH_PART, 0, MeshPartRecord, material), 1, 2, ENT_BAD_FIELD,
     "mesh_part[0].material", AT_PLACE},
    {GOLDEN_MESH, AT_DATA(VERTEX_WEIGHTS, 8), 0, 1, ENT_BAD_FIELD, "vertex_weights[1]", AT_PLACE},
    {GOLDEN_MESH, AT_HEADER(element_count), 3, 1, ENT_BAD_FIELD, "section[2].count",
     AT_ENTRY(POSITION, count)},

    {GOLDEN_SKELETON, AT_RECORD(BIND, 1, BindRecord, joint), JOINTS, 1, ENT_BAD_FIELD,
     "bind[1].joint", AT_PLACE},
    {GOLDEN_SKELETON, AT_RECORD(JOINT, 1, JointRecord, parent), 1, 1, ENT_BAD_FIELD,
     "joint[1].parent", AT_PLACE},
    {GOLDEN_SKELETON, AT_DATA(NAME, 8), 0x656565, 1, ENT_BAD_FIELD, "name_offset[2]",
     AT_SOME_PLACE},

    {GOLDEN_CLIP, AT_RECORD(TRACK, 1, TrackRecord, first_time), 3, 1, ENT_BAD_FIELD,
     "track[1].first_time", AT_PLACE},
    {GOLDEN_CLIP, AT_RECORD(TRACK, 1, TrackRecord, key_count), 0, 1, ENT_BAD_FIELD,
     "track[1].key_count", AT_PLACE},
    {GOLDEN_CLIP, AT_RECORD(TRACK, 2, TrackRecord, first_value), 15, 1, ENT_BAD_FIELD,
     "track[2].first_value", AT_PLACE},
    {GOLDEN_CLIP, AT_RECORD(TRACK, 3, TrackRecord, interpolation), CLIP_CUBIC, 1, ENT_BAD_FIELD,
     "track[3].packing", AT_RECORD(TRACK, 3, TrackRecord, packing)},
    {GOLDEN_CLIP, AT_RECORD(TRACK, 3, TrackRecord, packing), CLIP_FLOATS, 1, ENT_BAD_FIELD,
     "track[3].first_value", AT_RECORD(TRACK, 3, TrackRecord, first_value)},
    {GOLDEN_CLIP, AT_RECORD(TRACK, 4, TrackRecord, first_value), 3, 1, ENT_BAD_FIELD,
     "track[4].first_value", AT_PLACE},
    {GOLDEN_CLIP, AT_DATA(KEY_PACKED, 4), 0x40000000, 1, ENT_BAD_FIELD, "key_packed[1].word",
     AT_PLACE},
    {GOLDEN_CLIP, AT_DATA(KEY_PACKED, 8), INFINITE, 1, ENT_BAD_FIELD, "key_packed[2].word",
     AT_PLACE},
    {GOLDEN_CLIP, AT_DATA(KEY_PACKED, 20), 0xbf800000, 1, ENT_BAD_FIELD, "key_packed[5].word",
     AT_PLACE},
    {GOLDEN_CLIP, AT_DATA(KEY_PACKED, 36), 0x80000000, 1, ENT_BAD_FIELD, "key_packed[9].word",
     AT_PLACE},
    {GOLDEN_CLIP, AT_DATA(KEY_TIME, 4), 0, 1, ENT_BAD_FIELD, "key_time[1]", AT_PLACE},
    {GOLDEN_CLIP, AT_DATA(KEY_VALUE, 4), INFINITE, 1, ENT_BAD_FIELD, "key_value[1].value",
     AT_PLACE},
    {GOLDEN_PACKAGE, AT_HEADER(element_count), 3, 1, ENT_BAD_FIELD, "section[0].count",
     AT_ENTRY(REFERENCE, count)},
    {GOLDEN_PACKAGE, AT_HEADER(element_count), 0, 1, ENT_BAD_FIELD, "section[0].count",
     AT_ENTRY(REFERENCE, count)},
    {GOLDEN_PACKAGE, AT_HEADER(resource_type), RESOURCE_CLIP, 1, ENT_BAD_FIELD, "section[0].kind",
     AT_ENTRY(REFERENCE, kind)},
    {GOLDEN_CLIP, AT_HEADER(element_count), 2, 1, ENT_BAD_FIELD, "section[1].count",
     AT_ENTRY(TRACK, count)},

    {GOLDEN_COMPONENT, AT_HEADER(element_count), 0, 1, ENT_BAD_FIELD, "header.element_count",
     AT_PLACE},
    {GOLDEN_COMPONENT, AT_HEADER(element_count), 17, 1, ENT_BAD_FIELD, "header.element_count",
     AT_PLACE},
    {GOLDEN_COMPONENT, AT_HEADER(element_count), 9, 1, ENT_BAD_FIELD, "section[1].count",
     AT_ENTRY(DECLARED_FIELD, count)},
    {GOLDEN_COMPONENT, AT_DECLARATION(name), 1, 1, ENT_BAD_FIELD, "declaration[0].name", AT_PLACE},
    {GOLDEN_COMPONENT, AT_DECLARATION(text), 7, 1, ENT_BAD_FIELD, "declaration[0].text", AT_PLACE},
    {GOLDEN_COMPONENT, AT_DECLARATION(id), 7, 1, ENT_BAD_FIELD, "declaration[0].id", AT_PLACE},
    {GOLDEN_COMPONENT, AT_DECLARATION(layout), 7, 1, ENT_BAD_FIELD, "declaration[0].layout",
     AT_PLACE},
    {GOLDEN_COMPONENT, AT_DECLARATION(order), 1000001, 1, ENT_BAD_FIELD, "declaration[0].order",
     AT_PLACE},
    {GOLDEN_COMPONENT, AT_DECLARATION(several), 2, 1, ENT_BAD_FIELD, "declaration[0].several",
     AT_PLACE},
    {GOLDEN_COMPONENT, AT_DATA(DECLARATION_TEXT, 0), 0x6f686758, 1, ENT_BAD_FIELD,
     "declaration[0].name", AT_DECLARATION(name)},
    {GOLDEN_COMPONENT, AT_DATA(DECLARATION_TEXT, 8), 0xffffffff, 1, ENT_BAD_FIELD,
     "declaration[0].text", AT_DECLARATION(text)},
    DECLARED(3, kind, FIELD_KIND_COUNT, 1, "declared_field[3].kind"),
    DECLARED(0, name, 0, 1, "declared_field[0].name"),
    DECLARED(1, unit, 0, 1, "declared_field[1].unit"),
    DECLARED(1, text, 1u << 31, 1, "declared_field[1].text"),
    DECLARED(0, value, 0x41200000, 1, "declared_field[0].value"), /* 10 */
    {GOLDEN_COMPONENT, AT_DECLARED(1, value.w), ONE, 1, ENT_BAD_FIELD, "declared_field[1].value",
     AT_DECLARED(1, value)},
    DECLARED(2, value, 0, 4, "declared_field[2].value"),
    DECLARED(2, lowest, 0xc0000000, 1, "declared_field[2].lowest"), /* -2 */
    DECLARED(0, lowest, 0x41200000, 1, "declared_field[0].lowest"),
    DECLARED(0, word, 1, 1, "declared_field[0].word"),
    DECLARED(3, word, 10, 1, "declared_field[3].word"),
    DECLARED(3, word, 0, 1, "declared_field[3].word"),
    DECLARED(3, least, 10, 1, "declared_field[3].least"),
    DECLARED(3, lowest, ONE, 1, "declared_field[3].lowest"),
    DECLARED(3, value, ONE, 1, "declared_field[3].value"),
    DECLARED(4, word, 2, 1, "declared_field[4].word"),
    DECLARED(4, least, 1, 1, "declared_field[4].least"),
    DECLARED(5, word, 2, 1, "declared_field[5].word"),
    DECLARED(5, text_count, 0, 1, "declared_field[5].text_count"),
    DECLARED(5, text_count, 5, 1, "declared_field[5].text_count"),
    DECLARED(9, first_text, 1, 1, "declared_field[9].first_text"),
    DECLARED(6, text_count, 1, 1, "declared_field[6].text_count"),
    DECLARED(6, word, 1, 1, "declared_field[6].word"),
    DECLARED(9, word, 1, 1, "declared_field[9].word"),
    DECLARED(7, refers_to, RESOURCE_MESH, 1, "declared_field[7].refers_to"),
    DECLARED(8, refers_to, RESOURCE_NONE, 1, "declared_field[8].refers_to"),
    {GOLDEN_COMPONENT, AT_DATA(ENUM_TEXT, 4), 0, 1, ENT_BAD_FIELD, "enum_text[1].text", AT_PLACE},
    /* The name at 44 becomes "noon", which is the name of the field before; "2nd" becomes "red", or
     * "". */
    {GOLDEN_COMPONENT, AT_DATA(DECLARATION_TEXT, 44), 0x6e6f6f6e, 1, ENT_BAD_FIELD,
     "declared_field[2].name", AT_DECLARED(2, name)},
    {GOLDEN_COMPONENT, AT_DATA(DECLARATION_TEXT, sizeof declared_text - 4), 0x00646572, 1,
     ENT_BAD_FIELD, "enum_text[3].text", AT_DATA(ENUM_TEXT, 12)},
};

static u32 place_find(const Blob* blob, Place place) {
    const ComponentType* type = &ent_component_types()[place.section % COMPONENT_COUNT];
    const BlobSection*   s = ent_blob_component(blob, type->id);
    if (place.where == HEADER) return place.byte;
    if (place.where == ENTRY || place.where == DATA) s = ent_blob_section(blob, place.section);
    assert_non_null(s);
    switch (place.where) {
    case ENTRY:
    case TYPE_ENTRY: return (u32)((const u8*)s - blob->bytes) + place.byte;
    case PAD: return s->offset + s->count * 4;
    case COLUMN:
        return s->offset + (u32)component_column_start(type, s->count, place.column) + place.byte;
    default: return s->offset + place.byte;
    }
}

static void damaged_field_of_each_kind_is_named_in_refusal(void** state) {
    u32 wrong = 0;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(damages); i++) {
        const Damage*   d = &damages[i];
        const Bytes     valid = golden_of(d->golden, false);
        const Blob      blob = blob_valid(valid, NULL);
        _Alignas(16) u8 work[GOLDEN_BYTES_MAX];
        Blob            opened;
        BlobFault       fault;
        const u32       at = place_find(&blob, d->place);
        memcpy(work, valid.at, valid.size);
        for (u32 k = 0; k < d->words; k++) put_word(work, at + 4 * k, d->value);
        hash_fix(work, valid.size);
        const ent_status status = ent_blob_open(&opened, work, valid.size, NULL, &fault);
        const u32        reported = d->reported.where == HERE       ? at
                                    : d->reported.where == ANYWHERE ? fault.offset
                                                                    : place_find(&blob, d->reported);
        assert_null(strstr(fault.reason, "(null)"));
        if (status == d->status && strcmp(fault.field, d->field) == 0 && fault.offset == reported) {
            continue;
        }
        print_error("damage %u of %s: %s at %u (%s), not %s at %u\n", i, golden_names[d->golden],
                    fault.field, fault.offset, fault.reason, d->field, reported);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void checksum_mismatch_is_refused_and_named(void** state) {
    UNUSED(state);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const Bytes       valid = golden_of(g, false);
        const BlobOptions trusting = {.skip_hash = 1};
        _Alignas(16) u8   work[GOLDEN_BYTES_MAX];
        Blob              blob;
        BlobFault         fault;
        memcpy(work, valid.at, valid.size);
        work[offsetof(BlobHeader, hash)] ^= 1;
        assert_int_equal(ent_blob_open(&blob, work, valid.size, NULL, &fault), ENT_BAD_HASH);
        assert_string_equal(fault.field, "header.hash");
        assert_int_equal(fault.offset, offsetof(BlobHeader, hash));
        assert_int_equal(ent_blob_open(&blob, work, valid.size, &trusting, &fault), ENT_OK);
        assert_int_equal(fault.status, ENT_OK);
    }
}

/* --- one encoding of one content --- */

/* Marks the bytes of a blob that have a meaning. */
static void cover(const Blob* blob, u8* covered) {
    const u32         sections = blob->header->section_count;
    const BlobOptions options = all_options();
    memset(covered, 0, blob->size);
    memset(covered, 1, sizeof(BlobHeader) + sections * sizeof(BlobSection));
    for (u32 i = 0; i < sections; i++) {
        const BlobSection*   s = &blob->section[i];
        const ComponentType* type = known_type_find(&options, s->identifier);
        if (s->kind != SECTION_COMPONENT) {
            memset(covered + s->offset, 1, s->bytes);
            continue;
        }
        memset(covered + s->offset, 1, 4 * s->count);
        for (u32 c = 0; c < ent_component_column_count(type); c++) {
            memset(covered + s->offset + component_column_start(type, s->count, c), 1,
                   (size_t)s->count * ent_component_column_bytes(type, c));
        }
    }
}

static void blob_with_nonzero_padding_is_refused(void** state) {
    u32 gaps = 0;
    UNUSED(state);
    for (u32 g = 0; g < GOLDEN_COUNT; g++) {
        const Bytes       valid = golden_of(g, false);
        const BlobOptions options = all_options();
        const Blob        blob = blob_valid(valid, &options);
        _Alignas(16) u8   work[GOLDEN_BYTES_MAX];
        u8                covered[GOLDEN_BYTES_MAX];
        u32               gap = 0;
        cover(&blob, covered);
        memcpy(work, valid.at, valid.size);
        for (u32 at = 0; at < valid.size; at++) {
            if (covered[at]) {
                gap = at + 1;
                continue;
            }
            gaps++;
            for (u32 value = 1; value < 256; value++) {
                Blob      opened;
                BlobFault fault;
                work[at] = (u8)value;
                hash_fix(work, valid.size);
                assert_int_equal(ent_blob_open(&opened, work, valid.size, &options, &fault),
                                 ENT_BAD_FIELD);
                assert_string_equal(fault.field, "padding");
                assert_int_equal(fault.offset, gap);
            }
            work[at] = 0;
        }
    }
    assert_true(gaps > 100);
}

/* A level without entities that has one section. */
static ent_status open_one_section(u32 kind, const void* records, u32 count, BlobFault* fault) {
    _Alignas(16) u8   work[256] = {0};
    const RecordType* record = section_record(kind);
    const u32         stride = record ? record->bytes : 1;
    const BlobSection section = {.kind = kind,
                                 .layout = record ? record_layout_hash(record) : 0,
                                 .count = count,
                                 .stride = stride,
                                 .offset = sizeof(BlobHeader) + sizeof(BlobSection),
                                 .bytes = count * stride,
                                 .column_count = 1};
    const size_t      size = align_up(section.offset + section.bytes, BLOB_ALIGN);
    Blob              blob;
    memcpy(work, golden_of(GOLDEN_EMPTY, false).at, sizeof(BlobHeader));
    memcpy(work + sizeof(BlobHeader), &section, sizeof section);
    memcpy(work + section.offset, records, section.bytes);
    put_word(work, offsetof(BlobHeader, section_count), 1);
    put_word(work, offsetof(BlobHeader, blob_bytes), (u32)size);
    hash_fix(work, size);
    return ent_blob_open(&blob, work, size, NULL, fault);
}

static void blob_with_names_or_offsets_alone_is_refused(void** state) {
    static const u32      zero[4] = {0};
    const ReferenceRecord reference = {{1, 0}, RESOURCE_MESH, 0};
    BlobFault             fault;
    UNUSED(state);
    assert_int_equal(open_one_section(SECTION_NAME, "a", 2, &fault), ENT_BAD_FIELD);
    assert_non_null(strstr(fault.reason, "must both be present or both be absent"));
    assert_int_equal(open_one_section(SECTION_NAME_OFFSET, zero, 1, &fault), ENT_BAD_FIELD);
    assert_non_null(strstr(fault.reason, "must both be present or both be absent"));
    assert_int_equal(open_one_section(SECTION_REFERENCE_NAME, "a", 2, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "reference");
    assert_int_equal(open_one_section(SECTION_REFERENCE, &reference, 1, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "reference");
    /* There is no entity that could have a parent. */
    assert_int_equal(open_one_section(SECTION_PARENT, zero, 1, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[0].count");
    assert_int_equal(open_one_section(SECTION_GROUP_NAME, "a", 2, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "group");
    /* Nor one that could be in a group. */
    const GroupRecord group = {7, 0, 0};
    assert_int_equal(open_one_section(SECTION_GROUP, &group, 1, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "group[0].first");
}

/* With names, and without. */
static void groups_of_level_read_back_with_their_ranges(void** state) {
    static const u32 first[] = {0, 2, 4, GROUPS_ENTITIES};
    UNUSED(state);
    for (u32 names = 0; names < 2; names++) {
        Bytes      bytes = groups_level(target_native(), names);
        const Blob blob = blob_valid(bytes, NULL);
        assert_int_equal(ent_blob_group_count(&blob), 2);
        assert_int_equal(ent_blob_group_find(&blob, "g2"), NONE);
        assert_int_equal(ent_blob_group_find(&blob, ""), NONE);
        assert_int_equal(ent_blob_group_find(&blob, "g0") + ent_blob_group_find(&blob, "g1"), 1);
        for (u32 i = 0; i < 3; i++) {
            u32 from, end;
            ent_blob_group_range(&blob, i - 1, &from, &end); /* 0 - 1 is the base */
            assert_int_equal(from, first[i]);
            assert_int_equal(end, first[i + 1]);
        }
        for (u32 i = 0; i < GROUPS_ENTITIES; i++) {
            assert_int_equal(ent_blob_entity_group(&blob, i), i / 2 - 1);
        }
        for (u32 i = 0; i < 2; i++) {
            char      name[] = {'g', (char)('0' + i), 0};
            const u32 row = ent_blob_group_find(&blob, name);
            assert_int_equal(ent_blob_group_id(&blob, row), hash_name(text_of(name)));
            assert_string_equal(ent_blob_group_name(&blob, row), names ? name : "");
        }
        bytes_free(&bytes);
    }
    const Blob level = blob_valid(golden_of(GOLDEN_LEVEL, false), NULL);
    const Blob clip = blob_valid(golden_of(GOLDEN_CLIP, false), NULL);
    assert_int_equal(ent_blob_group_count(&level), 0);
    assert_int_equal(ent_blob_group_find(&level, "g0"), NONE);
    assert_int_equal(ent_blob_entity_group(&level, LEVEL_ENTITIES - 1), NONE);
    assert_int_equal(ent_blob_group_count(&clip), 0);
}

/* A group with an empty name, incorrect names, and rows that refer to missing names. */
static void blob_with_invalid_or_duplicate_group_name_is_refused(void** state) {
    BlobFault fault;
    Blob      opened;
    UNUSED(state);
    Bytes               bare = groups_level(target_native(), false);
    const Blob          blob = blob_valid(bare, NULL);
    const BlobSection*  s = ent_blob_section(&blob, SECTION_GROUP);
    const size_t        name = s->offset + offsetof(GroupRecord, name);
    const BlobOptions   no_types = {.types = all_types(), .type_count = 0};
    const ComponentType orbit = plugin_types()[PLUGIN_orbit];
    put_word(bare.at, name, 1);
    hash_fix(bare.at, bare.size);
    assert_int_equal(ent_blob_open(&opened, bare.at, bare.size, NULL, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "group[0].name");
    assert_int_equal(fault.offset, name);
    put_word(bare.at, name, 0);
    /* References of a type that is validated later are checked against the groups too. */
    const BlobSection* orbits = ent_blob_component(&blob, orbit.id);
    const size_t       center = orbits->offset + component_column_start(&orbit, orbits->count, 0);
    put_word(bare.at, center, 2);
    hash_fix(bare.at, bare.size);
    assert_int_equal(ent_blob_open(&opened, bare.at, bare.size, &no_types, &fault), ENT_OK);
    assert_int_equal(ent_blob_validate(&opened, &orbit, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "orbit[0].center");
    assert_int_equal(fault.offset, center);
    bytes_free(&bare);
    /* "g0" or "g1", NUL: the first name loses its text, and the second one gets it. */
    Bytes       named = groups_level(target_native(), true);
    const Blob  with = blob_valid(named, NULL);
    const u32   at = ent_blob_section(&with, SECTION_GROUP_NAME)->offset;
    const char* moved = ent_blob_group_name(&with, 1);
    char        text[6] = {0, 'g', 'x', moved[0], moved[1], 0};
    memcpy(named.at + at, text, sizeof text);
    put_word(named.at, ent_blob_section(&with, SECTION_GROUP)->offset + sizeof(GroupRecord) + 8, 1);
    hash_fix(named.at, named.size);
    assert_int_equal(ent_blob_open(&opened, named.at, named.size, NULL, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "group[0].name");
    bytes_free(&named);
}

/* If one entity has a name, each must have one: the last name is removed, with consistent sizes. */
static void blob_with_fewer_names_than_entities_is_refused(void** state) {
    static const Golden goldens[] = {GOLDEN_SKELETON, GOLDEN_ENTITY, GOLDEN_LEVEL};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(goldens); i++) {
        const Bytes        valid = golden_of(goldens[i], false);
        const Blob         blob = blob_valid(valid, NULL);
        _Alignas(16) u8    work[GOLDEN_BYTES_MAX];
        const BlobSection *offset = ent_blob_section(&blob, SECTION_NAME_OFFSET),
                          *name = ent_blob_section(&blob, SECTION_NAME);
        BlobSection fewer[] = {*offset, *name};
        const u32   last = get_word(valid.at, offset->offset + offset->bytes - 4);
        char        field[32];
        Blob        opened;
        BlobFault   fault;
        assert_ptr_equal(offset + 1, name);
        fewer[0].count--, fewer[0].bytes -= 4;
        fewer[1].count = fewer[1].bytes = last;
        memcpy(work, valid.at, valid.size);
        memcpy(work + ((const u8*)offset - valid.at), fewer, sizeof fewer);
        memset(work + offset->offset + fewer[0].bytes, 0, 4);
        memset(work + name->offset + last, 0, name->bytes - last);
        assert_int_equal(align_up(fewer[0].bytes, 16), align_up(offset->bytes, 16));
        assert_int_equal(align_up(last, 16), align_up(name->bytes, 16));
        hash_fix(work, valid.size);
        snprintf(field, sizeof field, "section[%u].count", (u32)(offset - blob.section));
        assert_int_equal(ent_blob_open(&opened, work, valid.size, NULL, &fault), ENT_BAD_FIELD);
        assert_string_equal(fault.field, field);
    }
}

/* Each stream in a mesh has an element for every vertex. */
static void mesh_stream_shorter_than_positions_is_refused(void** state) {
    static const u32 kinds[] = {SECTION_POSITION, SECTION_NORMAL, SECTION_UV, SECTION_VERTEX_JOINTS,
                                SECTION_VERTEX_WEIGHTS};
    const Bytes      valid = golden_of(GOLDEN_MESH, false);
    const Blob       blob = blob_valid(valid, NULL);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        const BlobSection* s = ent_blob_section(&blob, kinds[i]);
        BlobSection        shorter = *s;
        _Alignas(16) u8    work[GOLDEN_BYTES_MAX];
        char               field[32];
        Blob               opened;
        BlobFault          fault;
        shorter.count--;
        shorter.bytes -= s->stride;
        assert_int_equal(align_up(shorter.bytes, 16), align_up(s->bytes, 16));
        memcpy(work, valid.at, valid.size);
        memcpy(work + ((const u8*)s - valid.at), &shorter, sizeof shorter);
        memset(work + s->offset + shorter.bytes, 0, s->stride);
        hash_fix(work, valid.size);
        snprintf(field, sizeof field, "section[%u].count", (u32)(s - blob.section));
        assert_int_equal(ent_blob_open(&opened, work, valid.size, NULL, &fault), ENT_BAD_FIELD);
        assert_string_equal(fault.field, field);
    }
}

/* --- types that were not passed to the validator --- */

static void component_of_unknown_type_is_checked_for_bounds_only(void** state) {
    UNUSED(state);
    const Bytes          valid = golden_of(GOLDEN_PLUGIN, false);
    const BlobOptions    options = all_options();
    _Alignas(16) u8      work[GOLDEN_BYTES_MAX];
    Blob                 blob;
    BlobFault            fault;
    const Blob           known = blob_valid(valid, &options);
    const ComponentType* probe = &plugin_types()[PLUGIN_probe];
    const BlobSection*   s = ent_blob_component(&known, probe->id);
    const u32            rank = s->offset + (u32)component_column_start(probe, s->count, 0) +
                     (u32)offsetof(ProbeRecord, rank);
    memcpy(work, valid.at, valid.size);
    put_word(work, rank, 11);
    hash_fix(work, valid.size);

    /* With the type the damage is refused; without it the blob opens, and is validated later. */
    assert_int_equal(ent_blob_open(&blob, work, valid.size, &options, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "probe[0].rank");
    assert_int_equal(ent_blob_open(&blob, work, valid.size, NULL, &fault), ENT_OK);
    assert_int_equal(ent_blob_validate(&blob, probe, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "probe[0].rank");
    assert_int_equal(fault.offset, rank);
    assert_int_equal(ent_blob_validate(&blob, probe, NULL), ENT_BAD_FIELD);
    assert_int_equal(ent_blob_validate(&blob, &plugin_types()[PLUGIN_orbit], &fault), ENT_OK);

    /* Validation checks the layout too: the same name with other fields is another type. */
    ComponentType impostor = plugin_types()[PLUGIN_orbit];
    impostor.record.name = "probe";
    ent_component_type_finish(&impostor);
    assert_int_equal(ent_blob_validate(&blob, &impostor, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[3].layout");

    /* Its owners and size are checked in any case. */
    memcpy(work, valid.at, valid.size);
    put_word(work, s->offset, LEVEL_ENTITIES);
    hash_fix(work, valid.size);
    assert_int_equal(ent_blob_open(&blob, work, valid.size, NULL, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "component[0].entity_index");
    memcpy(work, valid.at, valid.size);
    put_word(work, (size_t)((const u8*)s - known.bytes) + offsetof(BlobSection, count), s->bytes);
    hash_fix(work, valid.size);
    assert_int_equal(ent_blob_open(&blob, work, valid.size, NULL, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[3].bytes");
}

/* Components are stored in spawn order, without duplicates. */
static void components_out_of_spawn_order_or_duplicate_are_refused(void** state) {
    const Bytes       valid = golden_of(GOLDEN_PLUGIN, false);
    const BlobOptions options = all_options();
    const Blob        blob = blob_valid(valid, &options);
    _Alignas(16) u8   work[GOLDEN_BYTES_MAX];
    Blob              opened;
    BlobFault         fault;
    UNUSED(state);

    /* Without their types, two unknown components differ only by their ids. */
    const BlobSection* orbit = ent_blob_component(&blob, plugin_types()[PLUGIN_orbit].id);
    const u32          at = (u32)((const u8*)orbit - valid.at) + offsetof(BlobSection, identifier);
    memcpy(work, valid.at, valid.size);
    put_word(work, at, plugin_types()[PLUGIN_probe].id);
    hash_fix(work, valid.size);
    assert_int_equal(ent_blob_open(&opened, work, valid.size, NULL, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[4].identifier");
    assert_int_equal(fault.offset, at);

    /* The same types, but now the last one is spawned first. */
    ComponentType eager = plugin_types()[PLUGIN_orbit];
    eager.order = 1;
    const ComponentType* types[] = {&plugin_types()[PLUGIN_tag], &plugin_types()[PLUGIN_probe],
                                    &eager, &ent_component_types()[COMPONENT_TRANSFORM]};
    const BlobOptions    reordered = {.types = types, .type_count = COUNT_OF(types)};
    assert_int_equal(ent_blob_open(&opened, valid.at, valid.size, &reordered, &fault),
                     ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[4].identifier");
    eager.order = plugin_types()[PLUGIN_probe].order; /* equal ones may be in any order */
    assert_int_equal(ent_blob_open(&opened, valid.at, valid.size, &reordered, &fault), ENT_OK);
}

/* A validator without any type still checks all bounds; each type can be validated afterwards. */
static void component_validated_later_has_its_damage_reported(void** state) {
    static const ComponentType* const no_types[1] = {NULL};
    const BlobOptions                 options = {.types = no_types, .type_count = 0};
    const Bytes                       valid = golden_of(GOLDEN_LEVEL, false);
    const Blob                        blob = blob_valid(valid, &options);
    BlobFault                         fault;
    UNUSED(state);
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        assert_int_equal(ent_blob_validate(&blob, &ent_component_types()[i], &fault), ENT_OK);
    }
    /* Damage inside a component opens, and is found when the component is validated. */
    for (u32 i = 0; i < COUNT_OF(damages); i++) {
        const Damage* d = &damages[i];
        if (d->golden != GOLDEN_LEVEL || d->place.where != COLUMN) {
            continue;
        }
        const ComponentType* type = &ent_component_types()[d->place.section];
        _Alignas(16) u8      work[GOLDEN_BYTES_MAX];
        Blob                 later;
        const u32            at = place_find(&blob, d->place);
        memcpy(work, valid.at, valid.size);
        for (u32 k = 0; k < d->words; k++) put_word(work, at + 4 * k, d->value);
        hash_fix(work, valid.size);
        assert_int_equal(ent_blob_open(&later, work, valid.size, &options, NULL), ENT_OK);
        assert_int_equal(ent_blob_validate(&later, type, &fault), ENT_BAD_FIELD);
        assert_string_equal(fault.field, d->field);
        assert_int_equal(fault.offset, at);
    }
}

/* The rules take a tenth of a second, the damage takes seconds. Both groups are suite "blob". */
TEST_SUITE(blob) {
    const struct CMUnitTest rules[] = {
        cmocka_unit_test(component_list_has_contiguous_fields_and_unique_ids),
        cmocka_unit_test(section_tables_have_contiguous_fields_and_users),
        cmocka_unit_test(defaults_of_component_fields_are_in_range),
        cmocka_unit_test(golden_blobs_in_both_byte_orders_open),
        cmocka_unit_test(golden_blob_swapped_equals_blob_of_other_byte_order),
        cmocka_unit_test(golden_blob_written_twice_has_equal_bytes),
        cmocka_unit_test(golden_level_reads_back_with_its_content),
        cmocka_unit_test(damaged_field_of_each_kind_is_named_in_refusal),
        cmocka_unit_test(checksum_mismatch_is_refused_and_named),
        cmocka_unit_test(blob_with_nonzero_padding_is_refused),
        cmocka_unit_test(blob_with_names_or_offsets_alone_is_refused),
        cmocka_unit_test(groups_of_level_read_back_with_their_ranges),
        cmocka_unit_test(blob_with_invalid_or_duplicate_group_name_is_refused),
        cmocka_unit_test(blob_with_fewer_names_than_entities_is_refused),
        cmocka_unit_test(mesh_stream_shorter_than_positions_is_refused),
        cmocka_unit_test(component_of_unknown_type_is_checked_for_bounds_only),
        cmocka_unit_test(components_out_of_spawn_order_or_duplicate_are_refused),
        cmocka_unit_test(component_validated_later_has_its_damage_reported),
    };
    const struct CMUnitTest damage[] = {
        cmocka_unit_test(blob_truncated_at_any_byte_is_refused),
        cmocka_unit_test(blob_truncated_with_matching_header_is_refused),
        cmocka_unit_test(blob_with_additional_bytes_is_refused),
        cmocka_unit_test(blob_with_any_changed_byte_is_refused),
        cmocka_unit_test(blob_with_changed_byte_and_matching_checksum_is_refused_or_usable),
        cmocka_unit_test(blob_with_boundary_value_in_any_word_is_refused_or_usable),
        cmocka_unit_test(blob_with_two_changed_header_words_is_refused_or_usable),
        cmocka_unit_test(blob_with_random_damage_is_refused_or_usable),
        cmocka_unit_test(damaged_blob_of_other_byte_order_is_converted_safely),
    };
    return TEST_RUN("blob: rules", rules) + TEST_RUN("blob: damage", damage);
}
