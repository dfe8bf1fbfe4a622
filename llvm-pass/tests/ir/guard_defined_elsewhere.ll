;@ stage: guard
;@ defined: pthread_mutex_lock
; Another unit of the link has the lock as bitcode and marks its body: the call is left alone.

declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)

define void @locked(ptr %mutex) {
  %taken = call i32 @pthread_mutex_lock(ptr %mutex)
  %left = call i32 @pthread_mutex_unlock(ptr %mutex)
  ret void
}

;= define void @locked(ptr %mutex) {
;=   %taken = call i32 @pthread_mutex_lock(ptr %mutex)
;=   %left = call i32 @pthread_mutex_unlock(ptr %mutex)
;=   call void @concord_guard_exit()
;=   ret void
;= }
