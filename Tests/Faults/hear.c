/* Measures streams in a recording: the amplitude of each, and the position in its sound. For Tests/bin/faults.
 *
 *   hear FILE RATE SECONDS STREAMS
 *
 * The file is interleaved stereo, 32-bit float. Prints a line for every 50 ms of the last SECONDS (0: of the whole
 * file): the time in seconds from the file's beginning, then for each stream its amplitude and its position in seconds.
 * The sound of stream N is a tone that begins at 500 + 700 N Hz and rises by 5 Hz a second, so its frequency gives the
 * position. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 500, APART = 700, RISE = 5, BIN = 8, BINS = 56 };

/* The amplitude of a frequency in windowed samples. */
static double amplitude(const double *samples, int count, double frequency, double rate) {
    double turn = 2 * cos(2 * M_PI * frequency / rate), before = 0, last = 0;
    for (int index = 0; index < count; index++) {
        double value = samples[index] + turn * last - before;
        before = last;
        last = value;
    }
    double power = before * before + last * last - turn * before * last;
    /* The Hann window halves the amplitude, and a sine has only half of it at the positive frequency. */
    return 4 * sqrt(power > 0 ? power : 0) / count;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: hear FILE RATE SECONDS STREAMS\n");
        return 2;
    }
    double rate = atof(argv[2]), seconds = atof(argv[3]);
    int streams = atoi(argv[4]), hop = (int)(rate / 20), length = 2 * hop;
    FILE *file = fopen(argv[1], "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return 1;
    long frames = ftell(file) / 8, first = 0;
    if (seconds > 0 && frames > seconds * rate) first = frames - (long)(seconds * rate);
    float *sound = malloc((size_t)length * 8);
    double *window = malloc((size_t)length * sizeof *window), *shape = malloc((size_t)length * sizeof *shape);
    for (int index = 0; index < length; index++) shape[index] = 0.5 - 0.5 * cos(2 * M_PI * index / length);
    for (; first + length <= frames; first += hop) {
        if (fseek(file, first * 8, SEEK_SET) != 0 || fread(sound, 8, (size_t)length, file) != (size_t)length) return 1;
        for (int index = 0; index < length; index++)
            window[index] = shape[index] * ((double)sound[2 * index] + sound[2 * index + 1]) / 2;
        printf("%.3f", (first + hop) / rate);
        for (int stream = 0; stream < streams; stream++) {
            double begin = FIRST + APART * stream, levels[BINS], best = 0;
            int peak = 0;
            for (int bin = 0; bin < BINS; bin++) {
                levels[bin] = amplitude(window, length, begin + (bin - 2) * BIN, rate);
                if (levels[bin] > best) best = levels[bin], peak = bin;
            }
            /* Interpolate the peak between the bins on a logarithmic scale, where the window is nearly a parabola. */
            double shift = 0;
            if (peak > 0 && peak + 1 < BINS && best > 1e-9) {
                double low = log(levels[peak - 1] + 1e-12), middle = log(best), high = log(levels[peak + 1] + 1e-12);
                double bend = low - 2 * middle + high;
                if (bend < 0) shift = (low - high) / 2 / bend;
            }
            best = amplitude(window, length, begin + (peak - 2 + shift) * BIN, rate);
            printf(" %.6f %.3f", best, ((peak - 2 + shift) * BIN) / RISE);
        }
        putchar('\n');
    }
    return 0;
}
