/* Nothing is called here: the library takes the place of functions of the C library. */
