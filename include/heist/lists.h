/* heist/lists.h: heist/task.h's macros once per number of arguments; with none there is nothing behind the last comma,
 * which standard C cannot say in one macro. Nothing here is for use outside heist/task.h. */
#ifndef HEIST_LISTS_H
#define HEIST_LISTS_H

/* clang-format off */
#define HEIST__TASK_N(n, ...) HEIST__CAT(HEIST__TASK_, n)(__VA_ARGS__)
#define HEIST__DECL_N(n, ...) HEIST__CAT(HEIST__DECL_, n)(__VA_ARGS__)
#define HEIST__IMPL_N(n, ...) HEIST__CAT(HEIST__IMPL_, n)(__VA_ARGS__)
#define HEIST__VOID_TASK_N(n, ...) HEIST__CAT(HEIST__VOID_TASK_, n)(__VA_ARGS__)
#define HEIST__VOID_DECL_N(n, ...) HEIST__CAT(HEIST__VOID_DECL_, n)(__VA_ARGS__)
#define HEIST__VOID_IMPL_N(n, ...) HEIST__CAT(HEIST__VOID_IMPL_, n)(__VA_ARGS__)
#define HEIST__TASK_0(result, name) HEIST__BOTH(result, name, 0, ())
#define HEIST__TASK_1(result, name, ...) HEIST__BOTH(result, name, 1, (__VA_ARGS__))
#define HEIST__TASK_2(result, name, ...) HEIST__BOTH(result, name, 2, (__VA_ARGS__))
#define HEIST__TASK_3(result, name, ...) HEIST__BOTH(result, name, 3, (__VA_ARGS__))
#define HEIST__TASK_4(result, name, ...) HEIST__BOTH(result, name, 4, (__VA_ARGS__))
#define HEIST__TASK_5(result, name, ...) HEIST__BOTH(result, name, 5, (__VA_ARGS__))
#define HEIST__TASK_6(result, name, ...) HEIST__BOTH(result, name, 6, (__VA_ARGS__))
#define HEIST__TASK_7(result, name, ...) HEIST__BOTH(result, name, 7, (__VA_ARGS__))
#define HEIST__TASK_8(result, name, ...) HEIST__BOTH(result, name, 8, (__VA_ARGS__))
#define HEIST__TASK_9(result, name, ...) HEIST__BOTH(result, name, 9, (__VA_ARGS__))
#define HEIST__TASK_10(result, name, ...) HEIST__BOTH(result, name, 10, (__VA_ARGS__))
#define HEIST__DECL_0(result, name) HEIST__DECLARE(extern, result, name, 0, ()) struct heist__child_##name
#define HEIST__DECL_1(result, name, ...) HEIST__DECLARE(extern, result, name, 1, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_2(result, name, ...) HEIST__DECLARE(extern, result, name, 2, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_3(result, name, ...) HEIST__DECLARE(extern, result, name, 3, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_4(result, name, ...) HEIST__DECLARE(extern, result, name, 4, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_5(result, name, ...) HEIST__DECLARE(extern, result, name, 5, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_6(result, name, ...) HEIST__DECLARE(extern, result, name, 6, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_7(result, name, ...) HEIST__DECLARE(extern, result, name, 7, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_8(result, name, ...) HEIST__DECLARE(extern, result, name, 8, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_9(result, name, ...) HEIST__DECLARE(extern, result, name, 9, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__DECL_10(result, name, ...) HEIST__DECLARE(extern, result, name, 10, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__IMPL_0(result, name) HEIST__DEFINE(, result, name, 0, ())
#define HEIST__IMPL_1(result, name, ...) HEIST__DEFINE(, result, name, 1, (__VA_ARGS__))
#define HEIST__IMPL_2(result, name, ...) HEIST__DEFINE(, result, name, 2, (__VA_ARGS__))
#define HEIST__IMPL_3(result, name, ...) HEIST__DEFINE(, result, name, 3, (__VA_ARGS__))
#define HEIST__IMPL_4(result, name, ...) HEIST__DEFINE(, result, name, 4, (__VA_ARGS__))
#define HEIST__IMPL_5(result, name, ...) HEIST__DEFINE(, result, name, 5, (__VA_ARGS__))
#define HEIST__IMPL_6(result, name, ...) HEIST__DEFINE(, result, name, 6, (__VA_ARGS__))
#define HEIST__IMPL_7(result, name, ...) HEIST__DEFINE(, result, name, 7, (__VA_ARGS__))
#define HEIST__IMPL_8(result, name, ...) HEIST__DEFINE(, result, name, 8, (__VA_ARGS__))
#define HEIST__IMPL_9(result, name, ...) HEIST__DEFINE(, result, name, 9, (__VA_ARGS__))
#define HEIST__IMPL_10(result, name, ...) HEIST__DEFINE(, result, name, 10, (__VA_ARGS__))
#define HEIST__VOID_TASK_0(name) HEIST__VOID_BOTH(name, 0, ())
#define HEIST__VOID_TASK_1(name, ...) HEIST__VOID_BOTH(name, 1, (__VA_ARGS__))
#define HEIST__VOID_TASK_2(name, ...) HEIST__VOID_BOTH(name, 2, (__VA_ARGS__))
#define HEIST__VOID_TASK_3(name, ...) HEIST__VOID_BOTH(name, 3, (__VA_ARGS__))
#define HEIST__VOID_TASK_4(name, ...) HEIST__VOID_BOTH(name, 4, (__VA_ARGS__))
#define HEIST__VOID_TASK_5(name, ...) HEIST__VOID_BOTH(name, 5, (__VA_ARGS__))
#define HEIST__VOID_TASK_6(name, ...) HEIST__VOID_BOTH(name, 6, (__VA_ARGS__))
#define HEIST__VOID_TASK_7(name, ...) HEIST__VOID_BOTH(name, 7, (__VA_ARGS__))
#define HEIST__VOID_TASK_8(name, ...) HEIST__VOID_BOTH(name, 8, (__VA_ARGS__))
#define HEIST__VOID_TASK_9(name, ...) HEIST__VOID_BOTH(name, 9, (__VA_ARGS__))
#define HEIST__VOID_TASK_10(name, ...) HEIST__VOID_BOTH(name, 10, (__VA_ARGS__))
#define HEIST__VOID_DECL_0(name) HEIST__VOID_DECLARE(extern, name, 0, ()) struct heist__child_##name
#define HEIST__VOID_DECL_1(name, ...) HEIST__VOID_DECLARE(extern, name, 1, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_2(name, ...) HEIST__VOID_DECLARE(extern, name, 2, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_3(name, ...) HEIST__VOID_DECLARE(extern, name, 3, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_4(name, ...) HEIST__VOID_DECLARE(extern, name, 4, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_5(name, ...) HEIST__VOID_DECLARE(extern, name, 5, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_6(name, ...) HEIST__VOID_DECLARE(extern, name, 6, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_7(name, ...) HEIST__VOID_DECLARE(extern, name, 7, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_8(name, ...) HEIST__VOID_DECLARE(extern, name, 8, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_9(name, ...) HEIST__VOID_DECLARE(extern, name, 9, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_DECL_10(name, ...) HEIST__VOID_DECLARE(extern, name, 10, (__VA_ARGS__)) struct heist__child_##name
#define HEIST__VOID_IMPL_0(name) HEIST__VOID_DEFINE(, name, 0, ())
#define HEIST__VOID_IMPL_1(name, ...) HEIST__VOID_DEFINE(, name, 1, (__VA_ARGS__))
#define HEIST__VOID_IMPL_2(name, ...) HEIST__VOID_DEFINE(, name, 2, (__VA_ARGS__))
#define HEIST__VOID_IMPL_3(name, ...) HEIST__VOID_DEFINE(, name, 3, (__VA_ARGS__))
#define HEIST__VOID_IMPL_4(name, ...) HEIST__VOID_DEFINE(, name, 4, (__VA_ARGS__))
#define HEIST__VOID_IMPL_5(name, ...) HEIST__VOID_DEFINE(, name, 5, (__VA_ARGS__))
#define HEIST__VOID_IMPL_6(name, ...) HEIST__VOID_DEFINE(, name, 6, (__VA_ARGS__))
#define HEIST__VOID_IMPL_7(name, ...) HEIST__VOID_DEFINE(, name, 7, (__VA_ARGS__))
#define HEIST__VOID_IMPL_8(name, ...) HEIST__VOID_DEFINE(, name, 8, (__VA_ARGS__))
#define HEIST__VOID_IMPL_9(name, ...) HEIST__VOID_DEFINE(, name, 9, (__VA_ARGS__))
#define HEIST__VOID_IMPL_10(name, ...) HEIST__VOID_DEFINE(, name, 10, (__VA_ARGS__))
/* What the compiler says of a list that is none, in front of whatever else it says. */
#define HEIST__NOT_PAIRS HEIST__STATIC_ASSERT(0, "a task's arguments come in pairs: type, name, type, name ... behind its result and its name")
#define HEIST__TOO_MANY HEIST__STATIC_ASSERT(0, "a task has at most 10 arguments: put the others into a struct")
#define HEIST__TASK_odd(...) HEIST__NOT_PAIRS; static void heist__no_task(void)
#define HEIST__TASK_many(...) HEIST__TOO_MANY; static void heist__no_task(void)
#define HEIST__IMPL_odd(...) HEIST__NOT_PAIRS; static void heist__no_task(void)
#define HEIST__IMPL_many(...) HEIST__TOO_MANY; static void heist__no_task(void)
#define HEIST__VOID_TASK_odd(...) HEIST__NOT_PAIRS; static void heist__no_task(void)
#define HEIST__VOID_TASK_many(...) HEIST__TOO_MANY; static void heist__no_task(void)
#define HEIST__VOID_IMPL_odd(...) HEIST__NOT_PAIRS; static void heist__no_task(void)
#define HEIST__VOID_IMPL_many(...) HEIST__TOO_MANY; static void heist__no_task(void)
#define HEIST__DECL_odd(...) HEIST__NOT_PAIRS
#define HEIST__DECL_many(...) HEIST__TOO_MANY
#define HEIST__VOID_DECL_odd(...) HEIST__NOT_PAIRS
#define HEIST__VOID_DECL_many(...) HEIST__TOO_MANY
/* clang-format on */

#endif
