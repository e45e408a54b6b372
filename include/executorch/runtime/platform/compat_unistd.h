// POSIX's files and descriptors.
#pragma once

#include <fcntl.h>
#include <unistd.h>
