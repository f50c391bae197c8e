/* platform/stack_switch.h: a call on another stack.
 *
 * The unwinding rules of the call lead to the caller across the switch, so debuggers and exceptions work. Only the
 * addresses of the frames are not contiguous. Where there is no such call (HEIST__CAN_SWITCH_STACKS is 0) the functions
 * below do not exist. */
#ifndef HEIST_PLATFORM_STACK_SWITCH_H
#define HEIST_PLATFORM_STACK_SWITCH_H

#include <stddef.h>

#if defined(__GNUC__) && defined(__linux__) &&                                                                         \
    ((defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64))
#define HEIST__CAN_SWITCH_STACKS 1
#else
#define HEIST__CAN_SWITCH_STACKS 0
#endif

#if HEIST__CAN_SWITCH_STACKS

/* Reserves a stack of `size` bytes with a guard page below it. Its memory is touched only as it is used. NULL: no
 * memory. */
char *heist__stack_new(size_t size);
void heist__stack_free(char *stack, size_t size);

/* Gives the memory back that calls have touched, all but the uppermost `kept` bytes. No thread may run on the stack. */
void heist__stack_trim(char *stack, size_t size, size_t kept);

/* Calls function(argument) on the stack of `size` bytes whose lowest byte is at `stack`. No other thread may run on
 * it. */
void heist__call_on_stack(char *stack, size_t size, void (*function)(void *), void *argument);

#endif

#endif
