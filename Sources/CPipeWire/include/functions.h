/* Every libpipewire function that the module calls, declared weak. If the daemon's library lacks one, the module
 * still loads, reports the missing function and does nothing. Without weak symbols the daemon would refuse to load
 * the module, and it logs nothing about an optional module. Tests/run checks that the list is complete. */
#ifndef CPIPEWIRE_FUNCTIONS_H
#define CPIPEWIRE_FUNCTIONS_H

#define CPW_FUNCTIONS(FUNCTION)                     \
    FUNCTION(pw_context_add_listener)               \
    FUNCTION(pw_context_connect_self)               \
    FUNCTION(pw_context_create_node)                \
    FUNCTION(pw_context_find_global)                \
    FUNCTION(pw_context_for_each_global)            \
    FUNCTION(pw_context_get_main_loop)              \
    FUNCTION(pw_context_get_properties)             \
    FUNCTION(pw_context_load_spa_handle)            \
    FUNCTION(pw_context_update_properties)          \
    FUNCTION(pw_core_disconnect)                    \
    FUNCTION(pw_get_library_version)                \
    FUNCTION(pw_global_get_id)                      \
    FUNCTION(pw_global_get_object)                  \
    FUNCTION(pw_global_get_properties)              \
    FUNCTION(pw_global_is_type)                     \
    FUNCTION(pw_impl_client_add_listener)           \
    FUNCTION(pw_impl_client_find_resource)          \
    FUNCTION(pw_impl_client_get_properties)         \
    FUNCTION(pw_impl_client_set_busy)               \
    FUNCTION(pw_impl_device_add_listener)           \
    FUNCTION(pw_impl_device_get_implementation)     \
    FUNCTION(pw_impl_device_get_properties)         \
    FUNCTION(pw_impl_link_get_info)                 \
    FUNCTION(pw_impl_link_get_output)               \
    FUNCTION(pw_impl_metadata_add_listener)         \
    FUNCTION(pw_impl_module_add_listener)           \
    FUNCTION(pw_impl_module_get_context)            \
    FUNCTION(pw_impl_node_add_listener)             \
    FUNCTION(pw_impl_node_destroy)                  \
    FUNCTION(pw_impl_node_for_each_param)           \
    FUNCTION(pw_impl_node_for_each_port)            \
    FUNCTION(pw_impl_node_get_implementation)       \
    FUNCTION(pw_impl_node_get_info)                 \
    FUNCTION(pw_impl_node_get_properties)           \
    FUNCTION(pw_impl_node_is_active)                \
    FUNCTION(pw_impl_node_set_active)               \
    FUNCTION(pw_impl_node_set_implementation)       \
    FUNCTION(pw_impl_node_set_param)                \
    FUNCTION(pw_impl_node_update_properties)        \
    FUNCTION(pw_impl_port_add_listener)             \
    FUNCTION(pw_impl_port_get_direction)            \
    FUNCTION(pw_impl_port_get_id)                   \
    FUNCTION(pw_impl_port_get_node)                 \
    FUNCTION(pw_impl_port_is_linked)                \
    FUNCTION(pw_log_get)                            \
    FUNCTION(pw_log_level)                          \
    FUNCTION(pw_log_logt)                           \
    FUNCTION(pw_properties_get)                     \
    FUNCTION(pw_properties_new_dict)                \
    FUNCTION(pw_resource_add_listener)              \
    FUNCTION(pw_resource_add_object_listener)       \
    FUNCTION(pw_resource_errorf)                    \
    FUNCTION(pw_resource_get_bound_id)              \
    FUNCTION(pw_resource_get_client)                \
    FUNCTION(pw_resource_get_type)                  \
    FUNCTION(pw_stream_add_listener)                \
    FUNCTION(pw_stream_connect)                     \
    FUNCTION(pw_stream_dequeue_buffer)              \
    FUNCTION(pw_stream_destroy)                     \
    FUNCTION(pw_stream_new)                         \
    FUNCTION(pw_stream_queue_buffer)                \
    FUNCTION(pw_unload_spa_handle)

#define CPW_TEXT(words) #words
#define CPW_WEAK(name) _Pragma(CPW_TEXT(weak name))
CPW_FUNCTIONS(CPW_WEAK)

#endif
