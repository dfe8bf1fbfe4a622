;@ stage: guard
; As the mutex: regions around the exchange, a guard for each reader and for the writer.

define void @_RNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB5_6RwLockmE4readCs30x0kSY1adC_1s(ptr %lock) {
  call void @_RNCNvMsd_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB7_15RwLockReadGuardmE3new0Cs30x0kSY1adC_1s(ptr %lock)
  ret void
}

define void @_RNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB5_6RwLockmE9try_writeCs30x0kSY1adC_1s(ptr %lock) {
  ret void
}

define void @_RNCNvMsd_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB7_15RwLockReadGuardmE3new0Cs30x0kSY1adC_1s(ptr %lock) {
  ret void
}

define void @_RNCNvMse_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB7_16RwLockWriteGuardmE3new0Cs30x0kSY1adC_1s(ptr %lock) {
  ret void
}

define void @_RNvXsh_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB5_15RwLockReadGuardmENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4dropCs30x0kSY1adC_1s(ptr %guard) {
  ret void
}

define void @"_ZN94_$LT$std..sync..poison..rwlock..RwLockWriteGuard$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h534aa2caa3cf369dE"(ptr %guard) {
  ret void
}

;= define void @_RNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB5_6RwLockmE4readCs30x0kSY1adC_1s(ptr %lock) {
;=   call void @concord_guard_enter()
;=   call void @_RNCNvMsd_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB7_15RwLockReadGuardmE3new0Cs30x0kSY1adC_1s(ptr %lock)
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define void @_RNvMs9_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB5_6RwLockmE9try_writeCs30x0kSY1adC_1s(ptr %lock) {
;=   call void @concord_guard_enter()
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define void @_RNCNvMsd_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB7_15RwLockReadGuardmE3new0Cs30x0kSY1adC_1s(ptr %lock) {
;=   call void @concord_guard_enter()
;=   ret void
;= }
;=
;= define void @_RNCNvMse_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB7_16RwLockWriteGuardmE3new0Cs30x0kSY1adC_1s(ptr %lock) {
;=   call void @concord_guard_enter()
;=   ret void
;= }
;=
;= define void @_RNvXsh_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlockINtB5_15RwLockReadGuardmENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4dropCs30x0kSY1adC_1s(ptr %guard) {
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define void @"_ZN94_$LT$std..sync..poison..rwlock..RwLockWriteGuard$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h534aa2caa3cf369dE"(ptr %guard) {
;=   call void @concord_guard_exit()
;=   ret void
;= }
