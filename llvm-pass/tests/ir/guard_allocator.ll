;@ stage: guard
; An allocator that the link has as bitcode is a region. The system's is native, and short.

declare ptr @calloc(i64, i64)

define ptr @_RNvCsfLfy6EI15iL_7___rustc10___rg_alloc(i64 %size, i64 %align) {
  %place = call ptr @calloc(i64 1, i64 %size)
  ret ptr %place
}

define ptr @malloc(i64 %size) {
  ret ptr null
}

;= define ptr @_RNvCsfLfy6EI15iL_7___rustc10___rg_alloc(i64 %size, i64 %align) {
;=   call void @concord_guard_enter()
;=   %place = call ptr @calloc(i64 1, i64 %size)
;=   call void @concord_guard_exit()
;=   ret ptr %place
;= }
;=
;= define ptr @malloc(i64 %size) {
;=   call void @concord_guard_enter()
;=   call void @concord_guard_exit()
;=   ret ptr null
;= }
