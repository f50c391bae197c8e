/* heist/arguments.h: the preprocessor part of typed tasks. A list `type, name, type, name ...` of 0 to 10 pairs becomes
 * fields, parameters and uses. Nothing here is for use outside heist/task.h. */
#ifndef HEIST_ARGUMENTS_H
#define HEIST_ARGUMENTS_H

/* clang-format off */
#define HEIST__CAT(a, b) HEIST__CAT_(a, b)
#define HEIST__CAT_(a, b) a##b

#ifdef __cplusplus
#define HEIST__STATIC_ASSERT(condition, sentence) static_assert(condition, sentence)
/* A record is not constructed, and its parts are copied by assignment. */
#define HEIST__FIELD(T, a) static_assert(__is_trivially_constructible(T) && __is_trivially_copyable(T) && __is_assignable(T &, T), "a task's arguments and result are of types that are trivially default-constructible, trivially copyable and can be assigned: pass others by pointer"); T a;
#else
#define HEIST__STATIC_ASSERT(condition, sentence) _Static_assert(condition, sentence)
#define HEIST__FIELD(T, a) T a;
#endif

/* How many pairs stand behind two leading words (a result and a name): 2 -> 0, 4 -> 1 ... Up to twenty words too many are told as
 * such. */
#define HEIST__PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, n, ...) n
#define HEIST__PAIRS(...) HEIST__PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, 10, odd, 9, odd, 8, odd, 7, odd, 6, odd, 5, odd, 4, odd, 3, odd, 2, odd, 1, odd, 0, odd, 0)
/* Behind one leading word (a name): 1 -> 0, 3 -> 1 ... */
#define HEIST__PAIRS_AFTER_ONE(...) HEIST__PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many, 10, odd, 9, odd, 8, odd, 7, odd, 6, odd, 5, odd, 4, odd, 3, odd, 2, odd, 1, odd, 0, 0)
/* Whether anything stands behind one, or two, leading words. */
#define HEIST__MORE_THAN_1(...) HEIST__PICK(__VA_ARGS__, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, no, no)
#define HEIST__MORE_THAN_2(...) HEIST__PICK(__VA_ARGS__, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, no, no, no)

