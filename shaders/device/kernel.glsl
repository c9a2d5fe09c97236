// kernel.glsl - what every kernel begins with: the size of its group, constant 0, is told when its
// pipeline is made, and threads are counted over rows of groups, as one row is limited.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;

uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
uint thread_index() { return group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }
