;@ stage: guard
; A pthread lock is native: a guard begins before the call and ends again when the result is not zero.

declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_rwlock_tryrdlock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_mutex_destroy(ptr)

define i32 @_ZN7leveldb4port5Mutex4LockEv(ptr %mutex) {
  %status = call i32 @pthread_mutex_lock(ptr %mutex)
  ret i32 %status
}

define void @ignores_the_result(ptr %lock) {
  %status = call i32 @pthread_rwlock_tryrdlock(ptr %lock)
  ret void
}

define void @_ZN7leveldb4port5Mutex6UnlockEv(ptr %mutex) {
  %status = call i32 @pthread_mutex_unlock(ptr %mutex)
  %other = call i32 @pthread_mutex_destroy(ptr %mutex)
  ret void
}

;= define i32 @_ZN7leveldb4port5Mutex4LockEv(ptr %mutex) {
;=   call void @concord_guard_enter()
;=   %status = call i32 @pthread_mutex_lock(ptr %mutex)
;=   %1 = icmp ne i32 %status, 0
;=   call void @concord_guard_exit_if(i1 %1)
;=   ret i32 %status
;= }
;=
;= define void @ignores_the_result(ptr %lock) {
;=   call void @concord_guard_enter()
;=   %status = call i32 @pthread_rwlock_tryrdlock(ptr %lock)
;=   %1 = icmp ne i32 %status, 0
;=   call void @concord_guard_exit_if(i1 %1)
;=   ret void
;= }
;=
;= define void @_ZN7leveldb4port5Mutex6UnlockEv(ptr %mutex) {
;=   %status = call i32 @pthread_mutex_unlock(ptr %mutex)
;=   call void @concord_guard_exit()
;=   %other = call i32 @pthread_mutex_destroy(ptr %mutex)
;=   ret void
;= }
