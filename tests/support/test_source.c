/* test_source.c - trees of entities that are edited and compiled. */
#include "test_source.h"

#include <stdio.h>
#include <stdlib.h>

const ComponentType* type_of(u32 t) { return all_types()[t]; }

u32 type_index(const char* name) {
    u32 t = 0;
    while (strcmp(type_of(t)->record.name, name) != 0) t++;
    return t;
}

u32 node_by_id(const Source* s, u32 id) {
    for (u32 i = 0; i < s->count; i++) {
        if (s->node[i].id == id) return i;
    }
    return NONE;
}

u32 node_named(const Source* s, const char* name) {
    for (u32 i = 0; i < s->count; i++) {
        if (strcmp(s->node[i].name, name) == 0) return i;
    }
    fail_msg("no node %s", name);
    return NONE;
}

/* Words of a field; poses stay small and references are ids of nodes. */
static void field_random(Random* r, const Source* s, const Field* f, u8* record) {
    u32 index;
    random_field(r, f, s->count, record + f->offset);
    const TransformRecord pose = tame_pose(r);
    if (strcmp(f->name, "scale") == 0) memcpy(record + f->offset, &pose.scale, sizeof pose.scale);
    if (strcmp(f->name, "position") == 0)
        memcpy(record + f->offset, &pose.position, sizeof pose.position);
    if (f->kind != FIELD_EntityRef) return;
    memcpy(&index, record + f->offset, 4);
    if (index != NONE) memcpy(record + f->offset, &s->node[index].id, 4);
}

void instance_add(Random* r, const Source* s, Node* n, u32 t) {
    const RecordType* record = &type_of(t)->record;
    const u32         max = type_of(t)->several == SEVERAL ? SEVERAL_MAX : 1;
    assert_true(record->bytes <= RECORD_MAX);
    if (n->count[t] == max) return;
    for (u32 f = 0; f < record->field_count; f++) {
        field_random(r, s, &record->fields[f], n->record[t][n->count[t]]);
    }
    n->count[t]++;
}

static void instance_remove(Node* n, u32 t, u32 at) {
    if (at >= n->count[t]) return;
    memmove(n->record[t][at], n->record[t][at + 1], (size_t)RECORD_MAX * (n->count[t] - at - 1));
    n->count[t]--;
}

/* A name that no sibling has, from a small set, so that cousins share names. */
static void node_name(Random* r, const Source* s, Node* n) {
    for (u32 tries = 0;; tries++) {
        bool taken = false;
        snprintf(n->name, sizeof n->name, "n%u", random_below(r, 6 + tries));
        for (u32 i = 0; i < s->count; i++) {
            taken |= &s->node[i] != n && s->node[i].parent == n->parent &&
                     strcmp(s->node[i].name, n->name) == 0;
        }
        if (!taken) return;
    }
}

static void names_fix(Random* r, Source* s) {
    for (u32 i = 0; i < s->count; i++) {
        Node* n = &s->node[i];
        for (u32 k = 0; k < i; k++) {
            const Node* other = &s->node[k];
            if (other->parent == n->parent && strcmp(other->name, n->name) == 0) node_name(r, s, n);
        }
    }
}

Node* node_add(Random* r, Source* s, u32 parent) {
    Node* n = &s->node[s->count];
    if (s->count == NODES_MAX) return &s->node[s->count - 1];
    *n = (Node){.id = s->next_id++, .parent = parent};
    node_name(r, s, n);
    s->count++;
    for (u32 t = 0; t < ALL_TYPES; t++) {
        const bool transform = type_of(t)->id == ent_component_types()[COMPONENT_TRANSFORM].id;
        if (random_below(r, 100) >= (transform ? 75 : 25)) continue;
        for (u32 k = 1 + random_below(r, SEVERAL_MAX); k > 0; k--) instance_add(r, s, n, t);
    }
    return n;
}

static bool node_is_below(const Source* s, u32 i, u32 top) {
    while (i != NONE && i != top) i = s->node[i].parent;
    return i == top;
}

/* Puts the nodes into another order in which parents are first. */
void source_shuffle(Random* r, Source* s) {
    static Source next;
    u32           place[NODES_MAX];
    memset(place, 0xff, sizeof place);
    next = (Source){.next_id = s->next_id};
    while (next.count < s->count) {
        const u32 i = random_below(r, s->count), parent = s->node[i].parent;
        if (place[i] != NONE || (parent != NONE && place[parent] == NONE)) continue;
        place[i] = next.count;
        next.node[next.count] = s->node[i];
        next.node[next.count++].parent = parent == NONE ? NONE : place[parent];
    }
    *s = next;
}

/* Removes a node; its children get the parent `heir`, or are removed too. */
static void node_remove(Source* s, u32 gone, bool with_children, u32 heir) {
    u32 place[NODES_MAX], count = 0;
    for (u32 i = 0; i < s->count; i++) {
        u32 parent = s->node[i].parent;
        place[i] = NONE;
        if (i == gone || (with_children && parent != NONE && place[parent] == NONE)) continue;
        if (parent == gone) parent = heir;
        place[i] = count;
        s->node[count] = s->node[i];
        s->node[count++].parent = parent == NONE ? NONE : place[parent];
    }
    s->count = count;
}

