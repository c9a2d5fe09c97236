// skinning_buffers.glsl - what kernels that skin read and write.
layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_INSTANCE, scalar) readonly restrict buffer Instances { SkinInstance instances[]; };
layout(binding = SKINNING_PALETTE) readonly restrict buffer Palettes { vec4 palettes[]; };
layout(binding = SKINNING_RANGE, scalar) readonly restrict buffer Ranges { SkinRange ranges[]; };
layout(binding = SKINNING_CHOSEN, scalar) readonly restrict buffer Chosen { SkinBlock chosen[]; };
layout(binding = SKINNING_CALL, scalar) readonly restrict buffer Calls { SkinCall calls[]; };
layout(binding = SKINNING_WANTED) writeonly restrict buffer Wanted { uint wanted[]; };
layout(binding = SKINNING_VERTEX) readonly buffer Vertices { float words[]; };
layout(binding = SKINNING_VERTEX) readonly buffer Pairs { uvec2 pairs[]; }; // of words
layout(binding = SKINNING_OUT) writeonly buffer Out { uvec4 skinned[]; };
layout(binding = SKINNING_OUT) writeonly buffer Tangents { uint tangents[]; };
layout(binding = SKINNING_WEIGHT) readonly restrict buffer Weights { uint weights[]; };
layout(binding = SKINNING_TARGET, scalar) readonly restrict buffer Targets { SkinTarget targets[]; };
layout(binding = SKINNING_MASK) readonly restrict buffer Masks { uvec2 masks[]; };

#include "pose_matrix.glsl"
