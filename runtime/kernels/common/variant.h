// The namespace et::ET_KERNELS of the kernels and their headers: et::kernels, unless the build compiles them once more
// for newer processors (-DET_KERNELS=kernels_v3). Each variant then has functions of its own, inline ones included, so
// that the linker cannot give code for a newer processor to an older one.
#pragma once

#ifndef ET_KERNELS
#define ET_KERNELS kernels
#endif
