/* A processor with AVX-512, seen from inside: tools/avx512-vm boots a kernel on an emulated one with this program as
 * its only process. Results with vectors of 64 bytes are compared with plain loops; without AVX-512 nothing
 * here would be about it, so then it fails. */
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "gemm_sample.h"
#include "strassen_sample.h"

volatile bool perf_interrupted; /* the harness's, in its programs */

void setUp(void)
{
    start_pool();
}

void tearDown(void)
{
    end_pool();
}

static const struct gemm_kernel *avx512(gemm_type type)
{
    const struct gemm_kernel *kernel = gemm_kernel_find(type, "avx512");
    TEST_ASSERT_NOT_NULL_MESSAGE(kernel, "this processor has no AVX-512");
    return kernel;
}

static void the_kernels_for_avx512_are_what_it_takes(void)
{
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        TEST_ASSERT_EQUAL_PTR(avx512(type), gemm_kernel_find(type, NULL));
}

/* One below, at and above the tiles' 8 by 24 and 8 by 48, with one step and with several slices of them. */
static void products_around_a_tile_are_right(void)
{
    static const size_t sides[][3] = {{8, 24, 1},  {8, 48, 9},   {7, 23, 8},   {9, 25, 17},
                                      {9, 49, 24}, {16, 47, 50}, {17, 97, 33}, {1, 1, 64}};
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
            struct gemm_blocking blocking = chosen(avx512(type), sides[s][0], sides[s][1], sides[s][2]);
            try(avx512(type), &blocking, SERIAL_TILES, sides[s][0], sides[s][1], sides[s][2], 0);
        }
}

static void several_rounds_slices_and_tiles_are_right_in_every_way(void)
{
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        for (way how = 0; how < WAYS; how++) {
            struct gemm_blocking blocking = small_pieces(avx512(type));
            try(avx512(type), &blocking, how, 61, 150, 43, 0);
        }
}

static void lines_longer_than_the_matrix_are_left_alone(void)
{
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        for (way how = 0; how < WAYS; how++) {
            struct gemm_blocking small = small_pieces(avx512(type)), usual = chosen(avx512(type), 37, 59, 23);
            try(avx512(type), &small, how, 24, 96, 16, 5);
            try(avx512(type), &usual, how, 37, 59, 23, 3);
        }
}

static void strassens_base_is_right(void)
{
    TEST_ASSERT_TRUE_MESSAGE(__builtin_cpu_supports("avx512f"), "this processor has no AVX-512");
    the_base_multiplies_parts_of_larger_matrices();
}

/* The emulator ends when it reads this word at this port. */
static void switch_off(void)
{
    static const char word[] = "Shutdown";
    if (ioperm(0x8900, 1, 1) == 0)
        for (const char *c = word; *c; c++) outb((unsigned char)*c, 0x8900);
    reboot(RB_POWER_OFF);
}

int main(void)
{
    if (getpid() != 1) {
        fputs("avx512_machine: runs as the first process of the machine that tools/avx512-vm makes\n", stderr);
        return 2;
    }
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mount("none", "/proc", "proc", 0, NULL);
    mount("none", "/sys", "sysfs", 0, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    UNITY_BEGIN();
    RUN_TEST(the_kernels_for_avx512_are_what_it_takes);
    RUN_TEST(products_around_a_tile_are_right);
    RUN_TEST(several_rounds_slices_and_tiles_are_right_in_every_way);
    RUN_TEST(lines_longer_than_the_matrix_are_left_alone);
    RUN_TEST(strassens_base_is_right);
    UNITY_END();
    fflush(stdout);
    tcdrain(STDOUT_FILENO); /* the line is slow, and what is still in it would be lost */
    switch_off();
    return 1;
}
