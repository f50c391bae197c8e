/* platform/pause.h: the hint to the core that a loop waits. */
#ifndef HEIST_PLATFORM_PAUSE_H
#define HEIST_PLATFORM_PAUSE_H

/* Tells the core that this is a wait. That saves power, and gives the core's other hardware thread more time. */
static inline void heist__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    /* yield does nothing on most cores; isb takes about as long as a pause on x86. */
    __asm__ __volatile__("isb" ::: "memory");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}

#endif
