// shadows_depth.frag - only depth is written.
#version 460
void main() {}
