#include "CPipeWire.h"
