;@ stage: guard
; The same by invoke: the test of the result stands on the normal edge.

declare i32 @pthread_mutex_lock(ptr)
declare i32 @__gxx_personality_v0(...)

define i32 @_ZNSt5mutex4lockEv(ptr %mutex) personality ptr @__gxx_personality_v0 {
entry:
  %status = invoke i32 @pthread_mutex_lock(ptr %mutex) to label %exit unwind label %cleanup
exit:
  %result = phi i32 [ %status, %entry ]
  ret i32 %result
cleanup:
  %exception = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %exception
}

;= define i32 @_ZNSt5mutex4lockEv(ptr %mutex) personality ptr @__gxx_personality_v0 {
;= entry:
;=   call void @concord_guard_enter()
;=   %status = invoke i32 @pthread_mutex_lock(ptr %mutex)
;=           to label %0 unwind label %cleanup
;=
;= 0:
;=   %1 = icmp ne i32 %status, 0
;=   call void @concord_guard_exit_if(i1 %1)
;=   br label %exit
;=
;= exit:
;=   %2 = phi i32 [ %status, %0 ]
;=   ret i32 %2
;=
;= cleanup:
;=   %exception = landingpad { ptr, i32 }
;=           cleanup
;=   resume { ptr, i32 } %exception
;= }
