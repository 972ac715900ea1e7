/* The beginning and end of a program of a listing: LISTING FIFO. Its words come from the FIFO, one a line; "quit" ends it. */
#include "listing.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void say(const char *format, ...) {
    va_list arguments;
    pthread_mutex_lock(&lock);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&lock);
}

const char *shown(long number) {
    static char text[24];
    int index, is_text = number > 0xffffff;
    for (index = 0; index < 4; index++) {
        text[index] = (char)(number >> (24 - 8 * index));
        is_text = is_text && text[index] >= 32 && text[index] < 127;
    }
    text[4] = 0;
    if (!is_text) snprintf(text, sizeof text, "%ld", number);
    return text;
}

int main(int argc, char **argv) {
    char word[64];
    FILE *words = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (words == NULL) return 2;
    begin();
    say("ready");
    while (fgets(word, sizeof word, words) != NULL) {
        word[strcspn(word, "\n")] = 0;
        if (strcmp(word, "quit") == 0) return 0;
        if (!obey(word)) return 3;
        say("done %s", word);
    }
    return 0;
}
