#ifndef MODULE_UNLOADER_H
#define MODULE_UNLOADER_H

struct pw_impl_module;

/// What the daemon calls to load this module.
int pipewire__module_init(struct pw_impl_module *module, const char *arguments);

#endif