/* Makes a node the child of another one. Parents are first again after a shuffle. */
static void node_move(Random* r, Source* s, u32 i, u32 parent) {
    if (parent != NONE && node_is_below(s, parent, i)) return;
    s->node[i].parent = parent;
    source_shuffle(r, s);
}

void source_random(Random* r, Source* s, u32 count) {
    *s = (Source){.next_id = 1000};
    while (s->count < count) {
        node_add(r, s, random_below(r, 4) ? random_below(r, s->count + 1) - 1 : NONE);
    }
}

void source_edit(Random* r, Source* s) {
    const u32 i = random_below(r, s->count), t = random_below(r, ALL_TYPES);
    Node*     n = &s->node[i];
    switch (random_below(r, 9)) {
    case 0:
    case 1: node_add(r, s, random_below(r, s->count + 1) - 1); break;
    case 2: node_remove(s, i, true, NONE); break;
    case 3: node_remove(s, i, false, n->parent); break;
    case 4: node_move(r, s, i, random_below(r, s->count + 1) - 1); break;
    case 5: instance_add(r, s, n, t); break;
    case 6: instance_remove(n, t, random_below(r, SEVERAL_MAX)); break;
    case 7: source_shuffle(r, s); break;
    default:
        for (u32 k = 0; k < ALL_TYPES; k++) {
            const RecordType* record = &type_of(k)->record;
            const Field*      f = &record->fields[random_below(r, record->field_count)];
            if (n->count[k]) field_random(r, s, f, n->record[k][random_below(r, n->count[k])]);
        }
    }
    if (s->count == 0) node_add(r, s, NONE);
    names_fix(r, s);
}

static u32 part_fill(const Source* s, u32 t, u32* owner, u8* records) {
    const RecordType* type = &type_of(t)->record;
    u32               count = 0;
    for (u32 i = 0; i < s->count; i++) {
        for (u32 k = 0; k < s->node[i].count[t]; k++, count++) {
            u8* record = records + (size_t)count * type->bytes;
            owner[count] = i;
            memcpy(record, s->node[i].record[t][k], type->bytes);
            for (u32 f = 0; f < type->field_count; f++) {
                u32 id;
                if (type->fields[f].kind != FIELD_EntityRef) continue;
                memcpy(&id, record + type->fields[f].offset, 4);
                id = id == NONE ? NONE : node_by_id(s, id);
                memcpy(record + type->fields[f].offset, &id, 4);
            }
        }
    }
    return count;
}

void source_scene(Scene* scene, const Source* s, ResourceType resource, bool names) {
    const BlobOptions options = all_options();
    LevelPart         part[ALL_TYPES];
    const char*       name[NODES_MAX];
    *scene = (Scene){.entity_count = s->count, .type_count = ALL_TYPES, .type = all_types()};
    scene->parent = calloc(s->count + 1, sizeof(u32));
    for (u32 i = 0; i < s->count; i++) {
        scene->parent[i] = s->node[i].parent;
        name[i] = s->node[i].name;
    }
    for (u32 t = 0; t < ALL_TYPES; t++) {
        scene->owner[t] = calloc(s->count * SEVERAL_MAX + 1, sizeof(u32));
        scene->record[t] = calloc(s->count * SEVERAL_MAX + 1, type_of(t)->record.bytes);
        scene->count[t] = part_fill(s, t, scene->owner[t], scene->record[t]);
        part[t] = (LevelPart){type_of(t), scene->count[t], scene->owner[t], scene->record[t]};
    }
    const Level level = {resource, s->count, scene->parent, ALL_TYPES, part, true, false};
    scene->bytes = level_bytes_named(&level, names ? name : NULL, target_native(), &options);
    scene->blob = blob_valid(scene->bytes, &options);
}

void compile_as(Compiled* c, const Source* s, ResourceType resource, bool names) {
    Scene scene;
    source_scene(&scene, s, resource, names);
    *c = (Compiled){scene.bytes, scene.blob};
    scene.bytes = (Bytes){0};
    scene_close(&scene);
}

void compile(Compiled* c, const Source* s) { compile_as(c, s, RESOURCE_LEVEL, true); }

/* Reads "a(b c(d)) e": each letters a name, each with a transform. */
static const char* forest_read(Source* s, const char* at, u32 parent) {
    const u32 transform = type_index("transform");
    while (*at && *at != ')') {
        u32 length = 0;
        if (*at == ' ') {
            at++;
            continue;
        }
        Node* n = &s->node[s->count];
        *n = (Node){.id = s->next_id++, .parent = parent};
        while (at[length] >= '0') n->name[length] = at[length], length++;
        n->count[transform] = 1;
        const TransformRecord pose = {{(f32)(1 + n->name[0] % 7), 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
        memcpy(n->record[transform][0], &pose, sizeof pose);
        const u32 self = s->count++;
        at += length;
        if (*at == '(') at = forest_read(s, at + 1, self) + 1;
    }
    return at;
}

const Source* forest(const char* text) {
    static Source two[4];
    static u32    turn;
    Source*       s = &two[turn++ % COUNT_OF(two)];
    *s = (Source){.next_id = 1000};
    forest_read(s, text, NONE);
    return s;
}
