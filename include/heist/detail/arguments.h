/* heist/detail/arguments.h: the preprocessor part of typed tasks. A list `type, name, type, name ...` of 0 to 10 pairs
 * becomes fields, parameters and uses. Nothing here is for use outside heist/task.h and heist/loop.h. */
#ifndef HEIST_ARGUMENTS_H
#define HEIST_ARGUMENTS_H

/* clang-format off */
#define HEIST__CAT(a, b) HEIST__CAT_(a, b)
#define HEIST__CAT_(a, b) a##b

#ifdef __cplusplus
extern "C++" {
template <typename A, typename B> struct heist__same { enum { value = 0 }; };
template <typename A> struct heist__same<A, A> { enum { value = 1 }; };
}
#define HEIST__SAME(A, B) heist__same<A, B>::value
#define HEIST__STATIC_ASSERT(condition, sentence) static_assert(condition, sentence)
/* A record is not constructed, and its parts are copied by assignment. */
#define HEIST__FIELD(T, a) \
    HEIST__NOT_CONST(T); \
    static_assert(__is_trivially_constructible(T) && __is_trivially_copyable(T) && __is_assignable(T &, T), \
        "a task's arguments and result are of types that are trivially default-constructible, trivially copyable " \
        "and can be assigned: pass others by pointer"); \
    T a;
#else
#define HEIST__SAME(A, B) __builtin_types_compatible_p(A, B)
#define HEIST__STATIC_ASSERT(condition, sentence) _Static_assert(condition, sentence)
#define HEIST__FIELD(T, a) HEIST__NOT_CONST(T); T a;
#endif

/* Pointers, since compilers ignore the qualifiers of what they compare. */
#define HEIST__NOT_CONST(T) \
    HEIST__STATIC_ASSERT(!HEIST__SAME(__typeof__(T) *, const __typeof__(T) *), \
        "a task's arguments and result are not const: heist copies them into the child's record " \
        "(a pointer to const is fine)")

/* Picks the word behind 42 others: the macros below put a table of answers behind the list that they count. */

#define HEIST__PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, \
    a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, n, ...) \
    n
/* How many pairs stand behind two leading words (a result and a name): 2 -> 0, 4 -> 1 ... Up to twenty words too many
 * are told as such. */
#define HEIST__PAIRS(...) HEIST__PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, many, many, \
    many, many, many, many, many, many, many, many, many, 10, odd, 9, odd, 8, odd, 7, odd, 6, odd, 5, odd, 4, odd, \
    3, odd, 2, odd, 1, odd, 0, odd, 0)
/* Behind one leading word (a name): 1 -> 0, 3 -> 1 ... */
#define HEIST__PAIRS_AFTER_ONE(...) HEIST__PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, \
    many, many, many, many, many, many, many, many, many, many, many, many, 10, odd, 9, odd, 8, odd, 7, odd, 6, odd, \
    5, odd, 4, odd, 3, odd, 2, odd, 1, odd, 0, 0)
/* What kind of list that is: none (no pairs), some, odd (words without a partner), many (too many). */
#define HEIST__LIST(...) HEIST__PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, many, many, \
    many, many, many, many, many, many, many, many, many, some, odd, some, odd, some, odd, some, odd, some, odd, \
    some, odd, some, odd, some, odd, some, odd, some, odd, none, odd, 0)
#define HEIST__LIST_AFTER_ONE(...) HEIST__PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, \
    many, many, many, many, many, many, many, many, many, many, many, many, some, odd, some, odd, some, odd, some, \
    odd, some, odd, some, odd, some, odd, some, odd, some, odd, some, odd, none, 0)
/* Whether anything stands behind one, or two, leading words. */
#define HEIST__MORE_THAN_1(...) HEIST__PICK(__VA_ARGS__, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, \
    yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, \
    yes, yes, yes, yes, yes, yes, yes, no, no)
#define HEIST__MORE_THAN_2(...) HEIST__PICK(__VA_ARGS__, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, \
    yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, \
    yes, yes, yes, yes, yes, yes, no, no, no)

