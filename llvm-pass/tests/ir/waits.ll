;@ stage: waits
; Waits on condition variables go to the runtime where code has probes; elsewhere they block the thread.

declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare void @_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(ptr, ptr)
declare i32 @__gxx_personality_v0(...)

define i32 @_ZN7leveldb4port7CondVar4WaitEv(ptr %condition, ptr %mutex) #0 {
  %status = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  %other = call i32 @pthread_cond_signal(ptr %condition)
  ret i32 %status
}

define void @_ZN4mine4waitEv(ptr %condition, ptr %lock) #0 personality ptr @__gxx_personality_v0 {
  invoke void @_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(ptr %condition, ptr %lock)
      to label %exit unwind label %cleanup
exit:
  ret void
cleanup:
  %exception = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %exception
}

define i32 @blocks(ptr %condition, ptr %mutex) {
  %status = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  ret i32 %status
}

attributes #0 = { "concord-probed" }

;= define i32 @_ZN7leveldb4port7CondVar4WaitEv(ptr %condition, ptr %mutex) #0 {
;=   %status = call i32 @concord_condition_wait(ptr %condition, ptr %mutex)
;=   %other = call i32 @pthread_cond_signal(ptr %condition)
;=   ret i32 %status
;= }
;=
;= define void @_ZN4mine4waitEv(ptr %condition, ptr %lock) #0 personality ptr @__gxx_personality_v0 {
;=   invoke void @concord_cxx_condition_wait(ptr %condition, ptr %lock)
;=           to label %exit unwind label %cleanup
;=
;= exit:
;=   ret void
;=
;= cleanup:
;=   %exception = landingpad { ptr, i32 }
;=           cleanup
;=   resume { ptr, i32 } %exception
;= }
;=
;= define i32 @blocks(ptr %condition, ptr %mutex) {
;=   %status = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
;=   ret i32 %status
;= }
;=
;= attributes #0 = { "concord-probed" }