#define HEIST__FIELDS_0() char heist__none;
#define HEIST__FIELDS_1(T1, a1) HEIST__FIELD(T1, a1)
#define HEIST__FIELDS_2(T1, a1, T2, a2) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2)
#define HEIST__FIELDS_3(T1, a1, T2, a2, T3, a3) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3)
#define HEIST__FIELDS_4(T1, a1, T2, a2, T3, a3, T4, a4) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4)
#define HEIST__FIELDS_5(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4) HEIST__FIELD(T5, a5)
#define HEIST__FIELDS_6(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4) HEIST__FIELD(T5, a5) HEIST__FIELD(T6, a6)
#define HEIST__FIELDS_7(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4) HEIST__FIELD(T5, a5) HEIST__FIELD(T6, a6) HEIST__FIELD(T7, a7)
#define HEIST__FIELDS_8(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4) HEIST__FIELD(T5, a5) HEIST__FIELD(T6, a6) HEIST__FIELD(T7, a7) HEIST__FIELD(T8, a8)
#define HEIST__FIELDS_9(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4) HEIST__FIELD(T5, a5) HEIST__FIELD(T6, a6) HEIST__FIELD(T7, a7) HEIST__FIELD(T8, a8) HEIST__FIELD(T9, a9)
#define HEIST__FIELDS_10(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9, T10, a10) HEIST__FIELD(T1, a1) HEIST__FIELD(T2, a2) HEIST__FIELD(T3, a3) HEIST__FIELD(T4, a4) HEIST__FIELD(T5, a5) HEIST__FIELD(T6, a6) HEIST__FIELD(T7, a7) HEIST__FIELD(T8, a8) HEIST__FIELD(T9, a9) HEIST__FIELD(T10, a10)
#define HEIST__PARAMS_0() 
#define HEIST__PARAMS_1(T1, a1) , T1 a1
#define HEIST__PARAMS_2(T1, a1, T2, a2) , T1 a1, T2 a2
#define HEIST__PARAMS_3(T1, a1, T2, a2, T3, a3) , T1 a1, T2 a2, T3 a3
#define HEIST__PARAMS_4(T1, a1, T2, a2, T3, a3, T4, a4) , T1 a1, T2 a2, T3 a3, T4 a4
#define HEIST__PARAMS_5(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5) , T1 a1, T2 a2, T3 a3, T4 a4, T5 a5
#define HEIST__PARAMS_6(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6) , T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6
#define HEIST__PARAMS_7(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7) , T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7
#define HEIST__PARAMS_8(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8) , T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8
#define HEIST__PARAMS_9(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9) , T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9
#define HEIST__PARAMS_10(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9, T10, a10) , T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10
#define HEIST__USES_0() 
#define HEIST__USES_1(T1, a1) , a1
#define HEIST__USES_2(T1, a1, T2, a2) , a1, a2
#define HEIST__USES_3(T1, a1, T2, a2, T3, a3) , a1, a2, a3
#define HEIST__USES_4(T1, a1, T2, a2, T3, a3, T4, a4) , a1, a2, a3, a4
#define HEIST__USES_5(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5) , a1, a2, a3, a4, a5
#define HEIST__USES_6(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6) , a1, a2, a3, a4, a5, a6
#define HEIST__USES_7(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7) , a1, a2, a3, a4, a5, a6, a7
#define HEIST__USES_8(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8) , a1, a2, a3, a4, a5, a6, a7, a8
#define HEIST__USES_9(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9) , a1, a2, a3, a4, a5, a6, a7, a8, a9
#define HEIST__USES_10(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9, T10, a10) , a1, a2, a3, a4, a5, a6, a7, a8, a9, a10
#define HEIST__STORE_0() heist__c->of.in.heist__none = 0;
#define HEIST__STORE_1(T1, a1) heist__c->of.in.a1 = a1;
#define HEIST__STORE_2(T1, a1, T2, a2) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2;
#define HEIST__STORE_3(T1, a1, T2, a2, T3, a3) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3;
#define HEIST__STORE_4(T1, a1, T2, a2, T3, a3, T4, a4) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4;
#define HEIST__STORE_5(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4; heist__c->of.in.a5 = a5;
#define HEIST__STORE_6(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4; heist__c->of.in.a5 = a5; heist__c->of.in.a6 = a6;
#define HEIST__STORE_7(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4; heist__c->of.in.a5 = a5; heist__c->of.in.a6 = a6; heist__c->of.in.a7 = a7;
#define HEIST__STORE_8(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4; heist__c->of.in.a5 = a5; heist__c->of.in.a6 = a6; heist__c->of.in.a7 = a7; heist__c->of.in.a8 = a8;
#define HEIST__STORE_9(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4; heist__c->of.in.a5 = a5; heist__c->of.in.a6 = a6; heist__c->of.in.a7 = a7; heist__c->of.in.a8 = a8; heist__c->of.in.a9 = a9;
#define HEIST__STORE_10(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9, T10, a10) heist__c->of.in.a1 = a1; heist__c->of.in.a2 = a2; heist__c->of.in.a3 = a3; heist__c->of.in.a4 = a4; heist__c->of.in.a5 = a5; heist__c->of.in.a6 = a6; heist__c->of.in.a7 = a7; heist__c->of.in.a8 = a8; heist__c->of.in.a9 = a9; heist__c->of.in.a10 = a10;
#define HEIST__LOAD_0() 
#define HEIST__LOAD_1(T1, a1) , heist__c->of.in.a1
#define HEIST__LOAD_2(T1, a1, T2, a2) , heist__c->of.in.a1, heist__c->of.in.a2
#define HEIST__LOAD_3(T1, a1, T2, a2, T3, a3) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3
#define HEIST__LOAD_4(T1, a1, T2, a2, T3, a3, T4, a4) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4
#define HEIST__LOAD_5(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4, heist__c->of.in.a5
#define HEIST__LOAD_6(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4, heist__c->of.in.a5, heist__c->of.in.a6
#define HEIST__LOAD_7(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4, heist__c->of.in.a5, heist__c->of.in.a6, heist__c->of.in.a7
#define HEIST__LOAD_8(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4, heist__c->of.in.a5, heist__c->of.in.a6, heist__c->of.in.a7, heist__c->of.in.a8
#define HEIST__LOAD_9(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4, heist__c->of.in.a5, heist__c->of.in.a6, heist__c->of.in.a7, heist__c->of.in.a8, heist__c->of.in.a9
#define HEIST__LOAD_10(T1, a1, T2, a2, T3, a3, T4, a4, T5, a5, T6, a6, T7, a7, T8, a8, T9, a9, T10, a10) , heist__c->of.in.a1, heist__c->of.in.a2, heist__c->of.in.a3, heist__c->of.in.a4, heist__c->of.in.a5, heist__c->of.in.a6, heist__c->of.in.a7, heist__c->of.in.a8, heist__c->of.in.a9, heist__c->of.in.a10
/* clang-format on */

#endif