/* The fields of a record. */
#define HEIST__FIELDS_0() char heist__none;
#define HEIST__FIELDS_1(T, a) HEIST__FIELD(T, a)
#define HEIST__FIELDS_2(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_1(__VA_ARGS__)
#define HEIST__FIELDS_3(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_2(__VA_ARGS__)
#define HEIST__FIELDS_4(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_3(__VA_ARGS__)
#define HEIST__FIELDS_5(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_4(__VA_ARGS__)
#define HEIST__FIELDS_6(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_5(__VA_ARGS__)
#define HEIST__FIELDS_7(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_6(__VA_ARGS__)
#define HEIST__FIELDS_8(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_7(__VA_ARGS__)
#define HEIST__FIELDS_9(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_8(__VA_ARGS__)
#define HEIST__FIELDS_10(T, a, ...) HEIST__FIELD(T, a) HEIST__FIELDS_9(__VA_ARGS__)
/* Parameters behind others. */
#define HEIST__PARAMS_0()
#define HEIST__PARAMS_1(T, a) , T a
#define HEIST__PARAMS_2(T, a, ...) , T a HEIST__PARAMS_1(__VA_ARGS__)
#define HEIST__PARAMS_3(T, a, ...) , T a HEIST__PARAMS_2(__VA_ARGS__)
#define HEIST__PARAMS_4(T, a, ...) , T a HEIST__PARAMS_3(__VA_ARGS__)
#define HEIST__PARAMS_5(T, a, ...) , T a HEIST__PARAMS_4(__VA_ARGS__)
#define HEIST__PARAMS_6(T, a, ...) , T a HEIST__PARAMS_5(__VA_ARGS__)
#define HEIST__PARAMS_7(T, a, ...) , T a HEIST__PARAMS_6(__VA_ARGS__)
#define HEIST__PARAMS_8(T, a, ...) , T a HEIST__PARAMS_7(__VA_ARGS__)
#define HEIST__PARAMS_9(T, a, ...) , T a HEIST__PARAMS_8(__VA_ARGS__)
#define HEIST__PARAMS_10(T, a, ...) , T a HEIST__PARAMS_9(__VA_ARGS__)
/* The same as arguments of a call. */
#define HEIST__USES_0()
#define HEIST__USES_1(T, a) , a
#define HEIST__USES_2(T, a, ...) , a HEIST__USES_1(__VA_ARGS__)
#define HEIST__USES_3(T, a, ...) , a HEIST__USES_2(__VA_ARGS__)
#define HEIST__USES_4(T, a, ...) , a HEIST__USES_3(__VA_ARGS__)
#define HEIST__USES_5(T, a, ...) , a HEIST__USES_4(__VA_ARGS__)
#define HEIST__USES_6(T, a, ...) , a HEIST__USES_5(__VA_ARGS__)
#define HEIST__USES_7(T, a, ...) , a HEIST__USES_6(__VA_ARGS__)
#define HEIST__USES_8(T, a, ...) , a HEIST__USES_7(__VA_ARGS__)
#define HEIST__USES_9(T, a, ...) , a HEIST__USES_8(__VA_ARGS__)
#define HEIST__USES_10(T, a, ...) , a HEIST__USES_9(__VA_ARGS__)
/* From parameters into the record ... */
#define HEIST__STORE_0() heist__c->of.in.heist__none = 0;
#define HEIST__STORE_1(T, a) heist__c->of.in.a = a;
#define HEIST__STORE_2(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_1(__VA_ARGS__)
#define HEIST__STORE_3(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_2(__VA_ARGS__)
#define HEIST__STORE_4(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_3(__VA_ARGS__)
#define HEIST__STORE_5(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_4(__VA_ARGS__)
#define HEIST__STORE_6(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_5(__VA_ARGS__)
#define HEIST__STORE_7(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_6(__VA_ARGS__)
#define HEIST__STORE_8(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_7(__VA_ARGS__)
#define HEIST__STORE_9(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_8(__VA_ARGS__)
#define HEIST__STORE_10(T, a, ...) heist__c->of.in.a = a; HEIST__STORE_9(__VA_ARGS__)
/* ... and from there into a call. */
#define HEIST__LOAD_0()
#define HEIST__LOAD_1(T, a) , heist__c->of.in.a
#define HEIST__LOAD_2(T, a, ...) , heist__c->of.in.a HEIST__LOAD_1(__VA_ARGS__)
#define HEIST__LOAD_3(T, a, ...) , heist__c->of.in.a HEIST__LOAD_2(__VA_ARGS__)
#define HEIST__LOAD_4(T, a, ...) , heist__c->of.in.a HEIST__LOAD_3(__VA_ARGS__)
#define HEIST__LOAD_5(T, a, ...) , heist__c->of.in.a HEIST__LOAD_4(__VA_ARGS__)
#define HEIST__LOAD_6(T, a, ...) , heist__c->of.in.a HEIST__LOAD_5(__VA_ARGS__)
#define HEIST__LOAD_7(T, a, ...) , heist__c->of.in.a HEIST__LOAD_6(__VA_ARGS__)
#define HEIST__LOAD_8(T, a, ...) , heist__c->of.in.a HEIST__LOAD_7(__VA_ARGS__)
#define HEIST__LOAD_9(T, a, ...) , heist__c->of.in.a HEIST__LOAD_8(__VA_ARGS__)
#define HEIST__LOAD_10(T, a, ...) , heist__c->of.in.a HEIST__LOAD_9(__VA_ARGS__)
/* clang-format on */

#endif
