;@ stage: guard
; A native region that throws, here through a function without landing pads: the pad of its caller, and all calls that
; share the pad, have the depth that they began with.

declare i32 @pthread_once(ptr, ptr)
declare void @_ZN4mine4loadEv()
declare i32 @__gxx_personality_v0(...)

define internal i32 @_ZL14__gthread_oncePiPFvvE(ptr %once, ptr %routine) {
  %status = call i32 @pthread_once(ptr %once, ptr %routine)
  ret i32 %status
}

define i32 @_ZN4mine5startEv(ptr %once, ptr %routine) personality ptr @__gxx_personality_v0 {
entry:
  invoke void @_ZN4mine4loadEv() to label %next unwind label %failed
next:
  %status = invoke i32 @_ZL14__gthread_oncePiPFvvE(ptr %once, ptr %routine) to label %exit unwind label %failed
exit:
  ret i32 %status
failed:
  %step = phi i32 [ 1, %entry ], [ 2, %next ]
  %exception = landingpad { ptr, i32 } catch ptr null
  ret i32 %step
}

;= define internal i32 @_ZL14__gthread_oncePiPFvvE(ptr %once, ptr %routine) {
;=   call void @concord_guard_enter()
;=   %status = call i32 @pthread_once(ptr %once, ptr %routine)
;=   call void @concord_guard_exit()
;=   ret i32 %status
;= }
;=
;= define i32 @_ZN4mine5startEv(ptr %once, ptr %routine) personality ptr @__gxx_personality_v0 {
;= entry:
;=   %0 = call i32 @concord_guard_save()
;=   invoke void @_ZN4mine4loadEv()
;=           to label %next unwind label %failed
;=
;= next:
;=   %1 = call i32 @concord_guard_save()
;=   %status = invoke i32 @_ZL14__gthread_oncePiPFvvE(ptr %once, ptr %routine)
;=           to label %exit unwind label %failed
;=
;= exit:
;=   ret i32 %status
;=
;= failed:
;=   %2 = phi i32 [ %0, %entry ], [ %1, %next ]
;=   %step = phi i32 [ 1, %entry ], [ 2, %next ]
;=   %exception = landingpad { ptr, i32 }
;=           catch ptr null
;=   call void @concord_guard_restore(i32 %2)
;=   ret i32 %step
;= }
