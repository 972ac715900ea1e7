/* A file system that does not answer, for tests: preloaded into a server, it makes whoever looks into the folder that
 * SLOW_FOLDER names wait for as long as there is a file that SLOW_WHILE names, half a minute at most. Both are paths from
 * HOME on. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
/* It is preloaded into programs that have no library of a sanitizer. The other ones are off for the whole target. */
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#endif

static void wait_for(const char *path) {
    const char *home = getenv("HOME"), *relative = getenv("SLOW_FOLDER"), *while_there = getenv("SLOW_WHILE");
    if (home == NULL || relative == NULL || while_there == NULL) return;
    char folder[512], mark[512];
    snprintf(folder, sizeof folder, "%s/%s", home, relative);
    snprintf(mark, sizeof mark, "%s/%s", home, while_there);
    if (strncmp(path, folder, strlen(folder)) != 0) return;
    for (int tenths = 0; tenths < 300 && access(mark, F_OK) == 0; tenths++)
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
}

static int open_with(const char *name, const char *path, int flags, va_list arguments) {
    int (*next)(const char *, int, mode_t) = (int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, name);
    bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = has_mode ? va_arg(arguments, mode_t) : 0;
    wait_for(path);
    return next(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int result = open_with("open", path, flags, arguments);
    va_end(arguments);
    return result;
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int result = open_with("open64", path, flags, arguments);
    va_end(arguments);
    return result;
}

DIR *opendir(const char *path) {
    DIR *(*next)(const char *) = (DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir");
    wait_for(path);
    return next(path);
}

int inotify_add_watch(int queue, const char *path, uint32_t events) {
    int (*next)(int, const char *, uint32_t) = (int (*)(int, const char *, uint32_t))dlsym(RTLD_NEXT, "inotify_add_watch");
    wait_for(path);
    return next(queue, path, events);
}

#ifdef __clang__
#pragma clang attribute pop
#endif
