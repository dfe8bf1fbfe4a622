;@ stage: guard
; `pthread_once`, which std::call_once uses, is a region: the routine runs under it, and so does whoever waits.

declare i32 @pthread_once(ptr, ptr)

define void @_ZN4mine5startEv(ptr %once, ptr %routine) {
  %status = call i32 @pthread_once(ptr %once, ptr %routine)
  ret void
}

;= define void @_ZN4mine5startEv(ptr %once, ptr %routine) {
;=   call void @concord_guard_enter()
;=   %status = call i32 @pthread_once(ptr %once, ptr %routine)
;=   call void @concord_guard_exit()
;=   ret void
;= }
