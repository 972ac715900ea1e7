/* Nothing to be called from Swift; see runtime_trim.c. */
