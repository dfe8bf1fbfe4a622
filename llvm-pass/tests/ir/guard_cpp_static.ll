;@ stage: guard
; A static in a C++ function: guarded from the acquire that says "initialise it" to its release or abort.

declare i32 @__cxa_guard_acquire(ptr)
declare void @__cxa_guard_release(ptr)
declare void @__cxa_guard_abort(ptr)
declare void @_ZN7leveldb15BytewiseCompareC1Ev(ptr)
declare i32 @__gxx_personality_v0(...)

define ptr @_ZN7leveldb18BytewiseComparatorEv(ptr %guard, ptr %object) personality ptr @__gxx_personality_v0 {
entry:
  %first = call i32 @__cxa_guard_acquire(ptr %guard)
  %needed = icmp ne i32 %first, 0
  br i1 %needed, label %construct, label %ready
construct:
  invoke void @_ZN7leveldb15BytewiseCompareC1Ev(ptr %object) to label %made unwind label %failed
made:
  call void @__cxa_guard_release(ptr %guard)
  br label %ready
ready:
  ret ptr %object
failed:
  %exception = landingpad { ptr, i32 } cleanup
  call void @__cxa_guard_abort(ptr %guard)
  resume { ptr, i32 } %exception
}

;= define ptr @_ZN7leveldb18BytewiseComparatorEv(ptr %guard, ptr %object) personality ptr @__gxx_personality_v0 {
;= entry:
;=   call void @concord_guard_enter()
;=   %first = call i32 @__cxa_guard_acquire(ptr %guard)
;=   %0 = icmp eq i32 %first, 0
;=   call void @concord_guard_exit_if(i1 %0)
;=   %needed = icmp ne i32 %first, 0
;=   br i1 %needed, label %construct, label %ready
;=
;= construct:
;=   invoke void @_ZN7leveldb15BytewiseCompareC1Ev(ptr %object)
;=           to label %made unwind label %failed
;=
;= made:
;=   call void @__cxa_guard_release(ptr %guard)
;=   call void @concord_guard_exit()
;=   br label %ready
;=
;= ready:
;=   ret ptr %object
;=
;= failed:
;=   %exception = landingpad { ptr, i32 }
;=           cleanup
;=   call void @__cxa_guard_abort(ptr %guard)
;=   call void @concord_guard_exit()
;=   resume { ptr, i32 } %exception
;= }
