/* heist/detail/lists.h: heist/task.h's macros for lists without pairs and with some. Without pairs there is nothing
 * behind the last comma, and standard C cannot say both in one macro. Nothing here is for use outside heist/task.h. */
#ifndef HEIST_LISTS_H
#define HEIST_LISTS_H

/* clang-format off */
#define HEIST__TASK_none(n, result, name) HEIST__BOTH(result, name, 0, ())
#define HEIST__TASK_some(n, result, name, ...) HEIST__BOTH(result, name, n, (__VA_ARGS__))
#define HEIST__VOID_TASK_none(n, name) HEIST__VOID_BOTH(name, 0, ())
#define HEIST__VOID_TASK_some(n, name, ...) HEIST__VOID_BOTH(name, n, (__VA_ARGS__))
#define HEIST__IMPL_none(n, result, name) HEIST__DEFINE(, result, name, 0, ())
#define HEIST__IMPL_some(n, result, name, ...) HEIST__DEFINE(, result, name, n, (__VA_ARGS__))
#define HEIST__VOID_IMPL_none(n, name) HEIST__VOID_DEFINE(, name, 0, ())
#define HEIST__VOID_IMPL_some(n, name, ...) HEIST__VOID_DEFINE(, name, n, (__VA_ARGS__))
/* The struct at the end takes the semicolon. */
#define HEIST__DECL_none(n, result, name) \
    HEIST__DECLARE(extern, result, name, 0, ()) struct heist__gen_child_##name
#define HEIST__DECL_some(n, result, name, ...) \
    HEIST__DECLARE(extern, result, name, n, (__VA_ARGS__)) struct heist__gen_child_##name
#define HEIST__VOID_DECL_none(n, name) \
    HEIST__VOID_DECLARE(extern, name, 0, ()) struct heist__gen_child_##name
#define HEIST__VOID_DECL_some(n, name, ...) \
    HEIST__VOID_DECLARE(extern, name, n, (__VA_ARGS__)) struct heist__gen_child_##name
#define HEIST__STATIC_DECL_none(n, result, name) \
    HEIST__DECLARE(static, result, name, 0, ()) struct heist__gen_child_##name
#define HEIST__STATIC_DECL_some(n, result, name, ...) \
    HEIST__DECLARE(static, result, name, n, (__VA_ARGS__)) struct heist__gen_child_##name
#define HEIST__STATIC_VOID_DECL_none(n, name) \
    HEIST__VOID_DECLARE(static, name, 0, ()) struct heist__gen_child_##name
#define HEIST__STATIC_VOID_DECL_some(n, name, ...) \
    HEIST__VOID_DECLARE(static, name, n, (__VA_ARGS__)) struct heist__gen_child_##name
/* What the compiler says of a list that is none, in front of whatever else it says. */
#define HEIST__NOT_PAIRS \
    HEIST__STATIC_ASSERT(0, "a task's arguments come in pairs: type, name, type, name ... behind its result and its " \
        "name (a type with a comma in it needs a typedef)")
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
#define HEIST__STATIC_DECL_odd(...) HEIST__NOT_PAIRS
#define HEIST__STATIC_DECL_many(...) HEIST__TOO_MANY
#define HEIST__STATIC_VOID_DECL_odd(...) HEIST__NOT_PAIRS
#define HEIST__STATIC_VOID_DECL_many(...) HEIST__TOO_MANY
/* clang-format on */

#endif
