;@ stage: guard
; The same by invoke: the test of the result stands on the normal edge. `pthread_once` is a region: when its
; routine throws, the region is left on the other edge.

declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_once(ptr, ptr)
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

define void @_ZN4mine5startEv(ptr %once, ptr %routine) personality ptr @__gxx_personality_v0 {
entry:
  %status = invoke i32 @pthread_once(ptr %once, ptr %routine) to label %exit unwind label %cleanup
exit:
  ret void
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
;=
;= define void @_ZN4mine5startEv(ptr %once, ptr %routine) personality ptr @__gxx_personality_v0 {
;= entry:
;=   call void @concord_guard_enter()
;=   %status = invoke i32 @pthread_once(ptr %once, ptr %routine)
;=           to label %0 unwind label %cleanup
;=
;= 0:
;=   call void @concord_guard_exit()
;=   br label %exit
;=
;= exit:
;=   ret void
;=
;= cleanup:
;=   %exception = landingpad { ptr, i32 }
;=           cleanup
;=   resume { ptr, i32 } %exception
;= }
