// canvas_images.glsl - depth and element numbers of the samples of a picture.
#extension GL_EXT_samplerless_texture_functions : require
layout(set = CANVAS_IMAGES, binding = CANVAS_DEPTH) uniform texture2D depth_image;
layout(set = CANVAS_IMAGES, binding = CANVAS_ID) uniform utexture2D id_image;

ivec2 sample_at(uint index) { return ivec2(index % eye.width, index / eye.width); }

// 1 near, 0 far.
float depth_at(uint index) { return texelFetch(depth_image, sample_at(index), 0).x; }

// 1 + the number of the visible element, 0: none; and a word of the element's own.
uvec2 id_at(uint index) { return texelFetch(id_image, sample_at(index), 0).xy; }
