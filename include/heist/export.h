/* heist/export.h: what a symbol needs to be seen outside the library. The library is built with hidden visibility; only
 * what carries HEIST_API leaves it. */
#ifndef HEIST_EXPORT_H
#define HEIST_EXPORT_H

#define HEIST_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define HEIST_BEGIN_DECLS extern "C" {
#define HEIST_END_DECLS }
#else
#define HEIST_BEGIN_DECLS
#define HEIST_END_DECLS
#endif

#endif
