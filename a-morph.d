morph.o: ../shared/cases/hostile/morph.c formats/blob.h \
 formats/components/component_type.h formats/components/records.h \
 formats/components/clip.h formats/components/record.h \
 formats/base/shared.h formats/base/types.h formats/base/short_names.h \
 formats/components/components.h formats/components/transform.h \
 formats/components/name.h formats/components/persistent_id.h \
 formats/components/mesh.h formats/components/resources.h \
 formats/components/morph_weight.h formats/components/skin.h \
 formats/components/attach_to_joint.h formats/components/light.h \
 formats/components/decal.h formats/components/environment_probe.h \
 formats/components/camera.h formats/components/fluid.h \
 formats/components/collider_plane.h formats/components/particle_system.h \
 formats/components/point_mass.h formats/components/container.h \
 formats/components/material.h formats/components/mesh_data.h \
 formats/components/skeleton.h formats/components/texture.h \
 formats/base/status.h formats/base/hash.h formats/base/base.h \
 formats/base/shared.h formats/base/status.h formats/sections.h \
 formats/blob.h formats/declaration.h formats/fields.h \
 formats/base/base.h formats/fields.h formats/components/mesh_data.h
formats/blob.h:
formats/components/component_type.h:
formats/components/records.h:
formats/components/clip.h:
formats/components/record.h:
formats/base/shared.h:
formats/base/types.h:
formats/base/short_names.h:
formats/components/components.h:
formats/components/transform.h:
formats/components/name.h:
formats/components/persistent_id.h:
formats/components/mesh.h:
formats/components/resources.h:
formats/components/morph_weight.h:
formats/components/skin.h:
formats/components/attach_to_joint.h:
formats/components/light.h:
formats/components/decal.h:
formats/components/environment_probe.h:
formats/components/camera.h:
formats/components/fluid.h:
formats/components/collider_plane.h:
formats/components/particle_system.h:
formats/components/point_mass.h:
formats/components/container.h:
formats/components/material.h:
formats/components/mesh_data.h:
formats/components/skeleton.h:
formats/components/texture.h:
formats/base/status.h:
formats/base/hash.h:
formats/base/base.h:
formats/base/shared.h:
formats/base/status.h:
formats/sections.h:
formats/blob.h:
formats/declaration.h:
formats/fields.h:
formats/base/base.h:
formats/fields.h:
formats/components/mesh_data.h:
