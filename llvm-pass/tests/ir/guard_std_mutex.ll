;@ stage: guard
; std's `lock` and `try_lock` are regions around the compare-exchange; the closure of the guard's constructor runs once
; for each guard that comes into being; the guard's drop ends it. In both manglings. `is_poisoned` is nobody's guard.

define void @"_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$4lock17h18aba970684159e7E"(ptr %result, ptr %mutex) {
entry:
  %slot = alloca ptr
  store ptr %mutex, ptr %slot
  %old = cmpxchg ptr %mutex, i32 0, i32 1 acquire monotonic
  %taken = extractvalue { i32, i1 } %old, 1
  br i1 %taken, label %made, label %contended
contended:
  call void @_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended(ptr %mutex)
  br label %made
made:
  call void @"_ZN3std4sync6poison5mutex19MutexGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17he3b59d61fae1b5dbE"(ptr %result)
  ret void
}

declare void @_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended(ptr)

define void @"_ZN3std4sync6poison5mutex19MutexGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17he3b59d61fae1b5dbE"(ptr %result) {
  ret void
}

define i32 @_RNvMs5_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB5_5MutexmE8try_lockCs30x0kSY1adC_1s(ptr %mutex) {
  %old = cmpxchg ptr %mutex, i32 0, i32 1 acquire monotonic
  %taken = extractvalue { i32, i1 } %old, 1
  br i1 %taken, label %made, label %failed
made:
  call void @_RNCNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB7_10MutexGuardmE3new0Cs30x0kSY1adC_1s(ptr %mutex)
  ret i32 0
failed:
  ret i32 1
}

define void @_RNCNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB7_10MutexGuardmE3new0Cs30x0kSY1adC_1s(ptr %mutex) {
  ret void
}

define void @_RNvXsc_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB5_10MutexGuardmENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4dropCs30x0kSY1adC_1s(ptr %guard) {
  store atomic i32 0, ptr %guard release, align 4
  ret void
}

define void @"_ZN87_$LT$std..sync..poison..mutex..MutexGuard$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h7d99718080a7243bE"(ptr %guard) {
  store atomic i32 0, ptr %guard release, align 4
  ret void
}

define i1 @"_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$11is_poisoned17h18aba970684159e7E"(ptr %mutex) {
  ret i1 false
}

;= define void @"_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$4lock17h18aba970684159e7E"(ptr %result, ptr %mutex) {
;= entry:
;=   %slot = alloca ptr, align 8
;=   call void @concord_guard_enter()
;=   store ptr %mutex, ptr %slot, align 8
;=   %old = cmpxchg ptr %mutex, i32 0, i32 1 acquire monotonic, align 4
;=   %taken = extractvalue { i32, i1 } %old, 1
;=   br i1 %taken, label %made, label %contended
;=
;= contended:
;=   call void @_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended(ptr %mutex)
;=   br label %made
;=
;= made:
;=   call void @"_ZN3std4sync6poison5mutex19MutexGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17he3b59d61fae1b5dbE"(ptr %result)
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define void @"_ZN3std4sync6poison5mutex19MutexGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17he3b59d61fae1b5dbE"(ptr %result) {
;=   call void @concord_guard_enter()
;=   ret void
;= }
;=
;= define i32 @_RNvMs5_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB5_5MutexmE8try_lockCs30x0kSY1adC_1s(ptr %mutex) {
;=   call void @concord_guard_enter()
;=   %old = cmpxchg ptr %mutex, i32 0, i32 1 acquire monotonic, align 4
;=   %taken = extractvalue { i32, i1 } %old, 1
;=   br i1 %taken, label %made, label %failed
;=
;= made:
;=   call void @_RNCNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB7_10MutexGuardmE3new0Cs30x0kSY1adC_1s(ptr %mutex)
;=   call void @concord_guard_exit()
;=   ret i32 0
;=
;= failed:
;=   call void @concord_guard_exit()
;=   ret i32 1
;= }
;=
;= define void @_RNCNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB7_10MutexGuardmE3new0Cs30x0kSY1adC_1s(ptr %mutex) {
;=   call void @concord_guard_enter()
;=   ret void
;= }
;=
;= define void @_RNvXsc_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison5mutexINtB5_10MutexGuardmENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4dropCs30x0kSY1adC_1s(ptr %guard) {
;=   store atomic i32 0, ptr %guard release, align 4
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define void @"_ZN87_$LT$std..sync..poison..mutex..MutexGuard$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h7d99718080a7243bE"(ptr %guard) {
;=   store atomic i32 0, ptr %guard release, align 4
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define i1 @"_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$11is_poisoned17h18aba970684159e7E"(ptr %mutex) {
;=   ret i1 false
;= }
