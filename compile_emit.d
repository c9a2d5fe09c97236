compile_emit.o: compiler/compile/compile_emit.c \
  compiler/compile/compile_emit.h compiler/compile/compile_gather.h \
  compiler/compile/compile.h compiler/assets/assets.h \
  compiler/source/asset_name.h formats/blob.h \
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
  formats/components/collider_plane.h \
  formats/components/particle_system.h formats/components/point_mass.h \
  formats/components/container.h formats/components/material.h \
  formats/components/mesh_data.h formats/components/skeleton.h \
  formats/components/texture.h formats/base/status.h \
  compiler/text/diag.h compiler/text/memory.h formats/base/base.h \
  formats/base/slots.h compiler/assets/doc.h formats/platform/jobs.h \
  compiler/text/json.h compiler/types/registry.h \
  compiler/types/record_early.h formats/platform/file.h \
  compiler/gltf/gltf_cost.h formats/base/hash.h \
  formats/platform/job_once.h compiler/assets/model.h \
  compiler/gltf/gltf.h compiler/gltf/gltf_remark.h \
  compiler/source/model_remarks.h compiler/text/json_tree.h \
  compiler/types/texture_settings.h formats/fields.h \
  compiler/types/model_settings.h compiler/source/settings.h \
  compiler/text/source_lines.h compiler/source/tree.h \
  compiler/compile/output.h formats/blob_write_internal.h \
  compiler/compile/flat.h compiler/compile/flat_cost.h \
  compiler/compile/flat_groups.h compiler/compile/compile_hooks.h \
  compiler/compile/compile_was.h compiler/compile/source_map_write.h

compiler/compile/compile_emit.h:

compiler/compile/compile_gather.h:

compiler/compile/compile.h:

compiler/assets/assets.h:

compiler/source/asset_name.h:

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

compiler/text/diag.h:

compiler/text/memory.h:

formats/base/base.h:

formats/base/slots.h:

compiler/assets/doc.h:

formats/platform/jobs.h:

compiler/text/json.h:

compiler/types/registry.h:

compiler/types/record_early.h:

formats/platform/file.h:

compiler/gltf/gltf_cost.h:

formats/base/hash.h:

formats/platform/job_once.h:

compiler/assets/model.h:

compiler/gltf/gltf.h:

compiler/gltf/gltf_remark.h:

compiler/source/model_remarks.h:

compiler/text/json_tree.h:

compiler/types/texture_settings.h:

formats/fields.h:

compiler/types/model_settings.h:

compiler/source/settings.h:

compiler/text/source_lines.h:

compiler/source/tree.h:

compiler/compile/output.h:

formats/blob_write_internal.h:

compiler/compile/flat.h:

compiler/compile/flat_cost.h:

compiler/compile/flat_groups.h:

compiler/compile/compile_hooks.h:

compiler/compile/compile_was.h:

compiler/compile/source_map_write.h:
