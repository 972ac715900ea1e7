/* What the programs of the listings share: each is started by a test, which tells it what its user does, and reads what it says.
 * Included before AudioToolbox/AudioToolbox.h, of which it is not part. */
#ifndef LISTING_H
#define LISTING_H

/* Says something: a line of the program's output. From any thread. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Four characters of a number, or the number. Lives until the next call. */
const char *shown(long number);

/* What a program is: what it does first, and when its user does something. A word that it does not know is an error. */
void begin(void);
/* Not 0 if the program knows the word. */
int obey(const char *word);

#endif
