// kernel.glsl - included first by every kernel: the size of its group is specialisation constant 0,
// and threads are numbered over rows of groups, because the length of a row is limited.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;

uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
uint thread_index() { return group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }
